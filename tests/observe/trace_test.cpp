// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is written into a trace is read from it; what was damaged, cut or foreign is told.
#include "upwash/observe/trace_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::observe {
namespace {

namespace files = std::filesystem;

class trace_files : public testing::Test {
 protected:
  trace_files() {
    std::string made = (files::temp_directory_path() / "upwash-trace-XXXXXX").string();
    folder_ = mkdtemp(made.data());
    files::create_directories(parts_folder(file()));
  }
  ~trace_files() override { files::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return (folder_ / "trace").string(); }
  [[nodiscard]] std::string part(int rank) const {
    return parts_folder(file()) + "/" + std::to_string(rank);
  }
  /// A rank that writes so many sends, each a nanosecond after the one before.
  void write(int rank, int ranks, int events, std::size_t most_bytes = 1 << 20) {
    trace_writer out(part(rank), {.rank = rank, .ranks = ranks, .virtual_time = true}, most_bytes,
                     1 << 16);
    for (int i = 0; i < events; ++i) {
      out.next() = {.begin_ps = 1000 * i,
                    .bytes = static_cast<std::uint64_t>(i),
                    .peer = (rank + 1) % ranks,
                    .number = static_cast<std::uint32_t>(i),
                    .name = out.name(i % 2 == 0 ? "even" : "odd", "way", {"a/file.cpp", 7}),
                    .kind = trace_kind::send};
    }
    out.close();
  }
  [[nodiscard]] static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void set_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  files::path folder_;
};

TEST_F(trace_files, behind_a_link_are_replaced_and_the_link_stays) {
  write(0, 1, 3);
  set_bytes((folder_ / "old").string(), "an older trace");
  files::create_symlink("old", file());
  merge_parts(file());
  EXPECT_TRUE(files::is_symlink(file()));
  EXPECT_TRUE(files::is_regular_file(files::symlink_status(folder_ / "old")));
  EXPECT_EQ(read_trace(file()).size(), 1);
  EXPECT_FALSE(files::exists(parts_folder(file())));
}

TEST_F(trace_files, are_refused_where_a_fifo_is) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_THROW(trace_claim{file()}, error);
  EXPECT_TRUE(files::is_fifo(file()));
  write(0, 1, 3);
  merge_parts(file());  // nobody reads: a warning
  EXPECT_TRUE(files::is_fifo(file()));
  EXPECT_EQ(read_trace(parts_folder(file())).size(), 1);
}

TEST_F(trace_files, are_claimed_by_one_job_at_a_time) {
  write(0, 1, 3);
  {
    const trace_claim first(file());
    EXPECT_FALSE(files::exists(part(0)));  // an earlier job's
    write(0, 1, 3);
    EXPECT_THROW(trace_claim{file()}, error);
    EXPECT_TRUE(files::exists(part(0)));
    merge_parts(file());
    const trace_claim next(file());
    EXPECT_TRUE(files::exists(parts_folder(file())));
  }
  EXPECT_FALSE(files::exists(parts_folder(file())));
}

TEST_F(trace_files, are_read_as_they_were_written) {
  for (int rank = 0; rank < 3; ++rank) write(rank, 3, 100 + rank);
  for (const bool merged : {false, true}) {
    if (merged) merge_parts(file());
    const trace all = read_trace(file());
    EXPECT_EQ(all.faults, std::vector<std::string>{});
    ASSERT_EQ(all.ranks.size(), 3U);
    for (int rank = 0; rank < 3; ++rank) {
      const traced_rank& one = all.ranks[static_cast<std::size_t>(rank)];
      ASSERT_EQ(one.events.size(), 100U + static_cast<unsigned>(rank));
      for (std::size_t i = 0; i < one.events.size(); ++i) {
        EXPECT_EQ(one.events[i].begin_ps, 1000 * static_cast<std::int64_t>(i));
        EXPECT_EQ(one.events[i].bytes, i);
        EXPECT_EQ(one.events[i].peer, (rank + 1) % 3);
        EXPECT_EQ(one.name_of(one.events[i]),
                  i % 2 == 0 ? "even way at file.cpp:7" : "odd way at file.cpp:7");
      }
    }
  }
  EXPECT_FALSE(files::exists(parts_folder(file())));
}

