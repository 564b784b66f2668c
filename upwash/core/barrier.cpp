// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The control barrier in shared memory. The members of a process count up a word of their own, and
// the last of them meets the other processes: of two, each sets a flag at the other; of more, they
// count up one word and the last sets another. Counts grow for ever, so nothing is reset. One wait
// a member, and for one of a process a second: with more ranks than cores, cost is the number of
// switches, and this has the fewest.
#include <atomic>

#include "upwash/core/control.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/may_wait.hpp"
#include "upwash/core/team_memory.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash::control {
namespace {

/// Of a process, in the part of the member that leads it. A line each: they are written by
/// different ranks at different times.
struct barrier_part {
  alignas(64) std::uint64_t arrivals;      ///< of processes; at the first
  alignas(64) std::uint64_t released;      ///< by the others
  alignas(64) std::uint64_t here_arrived;  ///< members of this process
  std::uint64_t here_released;             ///< by the last of them
};

barrier_part& part_of(const team_memory& words, int member) {
  return *reinterpret_cast<barrier_part*>(words.part(member));
}

/// Arrives for a process; null, or the word that the process then waits for.
const std::uint64_t* meet_processes(const team_memory& words, std::uint64_t epoch) {
  const process_group& group = words.group();
  if (group.processes == 1) return nullptr;
  if (group.processes == 2) {
    auto& there = part_of(words, words.leader(1 - group.number));
    // Release: what the members wrote before the barrier is visible to whoever leaves it.
    std::atomic_ref(there.released).store(epoch, std::memory_order_release);
    return &part_of(words, group.first).released;
  }
  auto& first = part_of(words, words.leader(0));
  const std::uint64_t arrived = std::atomic_ref(first.arrivals).fetch_add(1) + 1;
  if (arrived < epoch * static_cast<std::uint64_t>(group.processes)) return &first.released;
  std::atomic_ref(first.released).store(epoch, std::memory_order_release);
  return nullptr;
}

}  // namespace

void barrier(const team& among, call_site site) {
  job& here = among.here();
  if (here.in_handler()) [[unlikely]]
    check_may_wait(here, "barrier");
  ++host(here).counters().barriers;
  if (among.size() == 1) return here.progress();
  auto& state = team_access::state(among);
  if (!state.between().all_direct()) return barrier_by_messages(among, site);
  const std::uint64_t epoch = ++state.barrier_epoch;
  const conduit::wait_reason reason{.operation = "barrier",
                                    .team = state.id,
                                    .number = epoch,
                                    .counted = observe::series::barriers,
                                    .site = site};
  if (!state.barrier_words) [[unlikely]] {
    const wait_scope in(here, reason);
    state.barrier_words = team_memory(among, sizeof(barrier_part));
  }
  const team_memory& words = state.barrier_words;
  const auto wait_for = [&](const std::uint64_t& word) {
    host(here).wait(
        conduit::wait_target::peers_word(word, conduit::comparison::greater_equal, epoch), reason);
  };
  const process_group& group = words.group();
  auto& own = part_of(words, group.first);
  // No atomic addition: the ranks of a process are one thread.
  if (group.members > 1 && ++own.here_arrived < epoch * static_cast<std::uint64_t>(group.members)) {
    return wait_for(own.here_released);
  }
  const std::uint64_t* const others = meet_processes(words, epoch);
  if (others != nullptr) wait_for(*others);
  own.here_released = epoch;
  if (others == nullptr) here.progress();  // others' messages wait where nobody here ever does
}

}  // namespace upwash::control
