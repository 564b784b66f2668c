// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/place.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "upwash/base/log.hpp"
#include "upwash/conduit/foreign/foreign_bootstrap.hpp"
#include "upwash/conduit/mpi/detail/library_choice.hpp"
#include "upwash/conduit/mpi/mpi_engine.hpp"

namespace upwash::conduit::mpi {

std::unique_ptr<bootstrap> make_place(const settings& values) {
  const auto by = find_launcher([](const char* name) -> const char* { return std::getenv(name); });
  const choice chosen = choose_library(values.text("mpi_library"), linked_library(), by);
  // Else UCX, where the library uses it, prints a stack for each peer that is gone.
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  const auto wanted = plugin_of(chosen.which, values.text("mpi_plugin"));
  const auto& plugin = static_cast<const mpi_plugin&>(wire::load_plugin(wanted));
  foreign::announcement said;
  if (by) said = {by->name, by->rank, by->size};
  auto place = foreign::join(std::unique_ptr<foreign::foreign_engine>(plugin.make()), said, values);
  const auto& engine = static_cast<const mpi_engine&>(place->engine());
  log(log_level::info, "mpi",
      fmt::format("{}: {}{}", engine.version(), chosen.why,
                  engine.entered_by_program() ? "; the program has called MPI_Init" : ""));
  return place;
}

}  // namespace upwash::conduit::mpi