TEST_F(trace_files, keep_the_last_events_where_there_is_no_room_for_all) {
  constexpr int events = 100'000;
  write(0, 1, events, 200'000);
  merge_parts(file());
  const trace all = read_trace(file());
  const traced_rank& one = all.ranks.at(0);
  ASSERT_GT(one.events.size(), 1000U);
  ASSERT_LT(one.events.size() * sizeof(trace_event), 300'000U);
  EXPECT_EQ(one.overwritten + one.events.size(), static_cast<std::size_t>(events));
  // In their order, without a hole, up to the last.
  for (std::size_t i = 0; i < one.events.size(); ++i) {
    ASSERT_EQ(one.events[i].number, one.overwritten + i);
  }
}

TEST_F(trace_files, of_a_rank_that_was_killed_have_what_it_wrote) {
  {
    trace_writer out(part(0), {.rank = 0, .ranks = 2, .virtual_time = true}, 1 << 20, 1 << 16);
    for (int i = 0; i < 10; ++i) out.next() = {.begin_ps = i, .peer = 1};
  }
  write(1, 2, 5);
  const trace all = read_trace(file());
  EXPECT_EQ(all.ranks.at(0).events.size(), 10U);
  EXPECT_EQ(all.ranks.at(1).events.size(), 5U);
  EXPECT_EQ(all.faults,
            std::vector<std::string>{"rank 0: the rank did not end its job in good order"});
}

TEST_F(trace_files, leave_alone_what_is_no_part) {
  const std::string foreign = parts_folder(file()) + "/thesis.txt";
  set_bytes(foreign, "years of work");
  forget_parts(file());
  EXPECT_EQ(bytes_of(foreign), "years of work");
  write(0, 1, 10);
  EXPECT_EQ(read_trace(parts_folder(file())).faults, std::vector<std::string>{});
  merge_parts(file());
  EXPECT_EQ(bytes_of(foreign), "years of work");
  EXPECT_FALSE(files::exists(part(0)));
  EXPECT_EQ(read_trace(file()).ranks.at(0).events.size(), 10U);
}

TEST_F(trace_files, that_are_cut_say_what_is_missing) {
  for (int rank = 0; rank < 2; ++rank) write(rank, 2, 1000);
  merge_parts(file());
  const std::string whole = bytes_of(file());
  for (std::size_t length = 16; length < whole.size(); length += 1 + length / 9) {
    set_bytes(file(), whole.substr(0, length));
    try {
      const trace all = read_trace(file());
      EXPECT_FALSE(all.faults.empty()) << length;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find("no trace"), std::string::npos) << e.what();
    }
  }
}

TEST_F(trace_files, of_anything_are_read_without_trust) {
  write(0, 2, 300);
  write(1, 2, 300);
  merge_parts(file());
  const std::string whole = bytes_of(file());
  random_stream random(7, 0);
  for (int turn = 0; turn < 300; ++turn) {
    std::string damaged = whole;
    for (int i = 0; i < 40; ++i) {
      // Heads, names and events get their share, which are of very different lengths.
      const std::size_t at = turn % 2 == 0 ? random.below(damaged.size()) : random.below(200);
      damaged[at] = static_cast<char>(random.below(256));
    }
    set_bytes(file(), damaged);
    try {
      const trace all = read_trace(file());
      for (const traced_rank& rank : all.ranks) {
        for (const trace_event& e : rank.events) {
          ASSERT_LT(e.peer, rank.head.ranks);
          ASSERT_FALSE(rank.names.empty());
          ASSERT_NE(rank.name_of(e).data(), nullptr);
        }
      }
    } catch (const error&) {
      continue;
    }
  }
}

TEST_F(trace_files, of_other_jobs_are_left_out) {
  write(0, 2, 10);
  write(1, 2, 10);
  write(2, 5, 10);
  files::copy_file(part(1), part(9));
  const trace all = read_trace(file());
  ASSERT_EQ(all.ranks.size(), 2U);
  EXPECT_EQ(all.faults, (std::vector<std::string>{"rank 1 of 2: left out: it is there twice",
                                                  "rank 2 of 5: left out: of another job"}));
}

TEST_F(trace_files, without_a_rank_name_it) {
  write(0, 4, 1);
  write(2, 4, 1);
  EXPECT_EQ(read_trace(file()).faults, std::vector<std::string>{"2 of 4 ranks have no part: 1, 3"});
}

TEST_F(trace_files, of_billions_of_ranks_are_not_counted_one_by_one) {
  write(0, std::numeric_limits<int>::max(), 1);
  EXPECT_EQ(read_trace(file()).faults,
            std::vector<std::string>{"2147483646 of 2147483647 ranks have no part: 1, 2, 3, 4, 5, "
                                     "6, 7, 8, 9, 10, ..."});
}

TEST_F(trace_files, beside_parts_of_another_run_are_told) {
  write(0, 1, 3);
  merge_parts(file());
  files::create_directories(parts_folder(file()));
  write(0, 2, 5);
  const trace all = read_trace(file());
  EXPECT_EQ(all.ranks.at(0).events.size(), 3U);
  const std::string parts = parts_folder(file());
  EXPECT_EQ(all.faults,
            std::vector<std::string>{parts + " holds another run, not put together: upwash trace " +
                                     parts + " shows it"});
}

TEST_F(trace_files, have_names_that_do_nothing_to_a_terminal) {
  write(0, 1, 3);
  std::string damaged = bytes_of(part(0));
  const std::string text = "\x1b[2J\x7f \xc3\xa4\n\t.";
  damaged.replace(trace_head::bytes, text.size(), text);
  trace_head head;
  std::memcpy(&head, damaged.data(), sizeof head);
  head.names_bytes = static_cast<std::uint32_t>(text.size());
  head.conduit.fill('x');
  std::memcpy(damaged.data(), &head, sizeof head);
  set_bytes(part(0), damaged);
  const traced_rank one = read_trace(file()).ranks.at(0);
  EXPECT_EQ(one.names.at(0), "?[2J? \xc3\xa4\n\t.");
  EXPECT_EQ(std::string(one.head.conduit.data()), std::string(one.head.conduit.size() - 1, 'x'));
}

TEST_F(trace_files, that_are_none_are_an_error) {
  set_bytes(file() + ".txt", "nothing of the kind");
  for (const std::string& path : {file() + ".txt", file() + ".missing"}) {
    try {
      static_cast<void>(read_trace(path));
      FAIL() << path;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find("no trace"), std::string::npos) << e.what();
    }
  }
}

