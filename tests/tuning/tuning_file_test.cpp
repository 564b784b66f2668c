// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/tuning_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/tuning/findings.hpp"
#include "upwash/base/error.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;
using tests::here;
namespace fs = std::filesystem;

class tuning_file : public testing::Test {
 protected:
  tuning_file() {
    known.add(tests::all_to_all_finding(16, 512));
    known.add(tests::all_to_all_finding(16, 4096));
    known.add(tests::updates_note(32));
    known.add(tests::updates_note(64));
    known.add(price_note{0xab, "broadcast", {7, 0}, {{"flat", 12}, {"chain", std::nullopt}}});
    char name[] = "/tmp/upwash-tuning-XXXXXX";
    folder = mkdtemp(name);
    path = folder + "/deep/er/tuning.json";
  }
  ~tuning_file() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  [[nodiscard]] knowledge parse(const std::string& text) const {
    return parse_tuning(text, "t.json", here, algorithms);
  }
  /// What parsing says; "accepted" where it says nothing.
  [[nodiscard]] std::string refusal(const std::string& text) const {
    try {
      static_cast<void>(parse(text));
    } catch (const error& wrong) {
      EXPECT_EQ(wrong.kind(), error_kind::configuration);
      return wrong.what();
    }
    return "accepted";
  }
  /// The good text with one place changed.
  [[nodiscard]] std::string with(const std::string& old, const std::string& fresh) const {
    std::string text = text_of(known, here);
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return text.replace(at, old.size(), fresh);
  }
  void write(const std::string& text) const {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::string on_disk() const { return read_tuning_text(path).value_or("nothing"); }

  collective::registry algorithms = tests::all_algorithms();
  knowledge known;
  std::string folder;
  std::string path;
};

}  // namespace

TEST_F(tuning_file, is_read_as_it_was_written) {
  EXPECT_EQ(parse(text_of(known, here)), known);
  EXPECT_EQ(parse(text_of({}, here)), knowledge());
  constexpr std::uint64_t seed = 7;
  random_stream draw(seed, 1);
  for (int i = 0; i < 100; ++i) {
    const knowledge one = tests::random_knowledge(draw);
    EXPECT_EQ(parse(text_of(one, here)), one) << "seed " << seed << ", round " << i;
  }
}

TEST_F(tuning_file, is_refused_by_what_is_wrong) {
  EXPECT_EQ(refusal(with("\"shm\"", "\"sim\"")),
            "t.json: conduit: found on \"sim\", this is \"shm\"");
  EXPECT_EQ(refusal(with("a machine", "another")),
            "t.json: machine: found on \"another\", this is \"a machine\"");
  EXPECT_EQ(refusal(with("\"version\": 1", "\"version\": 2")),
            "t.json: version: 1 is wanted; the file is of another upwash");
  EXPECT_NE(refusal(with("\"upwash\": \"", "\"upwash\": \"9")).find("t.json: upwash: found on \"9"),
            std::string::npos);
  EXPECT_EQ(refusal("{}"), "t.json: no tuning file: \"schema\": \"upwash-tuning\" is missing");
  EXPECT_EQ(refusal("[]"), "t.json: no tuning file: \"schema\": \"upwash-tuning\" is missing");
  EXPECT_EQ(refusal("").substr(0, 16), "t.json: damaged:");
  EXPECT_EQ(refusal(with("\"ranks\": 16", "\"ranks\": 0")),
            "t.json: findings[0]: ranks: 0 is no whole number of 1 .. 2147483647");
  EXPECT_EQ(refusal(with("\"ranks\": 16", "\"ranks\": 1.5")),
            "t.json: findings[0]: ranks: 1.5 is no whole number of 1 .. 2147483647");
  EXPECT_EQ(refusal(with("\"ranks\": 16", "\"ranks\": -1")),
            "t.json: findings[0]: ranks: -1 is no whole number of 1 .. 2147483647");
  EXPECT_EQ(refusal(with("900.25", "-1")),
            "t.json: findings[0]: results[0]: ns: -1 is not in 0 .. 1e18");
  EXPECT_EQ(refusal(with("\"near\"", "\"disturbed\"")),
            "t.json: findings[0]: placement: \"disturbed\" is none of near, far, shared, apart, "
            "simulated");
  EXPECT_EQ(refusal(with("\"overlapped\": false", "\"overlaped\": false")),
            "t.json: findings[0]: overlaped: unknown key");
  EXPECT_EQ(refusal(with("\"ranks\": 16,", "")), "t.json: findings[0]: ranks: is missing");
  EXPECT_EQ(refusal(with("\"ranks\": 16,", "\"ranks\": 16, \"ranks\": 16,")),
            "t.json: \"ranks\": is there twice");
  EXPECT_EQ(refusal(with("\"direct\"", "\"bruck:k=2\"")),
            "t.json: findings[0]: results[1]: algorithm: bruck:k=2 is there twice");
  EXPECT_EQ(refusal(with("\"bytes\": 4096", "\"bytes\": 512")),
            "t.json: findings[1]: its situation is there twice");
  EXPECT_EQ(refusal(with("bruck:k=2", "bruck:k=1")),
            "t.json: findings[0]: results[0]: algorithm: bruck: k=1 is not in 2 .. 64 (radix: in "
            "each round to k - 1 ranks)");
  EXPECT_NE(refusal(with("all_to_all", "all_to_none")).find("unknown collective \"all_to_none\""),
            std::string::npos);
}

