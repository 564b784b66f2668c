// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"

namespace {

using namespace upwash;

std::string message_of(const std::string& text) {
  try {
    (void)parse_machine(text, "m.json");
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error_kind::configuration);
    EXPECT_EQ(e.exit_status(), 2);
    return e.what();
  }
  return "no error";
}

constexpr const char* good = R"({
  "name": "two",
  "levels": [
    {
      "level": "node",
      "ranks": { "value": 4, "source": "s" }
    },
    {
      "level": "network",
      "o_send": { "value": 300, "unit": "ns", "source": "s" },
      "o_receive": { "value": 0.4, "unit": "us", "source": "s" },
      "loggp": {
        "L": { "value": 1, "unit": "us", "source": "s" },
        "g": { "value": 100, "unit": "ns", "source": "s" },
        "G": { "value": 0.5, "unit": "ns/B", "source": "s" }
      }
    }
  ],
  "processor": {
    "copy": { "value": 0.1, "unit": "ns/B", "source": "s" }
  }
})";

/// `good` with the first `from` replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = good;
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(machine, good_file_is_read) {
  const machine m = parse_machine(good, "m.json");
  EXPECT_EQ(m.name, "two");
  ASSERT_EQ(m.levels.size(), 2U);
  EXPECT_EQ(m.levels[0].ranks, 4);
  EXPECT_EQ(m.levels[1].send_overhead, duration::from_ns(300));
  EXPECT_EQ(m.levels[1].receive_overhead, duration::from_ns(400));
  EXPECT_EQ(m.levels[1].loggp->latency, duration::from_us(1));
  EXPECT_DOUBLE_EQ(m.levels[1].loggp->gap_ns_per_byte, 0.5);
  EXPECT_DOUBLE_EQ(*m.processor.copy_ns_per_byte, 0.1);
  EXPECT_FALSE(m.processor.handler.has_value());
  EXPECT_EQ(m.ranks_in(level_kind::node), 4);
  EXPECT_EQ(m.ranks_in(level_kind::socket), 4) << "no sockets: those of the node";
  EXPECT_EQ(m.ranks_in(level_kind::network), INT_MAX);
  EXPECT_EQ(m.level_between(0, 1), 1U) << "a level without costs takes those further out";
}

TEST(machine, malformed_json_names_file_and_line) {
  EXPECT_EQ(message_of("{\n  \"name\": \"x\",\n  \"levels\": [}\n"),
            "m.json, line 3: not JSON: syntax error while parsing value - unexpected '}'; expected "
            "'[', '{', or a literal");
  EXPECT_EQ(message_of("{\"name\": \"x\",\n\"name\": \"y\"}"),
            "m.json, line 2: the key \"name\" stands twice");
  EXPECT_EQ(message_of("3"), "m.json, line 1: the file: expected an object, got 3");
}

TEST(machine, wrong_value_names_line_key_and_what_is_valid) {
  EXPECT_EQ(message_of(with("\"value\": 300", "\"value\": -300")),
            "m.json, line 10: levels[1].o_send.value: -300 is out of range: 0 to 1e15");
  EXPECT_EQ(message_of(with("\"value\": 300", "\"value\": \"fast\"")),
            "m.json, line 10: levels[1].o_send.value: expected a number, got \"fast\"");
  EXPECT_EQ(message_of(with("\"unit\": \"ns/B\"", "\"unit\": \"GB/s\"")),
            "m.json, line 15: levels[1].loggp.G.unit: \"GB/s\" is not one of: ns/B, us/B, ps/B");
  EXPECT_EQ(message_of(with("\"value\": 4,", "\"value\": 2.5,")),
            "m.json, line 6: levels[0].ranks.value: 2.5 is not a count: 1, 2, ...");
  EXPECT_EQ(message_of(with("\"level\": \"node\"", "\"level\": \"rack\"")),
            "m.json, line 5: levels[0].level: \"rack\" is not one of: core, cache, socket, node, "
            "group, network");
  EXPECT_EQ(message_of(with("{ \"value\": 300, \"unit\": \"ns\", \"source\": \"s\" }", "300")),
            "m.json, line 10: levels[1].o_send: expected an object, got 300");
}