TEST_F(trace_files, of_a_host_whose_clock_is_years_off_are_told) {
  for (int rank = 0; rank < 2; ++rank) {
    trace_writer out(part(rank), {.rank = rank, .ranks = 2}, 1 << 20, 1 << 16);
    out.next() = {.begin_ps = 5};
    out.close();
  }
  std::string bytes = bytes_of(part(1));
  trace_head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  head.epoch_ns = 0;
  head.host[0] = '?';
  std::memcpy(bytes.data(), &head, sizeof head);
  set_bytes(part(1), bytes);
  EXPECT_EQ(
      read_trace(file()).faults,
      std::vector<std::string>{"rank 1: its clock is more than a week off; it is left as it is"});
}

TEST_F(trace_files, that_cannot_be_made_are_an_error) {
  EXPECT_THROW(trace_writer("/nowhere/at/all", {}, 1 << 20, 1 << 16), error);
}

TEST_F(trace_files, have_more_names_than_a_table_first_holds) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back("name " + std::to_string(i));
  {
    trace_writer out(part(0), {.virtual_time = true}, 1 << 20, 1 << 16);
    for (int turn = 0; turn < 2; ++turn) {
      for (const std::string& each : texts) {
        out.next() = {.name = out.name(each.c_str(), nullptr, {})};
      }
    }
    out.close();
  }
  const trace all = read_trace(file());
  const traced_rank& one = all.ranks.at(0);
  ASSERT_EQ(one.events.size(), 2000U);
  for (std::size_t i = 0; i < 2000; ++i) EXPECT_EQ(one.name_of(one.events[i]), texts[i % 1000]);
}

