// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/mpi_row.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/conduit/foreign/foreign_bootstrap.hpp"
#include "upwash/conduit/mpi/detail/lone_transport.hpp"
#include "upwash/conduit/mpi/detail/place.hpp"
#include "upwash/conduit/mpi/detail/starter.hpp"
#include "upwash/conduit/mpi/mpi_engine.hpp"
#include "upwash/conduit/wire/wire_world.hpp"

namespace upwash::conduit {
namespace {

constexpr knob rows[] = {
    knob{"mpi_library", knob_type::choice, "auto",
         "the MPI library; auto: the library that the program is linked with, else the library of "
         "the launcher that started it",
         knob_level::user, "auto|openmpi|mpich"},
    knob{"mpi_launcher", knob_type::text, "",
         "command that starts the processes of conduit mpi, as in srun --mpi=pmix; upwash appends "
         "-n and their number; empty: mpirun or mpiexec of the library",
         knob_level::user},
    knob{"mpi_plugin", knob_type::text, "",
         "file of the plugin for that library; empty: libupwash_LIBRARY.so next to upwash",
         knob_level::developer},
    knob{"mpi_packet", knob_type::bytes, "4k", "size of the largest packet of conduit mpi, from 1k",
         knob_level::tuner},
    knob{"mpi_receives", knob_type::integer, "64",
         "number of receives that conduit mpi keeps posted", knob_level::tuner},
};

mpi::transport_options options_of(const settings& values) {
  const std::uint64_t packet = values.bytes("mpi_packet");
  if (packet < 1024 || packet > (std::uint64_t{1} << 24U)) {
    throw error(error_kind::configuration,
                fmt::format("mpi_packet={}: expected 1k to 16m (UPWASH_MPI_PACKET)", packet));
  }
  return {packet, values.count("mpi_receives")};
}

void check_threads(const mpi::mpi_engine& engine) {
  if (engine.bears_threads()) return;
  throw error(error_kind::environment,
              fmt::format("conduit mpi: progress_thread = 1 needs {}, which {} has not given; call "
                          "MPI_Init_thread for it, or leave UPWASH_PROGRESS_THREAD unset",
                          engine.entered_by_program() ? "MPI_THREAD_MULTIPLE beside a program that "
                                                        "has called MPI_Init"
                                                      : "MPI_THREAD_SERIALIZED",
                          engine.version()));
}

std::unique_ptr<wire::transport> transport_of(bootstrap& boot,
                                              const mpi::transport_options& options,
                                              bool progress_thread) {
  auto* place = dynamic_cast<foreign::foreign_bootstrap*>(&boot);
  auto* engine = place != nullptr ? dynamic_cast<mpi::mpi_engine*>(&place->engine()) : nullptr;
  if (engine == nullptr && boot.process_count() == 1) {
    return std::make_unique<mpi::lone_transport>(options.packet_bytes);
  }
  if (engine == nullptr) {
    throw error(error_kind::environment,
                "conduit mpi: a launcher of MPI must start its processes: mpirun, srun --mpi=pmix "
                "or pmi2, or upwash run --conduit mpi, which starts mpirun");
  }
  if (progress_thread) check_threads(*engine);
  std::string why;
  auto made = engine->make_transport(place->ranks(), options, why);
  if (!made) throw error(error_kind::fault, "conduit mpi: " + why);
  return made;
}

std::unique_ptr<world> make(const settings& values, bootstrap* boot) {
  auto over = transport_of(*boot, options_of(values), values.flag("progress_thread"));
  return wire::make_wire_world("mpi", std::move(over), *boot, values);
}

}  // namespace

conduit_row mpi_row() {
  return {.name = "mpi",
          .doc = "processes on any number of machines, through an MPI library",
          .several_processes = true,
          .spans_nodes = true,
          .knobs = rows,
          .only_here = {},
          .make = &make,
          .place = &mpi::make_place,
          .starter = &mpi::make_start,
          .lacking = &mpi::lacking_here,
          .facts = &mpi::installed};
}

}  // namespace upwash::conduit
