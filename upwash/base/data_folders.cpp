// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/data_folders.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace upwash {
namespace {

namespace fs = std::filesystem;

/// Found by dladdr: lies in this library.
void library_anchor() {}

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
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_anchor), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ignored;
    const fs::path library = fs::weakly_canonical(info.dli_fname, ignored);
    folders.push_back((library.parent_path().parent_path() / "share/upwash" / kind).string());
  }
  folders.push_back((fs::path(UPWASH_DATA_SOURCE) / kind).string());
  return folders;
}

}  // namespace upwash