TEST(machine, missing_key_names_where) {
  EXPECT_EQ(message_of(with("{ \"value\": 300, \"unit\": \"ns\", \"source\": \"s\" }",
                            "{ \"value\": 300, \"unit\": \"ns\" }")),
            "m.json, line 10: levels[1].o_send: the key source is missing");
  EXPECT_EQ(message_of(with("\"g\": { \"value\": 100, \"unit\": \"ns\", \"source\": \"s\" },", "")),
            "m.json, line 12: levels[1].loggp: the key g is missing");
  EXPECT_EQ(message_of("{\"name\": \"x\"}"), "m.json, line 1: the file: the key levels is missing");
}

TEST(machine, unknown_key_names_the_nearest) {
  const std::string seen = message_of(with("\"o_send\"", "\"o_sent\""));
  EXPECT_EQ(seen,
            "m.json, line 10: levels[1].o_sent: unknown key, did you mean o_send?; valid: level, "
            "ranks, o_send, o_receive, o_send_per_byte, o_receive_per_byte, loggp, alpha_beta");
}

TEST(machine, levels_go_from_inside_out) {
  EXPECT_EQ(message_of(with("\"level\": \"network\"", "\"level\": \"socket\"")),
            "m.json, line 9: levels[1].level: levels go from inside out: core, cache, socket, "
            "node, group, network");
  EXPECT_EQ(message_of(with("\"level\": \"network\",",
                            "\"level\": \"network\",\n"
                            "      \"ranks\": { \"value\": 8, \"source\": \"s\" },")),
            "m.json, line 10: levels[1].ranks: the outermost level holds all ranks; leave the key "
            "out");
}

TEST(machine, pieces_must_fit_their_rule) {
  const auto file = [](const char* rule, int first, int second) {
    const std::string value = R"({ "value": 1, "unit": "us", "source": "s" })";
    const std::string beta = R"({ "value": 1, "unit": "ns/B", "source": "s" })";
    const auto piece = [&](int from) {
      return "{\"from_bytes\": " + std::to_string(from) + ", \"alpha\": " + value +
             ", \"beta\": " + beta + "}";
    };
    return std::string(R"({"name": "x", "levels": [{"level": "network", "alpha_beta": )") +
           "{\"combine\": \"" + rule + "\", \"pieces\": [\n" + piece(first) + ",\n" +
           piece(second) + "]}}]}";
  };
  EXPECT_EQ(message_of(file("by_size", 0, 100)), "no error");
  EXPECT_EQ(message_of(file("maximum", 0, 0)), "no error");
  EXPECT_EQ(message_of(file("by_size", 8, 100)),
            "m.json, line 2: levels[0].alpha_beta.pieces[0].from_bytes: the first piece starts at "
            "0 and each later one further up");
  EXPECT_EQ(message_of(file("by_size", 0, 0)),
            "m.json, line 3: levels[0].alpha_beta.pieces[1].from_bytes: the first piece starts at "
            "0 and each later one further up");
  EXPECT_EQ(message_of(file("maximum", 0, 5)),
            "m.json, line 3: levels[0].alpha_beta.pieces[1].from_bytes: all pieces of a maximum "
            "start at 0");
}

TEST(machine, no_damage_to_a_file_gets_past_the_reader) {
  const std::string text = good;
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(message_of(text.substr(0, length)), "no error") << length;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char wrong : {'\0', '"', '}', '9', '-'}) {
      std::string damaged = text;
      damaged[at] = wrong;
      (void)message_of(damaged);  // an error of kind configuration, or a file that is still right
    }
  }
}

TEST(machine, needed_field_that_is_absent_is_named) {
  const machine m = parse_machine(good, "m.json");
  EXPECT_DOUBLE_EQ(needed(m, m.processor.copy_ns_per_byte, "processor.copy", "copying"), 0.1);
  try {
    (void)needed(m, m.processor.handler, "processor.handler", "the pricer");
    FAIL();
  } catch (const error& e) {
    EXPECT_STREQ(e.what(),
                 "machine two has no processor.handler, which the pricer needs; add it to m.json");
  }
}

TEST(machine, every_file_of_the_project_loads) {
  const std::vector<std::string> expected = {"edr",    "ethernet", "frontera", "infiniband",
                                             "laptop", "lemieux",  "summit",   "tungsten"};
  const std::vector<std::string> known = known_machines();
  for (const std::string& name : expected) {
    EXPECT_TRUE(std::find(known.begin(), known.end(), name) != known.end()) << name;
    const machine m = load_machine(name);
    EXPECT_EQ(m.name, name);
    EXPECT_TRUE(m.levels.back().has_costs());
  }
}

