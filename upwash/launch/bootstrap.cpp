// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a provider, and the one for a process that is alone.
#include "upwash/launch/bootstrap.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/first_voice.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/conduit/foreign/pmix_place.hpp"
#include "upwash/launch/detail/control_bootstrap.hpp"
#include "upwash/launch/detail/identity.hpp"
#include "upwash/launch/detail/rendezvous.hpp"

namespace upwash::launch {
namespace {

class alone final : public conduit::bootstrap {
 public:
  explicit alone(int ranks) : layout_(conduit::rank_layout::even(ranks, 1)) {}

  [[nodiscard]] int process() const noexcept override { return 0; }
  [[nodiscard]] int process_count() const noexcept override { return 1; }
  [[nodiscard]] const conduit::rank_layout& layout() const noexcept override { return layout_; }
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (mine.size() > conduit::max_blob_bytes || all.size() != mine.size()) {
      throw error(error_kind::argument, fmt::format("exchange of {} bytes into {} for 1 process",
                                                    mine.size(), all.size()));
    }
    if (!mine.empty()) std::memcpy(all.data(), mine.data(), mine.size());
  }
  void barrier() override {}
  void finished() noexcept override {}
  [[noreturn]] void abort(int rank, int status, std::string_view why) noexcept override {
    std::fflush(nullptr);
    if (!why.empty()) {
      std::fprintf(stderr, "upwash: %s\n", failure_line(rank, why).c_str());
    }
    _exit(status);
  }
  void desert(int /*rank*/, std::string_view /*why*/) noexcept override {}  // nobody waits for it
  [[nodiscard]] bool failed() const noexcept override { return false; }

