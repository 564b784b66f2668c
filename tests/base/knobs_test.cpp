// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/knobs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "upwash/base/error.hpp"

namespace {

using upwash::knob_source;
using upwash::knob_type;
using upwash::settings;

/// Sets a variable for the life of a test.
class scoped_variable {
 public:
  scoped_variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~scoped_variable() { unsetenv(name_); }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;

 private:
  const char* name_;
};

class scoped_file {
 public:
  explicit scoped_file(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("upwash_knobs_" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << content;
  }
  ~scoped_file() { std::filesystem::remove(path_); }
  scoped_file(const scoped_file&) = delete;
  scoped_file& operator=(const scoped_file&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

upwash::knob_table example_table() {
  constexpr std::array rows{
      upwash::knob{"ring_slots", knob_type::integer, "64", "Slots of a ring"},
      upwash::knob{"segment", knob_type::bytes, "8k", "Bytes of a segment"},
      upwash::knob{"patience", knob_type::time, "50us", "How long to spin"},
      upwash::knob{"checked", knob_type::flag, "0", "Check calls"},
      upwash::knob{.name = "waiting",
                   .type = knob_type::choice,
                   .fallback = "auto",
                   .doc = "How to wait",
                   .choices = "auto|spin|yield"},
  };
  upwash::knob_table table;
  upwash::base_knobs(table);
  table.add(rows);
  return table;
}

/// What the error says; fails the test when there is none.
template <class Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const upwash::error& failure) {
    EXPECT_EQ(failure.exit_status(), 2);
    return failure.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

class knobs : public testing::Test {
 private:
  scoped_variable no_file_{"UPWASH_CONFIG", ""};
};

TEST_F(knobs, defaults_are_typed) {
  const auto values = settings::defaults(example_table());
  EXPECT_EQ(values.integer("ring_slots"), 64);
  EXPECT_EQ(values.bytes("segment"), 8192U);
  EXPECT_EQ(values.time("patience"), upwash::duration::from_us(50));
  EXPECT_FALSE(values.flag("checked"));
  EXPECT_EQ(values.text("waiting"), "auto");
  EXPECT_EQ(values.text("log"), "warning");
  EXPECT_EQ(values.source("segment"), knob_source::fallback);
}

TEST_F(knobs, environment_wins_over_file_and_command_line_over_both) {
  const scoped_file file(R"({"ring_slots": 16, "segment": "1m", "checked": true})");
  const scoped_variable config("UPWASH_CONFIG", file.path());
  const scoped_variable slots("UPWASH_RING_SLOTS", "32");
  auto values = settings::from_environment(example_table());
  EXPECT_EQ(values.integer("ring_slots"), 32);
  EXPECT_EQ(values.source("ring_slots"), knob_source::environment);
  EXPECT_EQ(values.bytes("segment"), 1U << 20U);
  EXPECT_EQ(values.source("segment"), knob_source::file);
  EXPECT_TRUE(values.flag("checked"));
  values.set("ring_slots", "8");
  EXPECT_EQ(values.integer("ring_slots"), 8);
  EXPECT_EQ(values.source("ring_slots"), knob_source::command_line);
}

TEST_F(knobs, file_in_config_folder_is_found) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("upwash_config_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "upwash");
  std::ofstream(folder / "upwash" / "knobs.json") << R"({"ring_slots": 5})";
  unsetenv("UPWASH_CONFIG");
  const scoped_variable home("XDG_CONFIG_HOME", folder.string());
  EXPECT_EQ(settings::from_environment(example_table()).integer("ring_slots"), 5);
  std::filesystem::remove_all(folder);
}

TEST_F(knobs, unknown_variable_names_the_nearest) {
  const scoped_variable wrong("UPWASH_RING_SLOT", "3");
  EXPECT_EQ(message_of([] { static_cast<void>(settings::from_environment(example_table())); }),
            "unknown variable UPWASH_RING_SLOT; did you mean UPWASH_RING_SLOTS? "
            "(upwash info --knobs lists all)");
}

TEST_F(knobs, unknown_variable_far_from_all_names_none) {
  const scoped_variable wrong("UPWASH_SOMETHING_ELSE_ENTIRELY", "3");
  EXPECT_EQ(message_of([] { static_cast<void>(settings::from_environment(example_table())); }),
            "unknown variable UPWASH_SOMETHING_ELSE_ENTIRELY (upwash info --knobs lists all)");
}

TEST_F(knobs, variables_of_test_scripts_are_left_alone) {
  const scoped_variable test("UPWASH_TEST_BIN", "/bin");
  EXPECT_NO_THROW(static_cast<void>(settings::from_environment(example_table())));
}

struct bad_value {
  const char* variable;
  const char* text;
  const char* message;
};

TEST_F(knobs, malformed_values_name_variable_value_and_what_is_valid) {
  constexpr std::array cases{
      bad_value{"UPWASH_RING_SLOTS", "many",
                R"(UPWASH_RING_SLOTS: "many" is not a whole number; expected digits, as in 64)"},
      bad_value{"UPWASH_RING_SLOTS", "6 4",
                R"(UPWASH_RING_SLOTS: "6 4" is not a whole number; expected digits, as in 64)"},
      bad_value{"UPWASH_CHECKED", "maybe",
                R"(UPWASH_CHECKED: "maybe" is not a flag; expected 0 or 1)"},
      bad_value{"UPWASH_WAITING", "sleep",
                R"(UPWASH_WAITING: "sleep" is not one of auto|spin|yield)"},
      bad_value{"UPWASH_SEGMENT", "8q",
                R"(UPWASH_SEGMENT: "8q" is not a size; expected digits and k, m, g or nothing, )"
                "as in 64k"},
      bad_value{"UPWASH_SEGMENT", "99999999999g",
                R"(UPWASH_SEGMENT: "99999999999g" is not a size below 2^64 bytes)"},
      bad_value{"UPWASH_PATIENCE", "50",
                R"(UPWASH_PATIENCE: "50" is not a time; expected a number and ns, us, ms or s, )"
                "as in 50us"},
      bad_value{"UPWASH_LOG", "",
                R"(UPWASH_LOG: "" is not one of )"
                "trace|debug|info|warning|error|off"},
  };
  for (const auto& each : cases) {
    const scoped_variable wrong(each.variable, each.text);
    EXPECT_EQ(message_of([] { static_cast<void>(settings::from_environment(example_table())); }),
              each.message);
  }
}

struct bad_file {
  const char* content;
  const char* message;  ///< after "<path>"
};

TEST_F(knobs, malformed_files_name_file_line_and_key) {
  constexpr std::array cases{
      bad_file{"{\"ring_slots\": 3,\n \"segmnt\": 4}",
               ":2: segmnt: unknown knob; did you mean segment? (upwash info --knobs lists all)"},
      bad_file{"{\n\n\"segment\": \"x\"}",
               ":3: segment: \"x\" is not a size; expected digits and k, m, g or nothing, as in "
               "64k"},
      bad_file{"{\"ring_slots\": 1.5}",
               ":1: ring_slots: \"1.5\" is not a whole number; expected digits, as in 64"},
      bad_file{"{\n\"ring_slots\": [1]}",
               ":2: ring_slots: an array is no value; expected a number, a string or a boolean"},
      bad_file{"{\n\"ring_slots\": {\"a\": 1}}",
               ":2: ring_slots: an object is no value; expected a number, a string or a boolean"},
      bad_file{"{\"ring_slots\": null}",
               ":1: ring_slots: null is no value; expected a number, a string or a boolean"},
      bad_file{"{\"ring_slots\": 1,\n\"ring_slots\": 2}",
               ":2: ring_slots: given twice, first in line 1; keep one"},
      bad_file{"{\"ring_slots\": 1,\n\"checked\" 2}",
               ":2: not JSON at \"2\"; expected {\"name\": value, ...} with numbers, "
               "strings or booleans"},
      bad_file{"[1]",
               ":1: an array here; expected {\"name\": value, ...} with numbers, strings or "
               "booleans"},
      bad_file{"7", ":1: expected {\"name\": value, ...} with numbers, strings or booleans"},
      bad_file{"{\"config\": \"other.json\"}",
               ":1: config: a config file cannot name another; remove it"},
  };
  for (const auto& each : cases) {
    const scoped_file file(each.content);
    const scoped_variable config("UPWASH_CONFIG", file.path());
    EXPECT_EQ(message_of([] { static_cast<void>(settings::from_environment(example_table())); }),
              file.path() + each.message);
  }
}

TEST_F(knobs, missing_config_file_is_an_error) {
  const scoped_variable config("UPWASH_CONFIG", "/nowhere/knobs.json");
  EXPECT_EQ(message_of([] { static_cast<void>(settings::from_environment(example_table())); }),
            "/nowhere/knobs.json: cannot be read; UPWASH_CONFIG must name a readable JSON file");
}

TEST_F(knobs, set_of_an_unknown_name_is_an_error) {
  auto values = settings::defaults(example_table());
  EXPECT_EQ(message_of([&] { values.set("segmet", "1"); }),
            "unknown knob segmet; did you mean segment? (upwash info --knobs lists all)");
}

TEST_F(knobs, reading_as_another_type_is_an_error) {
  const auto values = settings::defaults(example_table());
  EXPECT_EQ(message_of([&] { static_cast<void>(values.bytes("ring_slots")); }),
            "knob ring_slots is read as another type");
  EXPECT_EQ(message_of([&] { static_cast<void>(values.flag("none")); }),
            "knob none is in no table");
}

TEST_F(knobs, a_row_added_twice_or_with_a_bad_default_is_an_error) {
  auto table = example_table();
  const upwash::knob again{"segment", knob_type::bytes, "8k", ""};
  EXPECT_EQ(message_of([&] { table.add({&again, 1}); }), "knob segment is added twice");
  const upwash::knob bad{"other", knob_type::bytes, "eight", ""};
  EXPECT_EQ(message_of([&] {
              table.add({&bad, 1});
            }),
            "default of knob other: \"eight\" is not a size; expected digits and k, m, g or "
            "nothing, as in 64k");
}

TEST(parse, bytes_take_binary_suffixes) {
  EXPECT_EQ(upwash::parse_bytes("0", "x"), 0U);
  EXPECT_EQ(upwash::parse_bytes("4096", "x"), 4096U);
  EXPECT_EQ(upwash::parse_bytes("8kb", "x"), 8192U);
  EXPECT_EQ(upwash::parse_bytes("3M", "x"), 3U << 20U);
  EXPECT_EQ(upwash::parse_bytes("2g", "x"), std::uint64_t{2} << 30U);
  EXPECT_THROW(static_cast<void>(upwash::parse_bytes("-1", "x")), upwash::error);
  EXPECT_THROW(static_cast<void>(upwash::parse_bytes("", "x")), upwash::error);
}

TEST(parse, durations_take_units) {
  EXPECT_EQ(upwash::parse_duration("0", "x").ps(), 0);
  EXPECT_EQ(upwash::parse_duration("1.5ns", "x").ps(), 1500);
  EXPECT_EQ(upwash::parse_duration("20ms", "x"), upwash::duration::from_us(20'000));
  EXPECT_EQ(upwash::parse_duration("2s", "x"), upwash::duration::from_seconds(2));
  for (const auto* text : {"", "us", "-1us", "nan", "inf", "1 us", "1e30s", "5min"}) {
    EXPECT_THROW(static_cast<void>(upwash::parse_duration(text, "x")), upwash::error) << text;
  }
}

TEST(parse, numbers_are_listed) {
  using list = std::vector<int>;
  EXPECT_EQ(upwash::parse_numbers("", 8, "x"), list());
  EXPECT_EQ(upwash::parse_numbers("1", 8, "x"), list({1}));
  EXPECT_EQ(upwash::parse_numbers("2-4,7,0", 8, "x"), list({2, 3, 4, 7, 0}));
  for (const auto* text : {"8", "-1", "1-", "3-2", "1,", ",1", "1;2", "1-2-3", "x", "1 2"}) {
    EXPECT_THROW(static_cast<void>(upwash::parse_numbers(text, 8, "x")), upwash::error) << text;
  }
}

TEST(parse, nearest_name_is_near_or_nothing) {
  constexpr std::array<std::string_view, 3> names{"ring", "knomial", "bruck"};
  EXPECT_EQ(upwash::nearest_name("knominal", names), "knomial");
  EXPECT_EQ(upwash::nearest_name("brook", names), "bruck");
  EXPECT_EQ(upwash::nearest_name("hypercube", names), "");
}

}  // namespace
