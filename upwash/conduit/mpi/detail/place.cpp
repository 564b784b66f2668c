// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/place.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/mpi/detail/exit_watch.hpp"
#include "upwash/conduit/mpi/detail/library_choice.hpp"
#include "upwash/conduit/mpi/detail/mpi_bootstrap.hpp"
#include "upwash/conduit/mpi/detail/plugin.hpp"
#include "upwash/conduit/mpi/detail/start_watch.hpp"

namespace upwash::conduit::mpi {
namespace {

/// The first process speaks for all that wait alike: its launcher ends the others meanwhile.
const duration time_for_first = duration::from_seconds(1);

struct loaded {
  choice chosen;
  std::unique_ptr<mpi_engine> engine;
};

loaded load(const settings& values, const std::optional<launcher>& by) {
  choice chosen = choose_library(values.text("mpi_library"), linked_library(), by);
  auto engine = load_plugin(chosen.which, values.text("mpi_plugin"));
  return {std::move(chosen), std::move(engine)};
}

void enter(mpi_engine& engine, const std::optional<launcher>& by, duration limit) {
  const int rank = by ? by->rank : 0;
  const int size = by ? by->size : 1;
  const start_watch watch(
      rank == 0 ? limit : limit + time_for_first,
      fmt::format("the knob start_timeout has passed while rank {} of {} of MPI was in MPI_Init: "
                  "not all processes have come there (start_timeout {:g} s, UPWASH_START_TIMEOUT)",
                  rank, size, limit.seconds()));
  std::string why;
  if (!engine.enter(why)) {
    throw error(error_kind::fault, fmt::format("conduit mpi: cannot enter MPI: {}", why));
  }
  if (engine.size() == 1 && size > 1) {
    throw error(error_kind::environment,
                fmt::format("conduit mpi: {} started {} processes, but {} knows of one only; is it "
                            "the launcher of another installation?",
                            by->name, size, engine.version()));
  }
}

}  // namespace

std::unique_ptr<bootstrap> make_place(const settings& values) {
  const auto by = find_launcher([](const char* name) -> const char* { return std::getenv(name); });
  auto [chosen, engine] = load(values, by);
  enter(*engine, by, values.time("start_timeout"));
  log(log_level::info, "mpi",
      fmt::format("{}: {}{}", engine->version(), chosen.why,
                  engine->entered_by_program() ? "; the program has called MPI_Init" : ""));
  exit_watch& watch = exit_watch::make(std::move(engine));
  try {
    return std::make_unique<mpi_bootstrap>(watch, values);
  } catch (const error& failure) {
    watch.end_job(-1, failure.exit_status(), failure.what());
  }
}

}  // namespace upwash::conduit::mpi
