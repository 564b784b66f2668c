// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/data_folders.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace upwash {
namespace {

/// Found by dladdr: lies in this library.
void library_anchor() {}

std::string inside(std::string_view folder, std::string_view name) {
  const bool ends = folder.ends_with('/');
  return std::string(folder).append(ends ? "" : "/").append(name);
}

/// Empty for what lies nowhere.
std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

/// The prefix that this library is installed in, or the folder that it was built in.
std::string own_prefix() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_anchor), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  const auto give_back = [](char* text) { std::free(text); };
  const std::unique_ptr<char, decltype(give_back)> library(realpath(info.dli_fname, nullptr),
                                                           give_back);
  return folder_of(folder_of(library ? library.get() : info.dli_fname));
}

}  // namespace

std::string user_folder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return inside(config, "upwash");
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return inside(home, ".config/upwash");
  return {};
}

std::vector<std::string> data_folders(std::string_view kind) {
  std::vector<std::string> folders;
  if (const std::string own = user_folder(); !own.empty()) folders.push_back(inside(own, kind));
  if (const std::string prefix = own_prefix(); !prefix.empty()) {
    folders.push_back(inside(inside(prefix, "share/upwash"), kind));
  }
  folders.push_back(inside(UPWASH_DATA_SOURCE, kind));
  return folders;
}

}  // namespace upwash
