// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the locks of a set are taken and handed over: one class for each way. Members and indices
// are valid, a lock is taken by a rank that does not hold it and handed over by the one that does:
// lock_set sees to that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "upwash/conduit/waiting.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"

namespace upwash::detail {

class lock_way {
 public:
  virtual ~lock_way() = default;
  lock_way(const lock_way&) = delete;
  lock_way& operator=(const lock_way&) = delete;

  /// Blocks until the lock is held; returns what unlock wants to know of it.
  /// `site`: of the program's call, for reports.
  virtual std::uint64_t lock(int member, int index, const call_site& site) = 0;
  virtual std::optional<std::uint64_t> try_lock(int member, int index) = 0;
  virtual void unlock(int member, int index, std::uint64_t token) = 0;
  /// Collective; no lock is held.
  virtual void release() = 0;

 protected:
  lock_way() = default;
};

/// The words of a ticket lock, a line of their own: it is held by whose ticket is served.
struct alignas(64) ticket_words {
  std::uint64_t next = 0;
  std::uint64_t serving = 0;
  std::uint64_t parked = 0;  ///< that wait at the owner for an answer
};

/// Where this rank loads and stores it: its own memory always, a peer's where it is within reach.
template <class T>
[[nodiscard]] T* reached(job& here, const region& of, global_ptr<T> at) {
  if (at.rank() != here.rank()) return local(here, at);
  return reinterpret_cast<T*>(of.mine().data() + at.offset());
}

/// Blocks until the word, in `of`, has the value: by loads where this rank reaches it, else by a
/// get a look.
void await_word(job& here, const region& of, global_ptr<std::uint64_t> at, std::uint64_t value,
                const conduit::wait_reason& reason);

[[nodiscard]] std::unique_ptr<lock_way> make_ticket_way(const team& members, int per_rank);
/// `within_reach`: who loads and stores the owner's memory takes its ticket there (hybrid).
[[nodiscard]] std::unique_ptr<lock_way> make_server_way(const team& members, int per_rank,
                                                        bool within_reach);
[[nodiscard]] std::unique_ptr<lock_way> make_queue_way(const team& members, int per_rank,
                                                       int most_held);
[[nodiscard]] std::unique_ptr<lock_way> make_test_and_set_way(const team& members, int per_rank);
[[nodiscard]] std::unique_ptr<lock_way> make_array_way(const team& members, int per_rank);

}  // namespace upwash::detail
