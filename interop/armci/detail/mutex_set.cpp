// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/armci/detail/mutex_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "interop/armci/detail/guard.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::armci {
namespace {

constexpr int most_held = 4096;  ///< of a set, by a rank

/// Tickets are two loads and a store where all load and store; elsewhere waiters must not look at
/// the owner again and again.
lock_kind kind_for(const team& members) {
  return all_direct(members) ? lock_kind::ticket : lock_kind::queue;
}

}  // namespace

mutex_set::mutex_set(const team& members, int own)
    : members_(members), counts_(static_cast<std::size_t>(members.size())) {
  control::all_gather_values(members_, own, std::span(counts_));
  const auto least = std::min_element(counts_.begin(), counts_.end());
  if (*least < 0) {
    throw refusal(
        code::count,
        fmt::format("rank {} wants {} mutexes; give 0 or more",
                    members_.world_rank(static_cast<int>(least - counts_.begin())), *least));
  }
  locks_ = lock_set(members_, *std::max_element(counts_.begin(), counts_.end()), kind_for(members_),
                    most_held);
  reach_all();
}

/// So that a later lock needs nobody at its owner.
void mutex_set::reach_all() {
  if (locks_.per_rank() > 0) {
    for (int i = 0; i < members_.size(); ++i) {
      if (locks_.try_lock(i, 0)) locks_.unlock(i, 0);
    }
    members_.here().quiet(call_site{});
  }
  control::barrier_by_messages(members_);
}

int mutex_set::owner(int mutex, int proc) const {
  const int size = members_.here().size();
  if (proc < 0 || proc >= size) {
    throw refusal(code::rank, fmt::format("rank {}; the job has ranks 0 to {}", proc, size - 1));
  }
  const int member = members_.member_of(proc);
  const int count = member < 0 ? 0 : counts_[static_cast<std::size_t>(member)];
  if (mutex < 0 || mutex >= count) {
    throw refusal(code::number, fmt::format("mutex {} of rank {}, which made {}, counted from 0",
                                            mutex, proc, count));
  }
  return member;
}

int mutex_set::owner_of_free(int mutex, int proc) const {
  const int member = owner(mutex, proc);
  if (locks_.holds(member, mutex)) {
    throw refusal(code::failed, fmt::format("mutex {} of rank {} is held by this rank already: it "
                                            "would wait for itself",
                                            mutex, proc));
  }
  if (held_ == most_held) {
    throw refusal(code::failed, fmt::format("mutex {} of rank {}: this rank holds {} already, the "
                                            "most there can be",
                                            mutex, proc, held_));
  }
  return member;
}

void mutex_set::lock(int mutex, int proc) {
  locks_.lock(owner_of_free(mutex, proc), mutex);
  ++held_;
}

bool mutex_set::try_lock(int mutex, int proc) {
  const bool taken = locks_.try_lock(owner_of_free(mutex, proc), mutex);
  if (taken) ++held_;
  return taken;
}

void mutex_set::unlock(int mutex, int proc) {
  const int member = owner(mutex, proc);
  if (!locks_.holds(member, mutex)) {
    throw refusal(code::failed,
                  fmt::format("mutex {} of rank {} is not held by this rank; only its holder "
                              "unlocks it",
                              mutex, proc));
  }
  locks_.unlock(member, mutex);
  --held_;
}

void mutex_set::release() {
  const int rank = members_.here().rank();
  std::array<std::uint64_t, 1> holder{held_ > 0 ? static_cast<std::uint64_t>(rank) + 1 : 0};
  control::all_reduce(members_, holder, control::fold::most);
  if (holder[0] != 0) {
    throw refusal(code::failed,
                  fmt::format("rank {} holds a mutex; unlock it before", holder[0] - 1));
  }
  locks_.release();
}

}  // namespace upwash::armci
