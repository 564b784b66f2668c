// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which of the lines that a launcher and its processes print are shown. The launcher is made up: it
// tags lines with "<PROCESS> ", and comments begin with "launcher: ".
#include "upwash/launch/detail/told_lines.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <string>
#include <vector>

namespace upwash::launch::detail {
namespace {

class made_up_manner final : public conduit::launcher_manner {
 public:
  int untag(std::string_view& line) const override {
    int process = -1;
    if (!line.starts_with('<')) return process;
    const std::size_t end = line.find("> ");
    std::from_chars(line.data() + 1, line.data() + end, process);
    line.remove_prefix(end + 2);
    return process;
  }
  bool is_comment(std::string_view line, bool /*standard_error*/, bool& /*inside*/) const override {
    return line.starts_with("launcher: ");
  }
  int status(int own, std::string_view /*comments*/) const override { return own; }
  int failed_process(std::string_view comments) const override {
    return comments.find("launcher: process 1 failed") == std::string_view::npos ? -1 : 1;
  }
  std::string_view lost_host(std::string_view /*comments*/) const override { return {}; }
  std::string_view host_hung_up(std::string_view comments) const override {
    constexpr std::string_view hung_up = "launcher: hung up: ";
    const std::size_t at = comments.find(hung_up);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = comments.substr(at + hung_up.size());
    return rest.substr(0, rest.find('\n'));
  }
  std::string_view host_cut_off(std::string_view /*comments*/) const override { return {}; }
};

class kept_lines final : public output_sink {
 public:
  void line(int rank, bool /*standard_error*/, std::string_view text) override {
    ranks.push_back(rank);
    texts.emplace_back(text);
  }
  std::vector<int> ranks;
  std::vector<std::string> texts;
};

class told_lines_of_a_job : public testing::Test {
 protected:
  void say(std::string_view text) { lines_.line(-1, true, text); }

  made_up_manner manner_;
  job_map map_ = job_map::over({{"a", 2}, {"c", 1}}, 3, 1);
  kept_lines shown_;
  told_lines lines_{&manner_, map_, true, shown_};
};

using lines = std::vector<std::string>;

TEST_F(told_lines_of_a_job, carry_the_rank_that_printed_them) {
  say("<2> hello\n");
  say("nobody's\n");
  EXPECT_EQ(shown_.texts, (lines{"[2] hello\n", "nobody's\n"}));
  EXPECT_EQ(shown_.ranks, (std::vector{2, -1}));
}

TEST_F(told_lines_of_a_job, keep_what_the_launcher_says) {
  say("launcher: one of them has failed\n");
  EXPECT_TRUE(shown_.texts.empty());
  EXPECT_EQ(lines_.comments(), "launcher: one of them has failed\n");
}

TEST_F(told_lines_of_a_job, hold_a_death_back_until_it_is_old) {
  say("upwash: rank 2 died; job ended\n");
  lines_.show_held(duration::from_seconds(1000));
  EXPECT_TRUE(shown_.texts.empty());
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: rank 2 died; job ended\n"}));
  EXPECT_FALSE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, show_the_first_death_alone) {
  say("upwash: rank 1 died; job ended\n");
  say("upwash: rank 2 died; job ended\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: rank 1 died; job ended\n"}));
}

TEST_F(told_lines_of_a_job, prefer_a_lost_host_to_the_death_of_a_rank) {
  say("upwash: rank 2 died; job ended\n");
  say("upwash: host c, rank 2, is lost: it is silent; job ended\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: host c, rank 2, is lost: it is silent; job ended\n"}));
  EXPECT_TRUE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, name_the_first_host_that_the_launchers_host_has_lost) {
  const std::string first = "host c, rank 2, is lost: its connection has ended; job ended";
  lines_.put_right(first);
  lines_.show_held();
  EXPECT_TRUE(shown_.texts.empty());
  say("upwash: host b, rank 1, is lost: its connection has ended; job ended\n");
  lines_.put_right({});
  lines_.put_right(first);
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: " + first + "\n"}));
}

