// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/wire/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/log.hpp"

namespace upwash::conduit::wire {
namespace {

namespace fs = std::filesystem;

/// Found by dladdr: lies in this library, or in the program that has it inside.
void library_anchor() {}

/// The folders that may hold plugins, first come first.
std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    std::string text = folder.lexically_normal().string();
    if (std::ranges::find(folders, text) == folders.end()) folders.push_back(std::move(text));
  };
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_anchor), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ignored;
    const fs::path home = fs::weakly_canonical(info.dli_fname, ignored).parent_path();
    add(home / "upwash");
    add(home.parent_path() / UPWASH_LIBRARY_FOLDER / "upwash");
  }
  add(fs::path(UPWASH_INSTALLED_LIBRARIES) / "upwash");
  add(fs::path(UPWASH_BUILT_LIBRARIES) / "upwash");
  return folders;
}

std::string_view conduit_of(const plugin_wanted& wanted) {
  return wanted.conduit.empty() ? wanted.name : wanted.conduit;
}

[[noreturn]] void fail(const plugin_wanted& wanted, const std::string& why) {
  throw error(error_kind::environment, fmt::format("conduit {}: {}", conduit_of(wanted), why));
}

[[noreturn]] void fail_missing(const plugin_wanted& wanted, const std::string& why) {
  fail(wanted, fmt::format("{}; install {}, or set {} to the plugin's path", why, wanted.package,
                           knob_variable(wanted.knob)));
}

std::string file_of(const plugin_wanted& wanted) {
  return fmt::format("libupwash_{}.so", wanted.name);
}

std::string found(const plugin_wanted& wanted) {
  if (auto file = find_plugin(wanted)) return *std::move(file);
  if (!wanted.file.empty()) fail_missing(wanted, fmt::format("there is no file {}", wanted.file));
  fail_missing(wanted, fmt::format("{} is in none of {}: upwash was built without it",
                                   file_of(wanted), fmt::join(plugin_folders(), ", ")));
}

}  // namespace

std::optional<std::string> find_plugin(const plugin_wanted& wanted) {
  std::error_code ignored;
  if (!wanted.file.empty()) {
    if (!fs::exists(wanted.file, ignored)) return std::nullopt;
    return fs::absolute(wanted.file).string();
  }
  for (const fs::path folder : plugin_folders()) {
    if (fs::exists(folder / file_of(wanted), ignored)) return (folder / file_of(wanted)).string();
  }
  return std::nullopt;
}

const plugin_head& load_plugin(const plugin_wanted& wanted) {
  const std::string file = found(wanted);
  void* library = dlopen(
      file.c_str(), RTLD_NOW | RTLD_NODELETE | (wanted.shows_symbols ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == nullptr) fail_missing(wanted, fmt::format("cannot load {} ({})", file, dlerror()));
  using entry = const plugin_head* (*)();
  const auto plugin = reinterpret_cast<entry>(dlsym(library, "upwash_plugin"));
  if (plugin == nullptr) fail(wanted, fmt::format("{} is no plugin of upwash", file));
  const plugin_head& head = *plugin();
  if (head.abi != plugin_abi) {
    fail(wanted, fmt::format("{} belongs to another version of upwash (plugins {}, here {})", file,
                             head.abi, plugin_abi));
  }
  if (head.name != wanted.name) {
    fail(wanted, fmt::format("{} is the plugin for {}, not for {}", file, head.name, wanted.name));
  }
  log(log_level::info, conduit_of(wanted), fmt::format("loaded {}", file));
  return head;
}

}  // namespace upwash::conduit::wire