TEST(machine, variants_have_fewer_ranks_on_a_node) {
  const machine whole = load_machine("edr");
  const machine one = load_machine("edr:ranks_a_node=1");
  EXPECT_EQ(one.name, "edr:ranks_a_node=1");
  EXPECT_EQ(one.levels.size(), 1U);
  EXPECT_EQ(one.ranks_in(level_kind::node), 1);
  EXPECT_EQ(one.level_between(0, 1), 0U);
  EXPECT_EQ(one.levels.back().loggp->latency, whole.levels.back().loggp->latency);
  const machine some = load_machine("edr:ranks_a_node=30");
  EXPECT_EQ(some.ranks_in(level_kind::node), 30);
  EXPECT_EQ(some.ranks_in(level_kind::socket), 20);
  EXPECT_EQ(load_machine("edr:ranks_a_node=4").ranks_in(level_kind::socket), 4);
  for (const char* wrong : {"edr:ranks_a_node=0", "edr:ranks_a_node=41", "edr:ranks_a_node=1x",
                            "edr:ranks_a_node=", "laptop:ranks_a_node=1"}) {
    EXPECT_THROW((void)load_machine(wrong), error) << wrong;
  }
}

TEST(machine, variants_have_more_ranks_a_core) {
  const machine eight = load_machine("lemieux:ranks_a_core=8");
  EXPECT_EQ(eight.name, "lemieux:ranks_a_core=8");
  EXPECT_EQ(eight.ranks_in(level_kind::node), 32);
  EXPECT_EQ(load_machine("edr:ranks_a_core=2").ranks_in(level_kind::socket), 40);
  EXPECT_EQ(load_machine("lemieux:ranks_a_core=1").ranks_in(level_kind::node), 4);
  const machine one = load_machine("lemieux:ranks_a_node=1:ranks_a_core=8");
  EXPECT_EQ(one.ranks_in(level_kind::node), 8);
  EXPECT_EQ(one.level_between(0, 7), one.level_between(0, 8)) << "between two ranks of a node";
  for (const char* wrong : {"edr:ranks_a_core=0", "edr:ranks_a_core=10000", "edr:ranks_a_core=x",
                            "laptop:ranks_a_core=2"}) {
    EXPECT_THROW(static_cast<void>(load_machine(wrong)), error) << wrong;
  }
}

TEST(machine, variants_have_a_communication_thread_or_none) {
  EXPECT_FALSE(load_machine("summit").processor.communication_thread);
  const machine with = load_machine("summit:ranks_a_node=2:communication_thread=1");
  EXPECT_TRUE(with.processor.communication_thread);
  EXPECT_EQ(with.name, "summit:ranks_a_node=2:communication_thread=1");
  EXPECT_EQ(with.ranks_in(level_kind::node), 2);
  EXPECT_FALSE(
      load_machine("summit:communication_thread=0:ranks_a_node=2").processor.communication_thread);
  for (const char* wrong : {"summit:communication_thread=2", "summit:communication_thread=",
                            "summit:communication_thread", "summit:threads=1"}) {
    EXPECT_THROW((void)load_machine(wrong), error) << wrong;
  }
}

TEST(machine, unknown_name_lists_the_known_and_the_nearest) {
  try {
    (void)load_machine("lemiux");
    FAIL();
  } catch (const error& e) {
    const std::string what = e.what();
    EXPECT_EQ(e.kind(), error_kind::configuration);
    EXPECT_NE(what.find("unknown machine \"lemiux\"; did you mean lemieux?"), what.npos) << what;
    EXPECT_NE(what.find(" tungsten"), what.npos) << what;
  }
  EXPECT_THROW((void)load_machine("/no/such/machine.json"), error);
  EXPECT_THROW((void)load_machine("/"), error);
}

TEST(machine, path_and_config_folder_are_searched) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "upwash_machine_test";
  fs::create_directories(folder / "upwash/machines");
  std::ofstream(folder / "upwash/machines/mine.json") << good;
  EXPECT_EQ(load_machine((folder / "upwash/machines/mine.json").string()).name, "two");
  const char* before = std::getenv("XDG_CONFIG_HOME");
  const std::string saved = before == nullptr ? "" : before;
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  EXPECT_EQ(load_machine("mine").name, "two");
  before == nullptr ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", saved.c_str(), 1);
  fs::remove_all(folder);
}

}  // namespace
