// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order matters: the innermost launcher must win. mpirun inside a Slurm allocation leaves
// Slurm's variables visible, and its helpers may be Slurm tasks themselves.
#include "upwash/launch/detail/identity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

int number(const char* name) {
  const std::string_view text = variable(name);
  int value = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || value < 0) {
    throw error(error_kind::environment,
                fmt::format("{}={}: expected a number from 0; set by the launcher of this job",
                            name, text));
  }
  return value;
}

void check_place(const identity& self) {
  if (self.processes >= 1 && self.process < self.processes) return;
  throw error(error_kind::environment,
              fmt::format("{} says process {} of {}: expected a number below the size",
                          self.launcher, self.process, self.processes));
}

std::string several_nodes(const identity& self, int here) {
  return fmt::format(
      "{} started {} processes but only {} on this node: the shm conduit spans one "
      "node; start all processes on one node, or take a conduit that spans several "
      "(UPWASH_CONDUIT)",
      self.launcher, self.processes, here);
}

/// A name for the nearest ancestor that runs one of these programs: what all processes of a job
/// share whose launcher names none, also those behind a shell. Else for the parent.
std::string ancestor(std::initializer_list<std::string_view> programs) {
  for (pid_t pid = getppid(); pid > 1; pid = parent_of(pid)) {
    const std::string name = command_of(pid);
    if (std::find(programs.begin(), programs.end(), name) != programs.end()) {
      return fmt::format("{}-{}-{}", name, pid, process_started(pid));
    }
  }
  return fmt::format("parent-{}", getppid());
}

std::optional<identity> from_knobs(const settings& values) {
  const auto rank = values.integer("rank");
  const auto size = values.integer("size");
  const std::string& job = values.text("job_id");
  if (rank < 0 && size < 0 && job.empty()) return std::nullopt;
  if (rank < 0 || size < 1 || job.empty()) {
    throw error(error_kind::environment,
                fmt::format("UPWASH_RANK={}, UPWASH_SIZE={}, UPWASH_JOB_ID='{}': set all three or "
                            "none (rank from 0, size from 1)",
                            rank, size, job));
  }
  identity self{static_cast<int>(rank), static_cast<int>(size), job, "UPWASH_RANK", {}};
  check_place(self);
  return self;
}

std::optional<identity> from_open_mpi() {
  if (variable("OMPI_COMM_WORLD_RANK") == nullptr || variable("OMPI_COMM_WORLD_SIZE") == nullptr) {
    return std::nullopt;
  }
  identity self{number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_SIZE"), {}, "mpirun", {}};
  check_place(self);
  if (variable("OMPI_COMM_WORLD_LOCAL_SIZE") != nullptr) {
    const int here = number("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (here != self.processes) self.several_nodes = several_nodes(self, here);
  }
  if (const char* space = variable("PMIX_NAMESPACE")) {
    self.job = fmt::format("pmix-{}", space);
  } else if (const char* job = variable("OMPI_MCA_ess_base_jobid")) {
    self.job = fmt::format("ompi-{}", job);
  } else {
    self.job = "ompi-" + ancestor({"orted", "prted", "orterun", "mpirun", "mpiexec"});
  }
  return self;
}

std::optional<identity> from_slurm() {
  // Without a step id this is a batch script itself: it runs once, whatever SLURM_NTASKS says.
  if (variable("SLURM_STEP_ID") == nullptr || variable("SLURM_PROCID") == nullptr ||
      variable("SLURM_JOB_ID") == nullptr) {
    return std::nullopt;
  }
  const char* size = variable("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  if (variable(size) == nullptr) return std::nullopt;
  identity self{number("SLURM_PROCID"), number(size), {}, "srun", {}};
  check_place(self);
  const char* nodes =
      variable("SLURM_STEP_NUM_NODES") ? "SLURM_STEP_NUM_NODES" : "SLURM_JOB_NUM_NODES";
  if (variable(nodes) != nullptr && number(nodes) > 1) {
    self.several_nodes = fmt::format(
        "srun started {} processes on {} nodes: the shm conduit spans one node; "
        "use srun -N 1, or a conduit that spans several (UPWASH_CONDUIT)",
        self.processes, number(nodes));
  }
  self.job = fmt::format("slurm-{}.{}", variable("SLURM_JOB_ID"), variable("SLURM_STEP_ID"));
  return self;
}

std::optional<identity> from_pmi() {
  if (variable("PMI_RANK") == nullptr || variable("PMI_SIZE") == nullptr) return std::nullopt;
  identity self{number("PMI_RANK"), number("PMI_SIZE"), {}, "the PMI launcher", {}};
  check_place(self);
  // srun --mpi=pmi2, which says more by its own variables.
  if (auto step = from_slurm();
      step && step->process == self.process && step->processes == self.processes) {
    return step;
  }
  if (variable("MPI_LOCALNRANKS") != nullptr) {
    const int here = number("MPI_LOCALNRANKS");
    if (here != self.processes) self.several_nodes = several_nodes(self, here);
  }
  if (const char* job = variable("PMI_JOBID")) {
    self.job = fmt::format("pmi-{}", job);
  } else {
    // Hydra names no job, but has one proxy a job on this node.
    self.job = "pmi-" + ancestor({"hydra_pmi_proxy", "pmi_proxy"});
  }
  return self;
}

}  // namespace

std::optional<identity> find_identity(const settings& values) {
  if (auto self = from_knobs(values)) return self;
  return find_foreign_identity();
}

std::optional<identity> find_foreign_identity() {
  if (auto self = from_open_mpi()) return self;
  if (auto self = from_pmi()) return self;
  return from_slurm();
}

}  // namespace upwash::launch::detail
