// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The loader of plugins: what it takes, and what it says of all else.
#include "upwash/conduit/wire/plugin.hpp"

#include <gtest/gtest.h>

#include <string>

#include "upwash/base/error.hpp"

namespace upwash::conduit::wire {
namespace {

std::string path_of(const std::string& name) {
  return std::string(UPWASH_BINARY_DIR "/lib/test_plugins/libwire_plugin_") + name + ".so";
}

plugin_wanted wanting(std::string_view name, const std::string& file) {
  return {.name = name, .file = file, .knob = "some_plugin", .package = "libsome"};
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

std::string refusal_of(std::string_view name, const std::string& file) {
  try {
    static_cast<void>(load_plugin(wanting(name, file)));
  } catch (const error& refused) {
    EXPECT_EQ(refused.kind(), error_kind::environment);
    return refused.what();
  }
  return "taken";
}

TEST(wire_plugin, one_of_this_version_is_loaded) {
  const plugin_head& head = load_plugin(wanting("good", path_of("good")));
  EXPECT_STREQ(head.name, "good");
  EXPECT_EQ(&load_plugin(wanting("good", path_of("good"))), &head) << "loaded twice";
}

TEST(wire_plugin, one_that_is_missing_names_folders_package_and_knob) {
  const std::string text = refusal_of("nowhere", "");
  expect_part(text, "conduit nowhere: libupwash_nowhere.so is in none of /");
  expect_part(text, UPWASH_BINARY_DIR "/lib/upwash");
  expect_part(text, "install libsome, or set UPWASH_SOME_PLUGIN");
}

TEST(wire_plugin, a_named_file_that_is_missing_is_not_replaced_by_another) {
  expect_part(refusal_of("good", "/nowhere/good.so"), "there is no file /nowhere/good.so");
}

TEST(wire_plugin, a_file_that_is_no_library_says_why) {
  expect_part(refusal_of("good", UPWASH_SOURCE_DIR "/README.md"), "invalid ELF header");
}

TEST(wire_plugin, other_libraries_versions_and_conduits_are_refused) {
  expect_part(refusal_of("bare", path_of("bare")), "bare.so is no plugin of upwash");
  expect_part(refusal_of("old", path_of("old")), "belongs to another version of upwash");
  expect_part(refusal_of("other", path_of("other")),
              "other.so is the plugin for another, not for ");
}

}  // namespace
}  // namespace upwash::conduit::wire
