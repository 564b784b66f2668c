// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/library_choice.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>

#include "upwash/base/error.hpp"

namespace upwash::conduit::mpi {
namespace {

[[noreturn]] void misfit(const std::string& text) {
  throw error(error_kind::environment, "conduit mpi: " + text);
}

/// A variable's number; what is none is its launcher's to complain of.
int number(const char* text, int otherwise) {
  if (text == nullptr) return otherwise;
  const std::string_view digits(text);
  int value = otherwise;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// How a process of that library is started.
std::string_view start_of(library which) {
  return which == library::openmpi ? "mpirun of Open MPI, or srun --mpi=pmix"
                                   : "mpiexec of MPICH, or srun --mpi=pmi2";
}

}  // namespace

std::string_view name_of(library which) noexcept {
  return which == library::openmpi ? "openmpi" : "mpich";
}

std::string_view title_of(library which) noexcept {
  return which == library::openmpi ? "Open MPI" : "MPICH";
}

std::optional<launcher> find_launcher(function_ref<const char*(const char* name)> variable) {
  const auto place = [&](std::string_view name, std::optional<library> starts, const char* rank,
                         const char* size) {
    return launcher{name, starts, {}, number(variable(rank), 0), number(variable(size), 1)};
  };
  const bool slurm = variable("SLURM_STEP_ID") != nullptr && variable("SLURM_PROCID") != nullptr;
  if (variable("OMPI_COMM_WORLD_SIZE") != nullptr) {
    return place("mpirun of Open MPI", library::openmpi, "OMPI_COMM_WORLD_RANK",
                 "OMPI_COMM_WORLD_SIZE");
  }
  if (variable("PMI_RANK") != nullptr && variable("PMI_SIZE") != nullptr) {
    return place(slurm ? "srun --mpi=pmi2" : "mpiexec of MPICH", library::mpich, "PMI_RANK",
                 "PMI_SIZE");
  }
  if (variable("PMIX_RANK") != nullptr) {
    return place(slurm ? "srun --mpi=pmix" : "a PMIx launcher", library::openmpi, "PMIX_RANK",
                 "SLURM_STEP_NUM_TASKS");
  }
  if (slurm) {
    launcher by = place("srun", {}, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
    by.fix = "srun --mpi=pmix starts processes of Open MPI, srun --mpi=pmi2 those of MPICH";
    return by;
  }
  return std::nullopt;
}

std::optional<library> linked_library() {
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr) return library::openmpi;
  if (dlsym(RTLD_DEFAULT, "MPIR_Err_create_code") != nullptr) return library::mpich;
  return std::nullopt;
}

wire::plugin_wanted plugin_of(library which, const std::string& file) {
  const bool openmpi = which == library::openmpi;
  return {.name = name_of(which),
          .file = file,
          .knob = "mpi_plugin",
          .package = openmpi ? "Open MPI (Debian: libopenmpi-dev) and build upwash again"
                             : "MPICH (Debian: libmpich-dev) and build upwash again",
          .conduit = "mpi",
          .shows_symbols = openmpi};
}

choice choose_library(std::string_view wanted, std::optional<library> linked,
                      const std::optional<launcher>& by) {
  std::optional<choice> chosen;
  if (wanted != "auto") {
    chosen = {wanted == "openmpi" ? library::openmpi : library::mpich,
              fmt::format("mpi_library={} says so", wanted)};
    if (linked && *linked != chosen->which) {
      misfit(
          fmt::format("mpi_library={}, but the program is linked with {}; leave "
                      "UPWASH_MPI_LIBRARY unset",
                      wanted, title_of(*linked)));
    }
  } else if (linked) {
    chosen = {*linked, "the program is linked with it"};
  } else if (by && by->starts) {
    chosen = {*by->starts, fmt::format("{} started this process", by->name)};
  }
  if (by && !by->starts) {
    misfit(fmt::format("{} started this process, without a place for it in a job of MPI: {}",
                       by->name, by->fix));
  }
  if (!chosen) {
    misfit(
        "no launcher of an MPI library started this process; start it by upwash run -n N "
        "--conduit mpi, by mpirun, or by srun --mpi=pmix or pmi2");
  }
  if (by && *by->starts != chosen->which) {
    misfit(fmt::format("{} started this process, which takes {} because {}; start it by {}",
                       by->name, title_of(chosen->which), chosen->why, start_of(chosen->which)));
  }
  return *chosen;
}

}  // namespace upwash::conduit::mpi