TEST_F(told_lines_of_a_job, name_the_host_to_which_connections_ended) {
  say("upwash: rank 1 died; job ended\n");
  say("launcher: hung up: c\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts,
            (lines{"upwash: host c, rank 2, is lost: its connection has ended; job ended\n"}));
  EXPECT_TRUE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, hold_back_a_host_whose_processes_the_launcher_may_have_ended) {
  say("upwash: host a, ranks 0 to 1, is lost: its connection has ended; job ended\n");
  lines_.show_held(duration::from_seconds(1000));
  EXPECT_TRUE(shown_.texts.empty());
  EXPECT_FALSE(lines_.said_lost());
  lines_.show_held();
  EXPECT_EQ(
      shown_.texts,
      (lines{"upwash: host a, ranks 0 to 1, is lost: its connection has ended; job ended\n"}));
  EXPECT_TRUE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, keep_a_death_before_the_end_of_connections_to_its_host_alone) {
  say("upwash: rank 1 died; job ended\n");
  say("upwash: host a, ranks 0 to 1, is lost: its connection has ended; job ended\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: rank 1 died; job ended\n"}));
}

TEST_F(told_lines_of_a_job, prefer_the_end_of_connections_to_another_host) {
  say("upwash: rank 1 died; job ended\n");
  say("upwash: host c, rank 2, is lost: its connection has ended; job ended\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts,
            (lines{"upwash: host c, rank 2, is lost: its connection has ended; job ended\n"}));
}

TEST_F(told_lines_of_a_job, prefer_the_death_that_the_launcher_knows_of) {
  say("upwash: rank 1 died; job ended\n");
  say("upwash: host c, rank 2, is lost: its connection has ended; job ended\n");
  say("launcher: process 1 failed\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: rank 1 died; job ended\n"}));
  EXPECT_FALSE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, prefer_that_death_also_behind_the_end_of_connections) {
  say("upwash: host c, rank 2, is lost: its connection has ended; job ended\n");
  say("upwash: rank 1 died; job ended\n");
  say("launcher: process 1 failed\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: rank 1 died; job ended\n"}));
}

TEST_F(told_lines_of_a_job, leave_the_reason_to_a_launcher_that_names_a_process) {
  say("upwash: host c, rank 2, is lost: its connection has ended; job ended\n");
  say("launcher: process 1 failed\n");
  lines_.show_held();
  EXPECT_TRUE(shown_.texts.empty());
  EXPECT_FALSE(lines_.said_why());
  EXPECT_FALSE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, leave_it_to_that_launcher_where_others_tell_of_deaths_elsewhere) {
  say("upwash: rank 2 died; job ended\n");
  say("launcher: process 1 failed\n");
  lines_.show_held();
  EXPECT_TRUE(shown_.texts.empty());
  EXPECT_FALSE(lines_.said_why());
}

TEST_F(told_lines_of_a_job, keep_the_death_of_a_rank_of_that_host_itself) {
  say("upwash: rank 2 died; job ended\n");
  say("launcher: hung up: c\n");
  lines_.show_held();
  EXPECT_EQ(shown_.texts, (lines{"upwash: rank 2 died; job ended\n"}));
  EXPECT_FALSE(lines_.said_lost());
}

TEST_F(told_lines_of_a_job, name_hosts_with_their_ranks) {
  EXPECT_EQ(lines_.host_named("a"), "host a, ranks 0 to 1,");
  EXPECT_EQ(lines_.host_named("c"), "host c, rank 2,");
  EXPECT_EQ(lines_.host_named("elsewhere"), "host elsewhere");
}

TEST_F(told_lines_of_a_job, take_no_stopped_process_for_the_reason) {
  say("upwash: rank 1 is stopped; kill -CONT 7 lets it go on\n");
  EXPECT_FALSE(lines_.said_why());
  say("upwash: rank 1: out of luck; job ended\n");
  EXPECT_TRUE(lines_.said_why());
  EXPECT_TRUE(lines_.said_end());
}

}  // namespace
}  // namespace upwash::launch::detail