TEST_F(tuning_file, may_say_something_of_streams) {
  knowledge without;
  without.add(tests::all_to_all_finding(16, 512));
  EXPECT_EQ(text_of(without, here).find("streams"), std::string::npos);  // as it always was
  EXPECT_EQ(refusal(with("\"dimensions\": 2", "\"dimensions\": 5")),
            "t.json: streams[0]: dimensions: 5 is no whole number of 1 .. 4");
  EXPECT_EQ(refusal(with("\"label\": \"updates\"", "\"label\": 7")),
            "t.json: streams[0]: label: a text is wanted, not 7");
  EXPECT_EQ(refusal(with("1000.5", "-2")), "t.json: streams[0]: items: -2 is not in 0 .. 1e18");
  EXPECT_EQ(refusal(with("\"ranks\": 64", "\"ranks\": 32")),
            "t.json: streams[1]: its kind is there twice");
  EXPECT_EQ(refusal(with("\"streams\"", "\"strems\"")), "t.json: strems: unknown key");
  EXPECT_EQ(refusal(with("\"items\"", "\"itms\"")), "t.json: streams[0]: itms: unknown key");
}

TEST_F(tuning_file, survives_nesting_without_end) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(refusal(deep), "t.json: nested too deep");
  EXPECT_EQ(refusal(with("\"ranks\": 16", "\"ranks\": " + deep)), "t.json: nested too deep");
}

TEST_F(tuning_file, damaged_anywhere_is_refused_or_means_the_same_kind_of_thing) {
  constexpr std::uint64_t seed = 31;
  SCOPED_TRACE(seed);
  const std::string good = text_of(known, here);
  random_stream draw(seed, 2);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (std::uint64_t n = 1 + draw.below(3); n > 0; --n) {
      const std::size_t at = draw.below(text.size());
      switch (draw.below(3)) {
        case 0: text[at] = static_cast<char>(draw.below(256)); break;
        case 1: text.erase(at, 1 + draw.below(20)); break;
        default: text.insert(at, 1, static_cast<char>(draw.below(256)));
      }
    }
    try {
      const knowledge read = parse(text);
      EXPECT_EQ(parse(text_of(read, here)), read);  // what is accepted is whole
    } catch (const error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 3000);
  for (std::size_t length = 0; length + 1 < good.size(); ++length) {
    EXPECT_NE(refusal(good.substr(0, length)), "accepted") << length;
  }
}

TEST_F(tuning_file, grows_by_what_is_added_and_makes_its_folders) {
  add_to_file(path, known, here, algorithms);
  EXPECT_EQ(parse(on_disk()), known);
  knowledge more;
  more.add(tests::all_to_all_finding(4, 64));
  add_to_file(path, more, here, algorithms);
  more.merge(known);
  EXPECT_EQ(parse(on_disk()), more);
  const auto files = fs::directory_iterator(fs::path(path).parent_path());
  EXPECT_EQ(std::distance(fs::begin(files), fs::end(files)), 1);  // no lock is left, nothing new
}

TEST_F(tuning_file, behind_a_link_is_changed_and_the_link_stays) {
  const std::string link = folder + "/link.json";
  fs::create_symlink("deep/er/tuning.json", link);
  fs::create_directories(fs::path(path).parent_path());
  add_to_file(link, known, here, algorithms);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
  EXPECT_EQ(parse(on_disk()), known);
}