 private:
  conduit::rank_layout layout_;
};

/// The place is taken: programs that this process starts are not in its job, whatever variables of
/// a launcher they inherit.
void mark_taken(std::string_view job) {
  setenv("UPWASH_BOOT_TAKEN", fmt::format("{} {}", getpid(), job).c_str(), 1);
}

[[noreturn]] void left_already() {
  throw error(error_kind::argument,
              "this process has left its job: run() and attach() join the job of upwash run once");
}

/// Whether this process was started by one that holds the place in `job` it would take for its own.
bool taken_by_ancestor(const settings& values, std::string_view job) {
  const std::string& taken = values.text("boot_taken");
  const auto space = taken.find(' ');
  return space != std::string::npos && std::string_view(taken).substr(space + 1) == job &&
         std::atoi(taken.c_str()) != getpid();
}

std::unique_ptr<conduit::bootstrap> under_launcher(const settings& values) {
  const auto fd = static_cast<int>(values.integer("boot_control"));
  const auto process = static_cast<int>(values.integer("boot_process"));
  auto block = detail::control_block::attach(fd);
  if (process < 0 || process >= block.processes()) {
    throw error(error_kind::environment,
                fmt::format("UPWASH_BOOT_PROCESS={}: expected 0 to {}; it is set by upwash run",
                            process, block.processes() - 1));
  }
  // What this process starts is not part of the job; and it must not outlive a killed launcher,
  // also when a shell stands between the two.
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (block.header().bell >= 0) fcntl(block.header().bell, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto& header = block.header();
  if (!process_lives(header.creator, header.creator_started)) {
    // Died before it could take this process along, or is in another pid namespace.
    throw error(
        error_kind::environment,
        fmt::format("the upwash run of this job (pid {}) is not to be seen: it has ended, or "
                    "this process has pids of its own (a container?)",
                    header.creator));
  }
  auto place = std::make_unique<detail::control_bootstrap>(
      std::move(block), process, values.time("start_timeout"), std::nullopt);
  unsetenv("UPWASH_BOOT_CONTROL");
  unsetenv("UPWASH_BOOT_PROCESS");
  mark_taken({});
  return place;
}

std::unique_ptr<conduit::bootstrap> by_rendezvous(const settings& values,
                                                  const detail::identity& self, int per_process) {
  if (per_process > most_ranks / self.processes) {
    throw error(error_kind::configuration,
                fmt::format("ranks_per_process={}: a job has at most {} ranks, and job '{}' of {} "
                            "has {} processes (UPWASH_RANKS_PER_PROCESS)",
                            per_process, most_ranks, self.job, self.launcher, self.processes));
  }
  auto met = detail::meet(self, self.processes * per_process, values.time("start_timeout"));
  auto place = std::make_unique<detail::control_bootstrap>(
      std::move(met.block), self.process, values.time("start_timeout"), std::move(met.place));
  log(log_level::info, "launch",
      fmt::format("process {} of {} in job '{}' of {}", self.process, self.processes, self.job,
                  self.launcher));
  mark_taken(self.job);
  return place;
}

std::unique_ptr<conduit::bootstrap> by_pmix(const settings& values, const detail::identity& self) {
  if (!conduit::foreign::pmix_is_there()) {
    throw error(error_kind::environment,
                fmt::format("{} started {} processes on several nodes, and gives them no PMIx to "
                            "meet by; start them with srun --mpi=pmix, mpirun of Open MPI or "
                            "upwash run --hosts, or take conduit mpi",
                            self.launcher, self.processes));
  }
  auto place =
      conduit::foreign::join_by_pmix({self.launcher, self.process, self.processes}, values);
  mark_taken(self.job);
  return place;
}

/// Processes of a foreign launcher that fail alike before they know each other.
[[noreturn]] void end_with_others(const std::string& job, int status, std::string_view why) {
  constexpr useconds_t until_all_failed = 500'000;
  if (speaks_first(job)) {
    std::fprintf(stderr, "upwash: %s\n", failure_line(-1, why).c_str());
    usleep(until_all_failed);
  } else {
    usleep(2 * until_all_failed);  // a launcher that sees this one end ends the first
  }
  _exit(status);
}

}  // namespace

void abort_start(int status, std::string_view why) noexcept {
  try {
    std::fflush(nullptr);
    if (const char* fd = std::getenv("UPWASH_BOOT_CONTROL"); fd != nullptr) {
      const auto block = detail::control_block::attach(std::atoi(fd));
      block.fail(-1, status, why, false);
      _exit(block.failure_told() ? block.header().failed_status : status);
    }
    if (std::getenv("UPWASH_BOOT_TAKEN") != nullptr) return;
    if (const auto self = detail::find_foreign_identity(); self && self->processes > 1) {
      end_with_others(self->job, status, why);
    }
  } catch (const error&) {
    return;  // the variable is a leftover, or worse: what went wrong first is told by the caller
  }
}

bool place_is_taken(const settings& values) {
  if (values.text("boot_taken").starts_with(fmt::format("{} ", getpid()))) left_already();
  const auto self = detail::find_identity(values);
  return self && taken_by_ancestor(values, self->job);
}

void take_place(const settings& values) {
  const auto self = detail::find_identity(values);
  mark_taken(self ? self->job : std::string());
}

std::unique_ptr<conduit::bootstrap> make_bootstrap(const settings& values, bool may_span_nodes) {
  if (values.integer("boot_control") >= 0) return under_launcher(values);
  const auto per_process = static_cast<int>(values.integer("ranks_per_process"));
  if (per_process < 1 || per_process > most_ranks) {
    throw error(error_kind::configuration,
                fmt::format("ranks_per_process={}: expected 1 to {} (UPWASH_RANKS_PER_PROCESS)",
                            per_process, most_ranks));
  }
  if (values.text("boot_taken") == fmt::format("{} ", getpid())) left_already();
  const auto self = detail::find_identity(values);
  if (self && !taken_by_ancestor(values, self->job)) {
    if (self->several_nodes.empty()) return by_rendezvous(values, *self, per_process);
    if (may_span_nodes) return by_pmix(values, *self);
    throw error(error_kind::environment, self->several_nodes);
  }
  log(log_level::info, "launch",
      fmt::format("no launcher: {} rank{} in this process; 'upwash run -n N program' starts more",
                  per_process, per_process == 1 ? "" : "s"));
  return std::make_unique<alone>(per_process);
}

}  // namespace upwash::launch
