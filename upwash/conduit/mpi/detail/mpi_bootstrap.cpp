// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/mpi_bootstrap.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cstring>
#include <ctime>
#include <random>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"

namespace upwash::conduit::mpi {
namespace {

constexpr int max_named = 8;  // of the missing processes in an error
/// The others wait so much longer than the first, which knows who is missing.
const duration time_to_name = duration::from_seconds(2);

void nap(int turn) {
  // Start-up waits for processes that are still being started: the core is better theirs.
  if (turn < 64) {
    sched_yield();
  } else {
    const timespec pause{0, 50'000};
    nanosleep(&pause, nullptr);
  }
}

rank_layout layout_of(int processes, const settings& values) {
  const int per_process = values.count("ranks_per_process");
  if (per_process > most_ranks / processes) {
    throw error(error_kind::configuration,
                fmt::format("ranks_per_process={}: a job has at most {} ranks, and this one has {} "
                            "processes (UPWASH_RANKS_PER_PROCESS)",
                            per_process, most_ranks, processes));
  }
  const auto of_all = static_cast<int>(values.integer("boot_ranks"));
  return rank_layout::even(of_all > 0 ? of_all : processes * per_process, processes);
}

/// What processes tell each other first.
struct introduction {
  node_identity node;
  std::uint64_t job = 0;  ///< what the first one calls the job
};

std::uint64_t job_of_first() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32U | chance();
}

std::string name_of(const rank_layout& layout, int process) {
  const int first = layout.first_of(process);
  const int last = layout.first_of(process + 1) - 1;
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
}

}  // namespace

mpi_bootstrap::mpi_bootstrap(exit_watch& watch, const settings& values)
    : watch_(watch),
      engine_(watch.engine()),
      start_timeout_(values.time("start_timeout")),
      layout_(layout_of(engine_.size(), values)) {
  const int count = engine_.size();
  process_ = engine_.rank();  // until they are numbered
  const introduction mine{this_node(), job_of_first()};
  std::vector<introduction> all(static_cast<std::size_t>(count));
  gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::vector<node_identity> nodes;
  for (const introduction& each : all) nodes.push_back(each.node);
  order_ = order_by_node(nodes);
  engine_.number(order_.ranks);
  while (order_.ranks[static_cast<std::size_t>(process_)] != engine_.rank()) {
    process_ = process_ + 1 == count ? 0 : process_ + 1;
  }
  watch_.set_names(fmt::format("mpi-{:x}", all.front().job), name_of(layout_, process_));
  log(log_level::info, "mpi",
      fmt::format("process {} of {} (rank {} of MPI), on node {} of {}", process_, count,
                  engine_.rank(), node_of(process_), order_.hosts.size()));
}

void mpi_bootstrap::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const duration limit = engine_.rank() == 0 ? start_timeout_ : start_timeout_ + time_to_name;
  const duration start = steady_now();
  engine_.begin_gather(mine, all);
  std::string why;
  for (int turn = 0;; ++turn) {
    const progress now = engine_.advance_gather(why);
    if (now == progress::done) return;
    if (now == progress::failed) {
      throw error(error_kind::fault,
                  fmt::format("process {} of {}: {}", process_, process_count(), why));
    }
    if (steady_now() - start > limit) missing();
    nap(turn);
  }
}

void mpi_bootstrap::missing() const {
  const std::vector<int> ranks = engine_.missing();
  std::string names;
  for (std::size_t i = 0; i < ranks.size() && i < max_named; ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  }
  if (ranks.size() > max_named) names += fmt::format(" and {} more", ranks.size() - max_named);
  throw error(error_kind::fault,
              fmt::format("the knob start_timeout has passed while rank {} of {} of MPI waited for "
                          "{}{} (start_timeout {:g} s, UPWASH_START_TIMEOUT)",
                          engine_.rank(), process_count(), ranks.empty() ? "others" : "rank ",
                          names, start_timeout_.seconds()));
}

void mpi_bootstrap::exchange(std::span<const std::byte> mine, std::span<std::byte> all) {
  const auto count = static_cast<std::size_t>(process_count());
  if (mine.size() > max_blob_bytes || all.size() != mine.size() * count) {
    throw error(error_kind::argument,
                fmt::format("exchange of {} bytes into {} for {} processes; at most {} a process",
                            mine.size(), all.size(), count, max_blob_bytes));
  }
  by_rank_.resize(all.size());
  gather(mine, by_rank_);
  for (std::size_t p = 0; p < count && !mine.empty(); ++p) {
    std::memcpy(all.data() + p * mine.size(),
                by_rank_.data() + static_cast<std::size_t>(order_.ranks[p]) * mine.size(),
                mine.size());
  }
}

void mpi_bootstrap::finished() noexcept {
  watch_.left();
  engine_.leave();
}

void mpi_bootstrap::abort(int rank, int status, std::string_view why) noexcept {
  watch_.end_job(rank, status, why);
}

void mpi_bootstrap::desert(int rank, std::string_view why) noexcept {
  watch_.end_job_soon(rank, why);
}

}  // namespace upwash::conduit::mpi
