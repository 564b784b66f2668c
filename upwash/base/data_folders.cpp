// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/data_folders.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace upwash {
namespace {

namespace fs = std::filesystem;

/// Found by dladdr: lies in this library.
void library_anchor() {}

/// The folder of the file that holds this library: libupwash.so, or a program. Empty: unknown.
fs::path own_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_anchor), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code ignored;
  return fs::weakly_canonical(info.dli_fname, ignored).parent_path();
}

}  // namespace

std::string user_folder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return (fs::path(config) / "upwash").string();
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return (fs::path(home) / ".config/upwash").string();
  return {};
}

std::vector<std::string> data_folders(std::string_view kind) {
  std::vector<std::string> folders;
  if (const std::string own = user_folder(); !own.empty()) {
    folders.push_back((fs::path(own) / kind).string());
  }
  if (const fs::path own = own_folder(); !own.empty()) {
    folders.push_back((own.parent_path() / "share/upwash" / kind).string());
  }
  folders.push_back((fs::path(UPWASH_DATA_SOURCE) / kind).string());
  return folders;
}

std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    const std::string name = folder.lexically_normal().string();
    if (std::ranges::find(folders, name) == folders.end()) folders.push_back(name);
  };
  if (const fs::path own = own_folder(); !own.empty()) {
    add(own / "upwash");
    add(own.parent_path() / UPWASH_LIBRARY_FOLDER / "upwash");
  }
  add(fs::path(UPWASH_PLUGIN_BUILD));
  add(fs::path(UPWASH_PLUGIN_INSTALLED));
  return folders;
}

}  // namespace upwash
