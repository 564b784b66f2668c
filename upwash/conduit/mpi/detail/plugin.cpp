// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "upwash/base/data_folders.hpp"
#include "upwash/base/error.hpp"

namespace upwash::conduit::mpi {
namespace {

std::vector<std::string> candidates(library which, const std::string& named) {
  if (!named.empty()) return {named};
  std::vector<std::string> files;
  for (const std::string& folder : plugin_folders()) {
    files.push_back(fmt::format("{}/libupwash_{}.so", folder, name_of(which)));
  }
  return files;
}

std::string_view package_of(library which) {
  return which == library::openmpi ? "libopenmpi-dev" : "libmpich-dev";
}

}  // namespace

std::optional<std::string> find_plugin(library which, const std::string& named) {
  for (const std::string& file : candidates(which, named)) {
    if (access(file.c_str(), R_OK) == 0) return file;
  }
  return std::nullopt;
}

std::unique_ptr<mpi_engine> load_plugin(library which, const std::string& named) {
  const auto file = find_plugin(which, named);
  if (!file) {
    throw error(error_kind::environment,
                fmt::format("conduit mpi: there is no plugin for {}: {} {} not there; build upwash "
                            "where {} can be compiled with (Debian: {})",
                            title_of(which), fmt::join(candidates(which, named), ", "),
                            candidates(which, named).size() == 1 ? "is" : "are", title_of(which),
                            package_of(which)));
  }
  // Open MPI's own plugins leave its symbols to be found among those of the whole process.
  const int visible = which == library::openmpi ? RTLD_GLOBAL : RTLD_LOCAL;
  void* plugin = dlopen(file->c_str(), RTLD_NOW | RTLD_NODELETE | visible);
  if (plugin == nullptr) {
    throw error(
        error_kind::environment,
        fmt::format("conduit mpi: cannot load the plugin for {}: {}", title_of(which), dlerror()));
  }
  void* function = dlsym(plugin, plugin_function);
  if (function == nullptr) {
    throw error(error_kind::environment,
                fmt::format("conduit mpi: {} is no plugin of this version of upwash: it lacks {}",
                            *file, plugin_function));
  }
  return std::unique_ptr<mpi_engine>(reinterpret_cast<make_engine>(function)());
}

}  // namespace upwash::conduit::mpi
