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

[[noreturn]] void fail(const plugin_wanted& wanted, const std::string& why) {
  throw error(error_kind::environment, fmt::format("conduit {}: {}", wanted.name, why));
}

[[noreturn]] void fail_missing(const plugin_wanted& wanted, const std::string& why) {
  fail(wanted, fmt::format("{}; install {}, or set {} to the plugin's path", why, wanted.package,
                           knob_variable(wanted.knob)));
}

std::string find_plugin(const plugin_wanted& wanted) {
  std::error_code ignored;
  if (!wanted.file.empty()) {
    if (fs::exists(wanted.file, ignored)) return fs::absolute(wanted.file).string();
    fail_missing(wanted, fmt::format("there is no file {}", wanted.file));
  }
  const std::string file = fmt::format("libupwash_{}.so", wanted.name);
  const std::vector<std::string> folders = plugin_folders();
  for (const std::string& folder : folders) {
    if (fs::exists(fs::path(folder) / file, ignored)) return (fs::path(folder) / file).string();
  }
  fail_missing(wanted, fmt::format("{} is in none of {}: upwash was built without it", file,
                                   fmt::join(folders, ", ")));
}

}  // namespace

const plugin_head& load_plugin(const plugin_wanted& wanted) {
  const std::string file = find_plugin(wanted);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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
    fail(wanted, fmt::format("{} is the plugin of conduit {}", file, head.name));
  }
  log(log_level::info, wanted.name, fmt::format("loaded {}", file));
  return head;
}

}  // namespace upwash::conduit::wire