TEST_F(trace_files, have_long_texts_up_to_half_of_the_room_for_names) {
  const std::string text(5000, 'x');
  std::vector<std::uint32_t> names;
  {
    trace_writer out(part(0), {.virtual_time = true}, 1 << 20, 1 << 16);
    for (int i = 0; i < 30; ++i) {
      names.push_back(out.long_text(text));
      out.next() = {.name = names.back(), .kind = trace_kind::choice};
    }
    out.next() = {.name = out.name("short", nullptr, {})};
    out.close();
  }
  const trace all = read_trace(file());
  const traced_rank& one = all.ranks.at(0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = one.name_of(one.events[i]);
    if (names[i] == 0) {
      EXPECT_EQ(name, "?");
    } else {
      EXPECT_EQ(name, text.substr(0, trace_writer::most_long_text));
      ++kept;
    }
  }
  EXPECT_EQ(kept, trace_head::name_room / 2 / trace_writer::most_long_text);
  EXPECT_EQ(one.name_of(one.events.back()), "short");
}

TEST_F(trace_files, of_an_older_version_are_read_and_of_a_newer_one_refused) {
  write(0, 1, 10);
  const std::string whole = bytes_of(part(0));
  for (const std::uint32_t version : {1U, trace_head::right_version + 1}) {
    std::string bytes = whole;
    trace_head head;
    std::memcpy(&head, bytes.data(), sizeof head);
    head.version = version;
    std::memcpy(bytes.data(), &head, sizeof head);
    set_bytes(part(0), bytes);
    if (version == 1) {
      EXPECT_EQ(read_trace(file()).ranks.at(0).events.size(), 10U);
    } else {
      EXPECT_THROW(static_cast<void>(read_trace(file())), error);
    }
  }
}

/// Two hosts whose clocks differ by far: a message never comes before it was sent.
TEST_F(trace_files, of_hosts_with_other_clocks_are_on_one) {
  const auto write_host = [&](int rank, std::int64_t ahead) {
    {
      trace_writer out(part(rank), {.rank = rank, .ranks = 2}, 1 << 20, 1 << 16);
      const auto event = [&](trace_kind kind, std::uint32_t number, std::int64_t at_us) {
        out.next() = {.begin_ps = at_us * 1'000'000 + ahead,
                      .peer = 1 - rank,
                      .number = number,
                      .kind = kind};
      };
      for (std::uint32_t i = 0; i < 5; ++i) {
        const std::int64_t at = 100 * static_cast<std::int64_t>(i) + 50;
        // Both send at once; each message takes 10 us.
        event(trace_kind::send, i, at);
        event(trace_kind::arrive, i, at + 10);
      }
      out.close();
    }
    // The same reading of the world's clock at both, so only `ahead` is wrong; another host's name.
    std::string bytes = bytes_of(part(rank));
    trace_head head;
    std::memcpy(&head, bytes.data(), sizeof head);
    head.epoch_ns = 0;
    head.zero_ps = 0;
    head.host = {};
    head.host[0] = static_cast<char>('a' + rank);
    std::memcpy(bytes.data(), &head, sizeof head);
    set_bytes(part(rank), bytes);
  };
  write_host(0, 0);
  write_host(1, 777'000'000);
  const trace all = read_trace(file());
  for (int rank = 0; rank < 2; ++rank) {
    const auto& mine = all.ranks.at(static_cast<std::size_t>(rank)).events;
    const auto& theirs = all.ranks.at(static_cast<std::size_t>(1 - rank)).events;
    for (std::size_t i = 0; i < mine.size(); i += 2) {
      EXPECT_EQ(theirs[i + 1].begin_ps - mine[i].begin_ps, 10'000'000) << rank << " " << i;
    }
  }
}

}  // namespace
}  // namespace upwash::observe