TEST_F(tuning_file, that_is_a_fifo_stays_one) {
  fs::create_directories(fs::path(path).parent_path());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(add_to_file(path, known, here, algorithms), error);
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_FALSE(fs::exists(path + ".lock"));
}

TEST_F(tuning_file, that_is_not_ours_stays_as_it_is) {
  for (const std::string& text : {std::string("{ damaged"), with("a machine", "another")}) {
    write(text);
    try {
      add_to_file(path, known, here, algorithms);
      FAIL();
    } catch (const error& wrong) {
      EXPECT_EQ(wrong.kind(), error_kind::configuration);
      EXPECT_NE(std::string(wrong.what()).find("it is left as it is"), std::string::npos);
    }
    EXPECT_EQ(on_disk(), text);
  }
}

TEST_F(tuning_file, that_cannot_be_written_is_named) {
  fs::create_directories(path);  // a folder stands in its place
  EXPECT_THROW(add_to_file(path, known, here, algorithms), error);
  EXPECT_THROW(add_to_file("/dev/null/tuning.json", known, here, algorithms), error);
}

TEST_F(tuning_file, loses_nothing_when_many_write_at_once) {
  constexpr int writers = 6;
  for (int i = 0; i < writers; ++i) {
    if (fork() != 0) continue;
    for (int n = 0; n < 5; ++n) {
      knowledge mine;
      mine.add(tests::all_to_all_finding(1 + i, std::uint64_t{8} << n));
      add_to_file(path, mine, here, algorithms);
      static_cast<void>(parse_tuning(*read_tuning_text(path), path, here, algorithms));
    }
    _exit(0);
  }
  for (int i = 0; i < writers; ++i) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(parse(on_disk()).findings().size(), writers * 5U);
}

TEST_F(tuning_file, says_where_prices_are_wrong) {
  EXPECT_EQ(refusal(with("\"class\": \"7 0\"", "\"class\": \"7 x\"")),
            "t.json: prices[0]: class: \"x\" is no hexadecimal number");
  EXPECT_EQ(refusal(with("\"build\": \"ab\"", "\"build\": \"\"")),
            "t.json: prices[0]: build: \"\" is no hexadecimal number");
  EXPECT_EQ(refusal(with("\"ps\": 12", "\"ps\": -12")),
            "t.json: prices[0]: candidates[0]: ps: -12 is no whole number of 0 .. "
            "9223372036854775807");
  EXPECT_EQ(refusal(with("\"ps\": 12", "\"us\": 12")),
            "t.json: prices[0]: candidates[0]: us: unknown key");
  EXPECT_EQ(refusal(with("\"prices\": [", R"("prices": [{"build": "ab", "collective": "reduce",
      "class": "7 0", "candidates": []},)")),
            "t.json: prices[1]: its class is there twice");
}

TEST_F(tuning_file, drops_prices_of_other_builds_where_there_are_many) {
  const auto add = [&](std::uint64_t build, std::uint64_t classes) {
    knowledge more;
    for (std::uint64_t i = 0; i < classes; ++i) more.add(price_note{build, "reduce", {i}, {}});
    add_to_file(path, more, here, algorithms);
    return parse(on_disk()).prices().size();
  };
  EXPECT_EQ(add(1, 200), 200U);
  EXPECT_EQ(add(2, 800), 1000U);
  EXPECT_EQ(add(3, 30), 30U);
  EXPECT_EQ(add(3, 2000), 2000U);
}

TEST_F(tuning_file, is_looked_for_where_the_knob_says) {
  EXPECT_EQ(find_tuning_file("none", "shm").path, "");
  EXPECT_EQ(find_tuning_file("x/y.json", "shm").path, "x/y.json");
  EXPECT_TRUE(find_tuning_file("x/y.json", "shm").asked);
  EXPECT_EQ(find_tuning_file("", "no-such-conduit").path, "");
  EXPECT_EQ(tuning_name("shm", ""), "shm");
  EXPECT_EQ(tuning_name("sim", "a/lemieux.json"), "sim-lemieux");
}

TEST(fingerprint, is_the_same_every_time_and_names_the_cores) {
  const std::string one = machine_fingerprint();
  EXPECT_EQ(one, machine_fingerprint());
  EXPECT_NE(one.find(" cores, "), std::string::npos);
}
