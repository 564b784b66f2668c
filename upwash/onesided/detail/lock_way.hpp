// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The methods to take and hand over the locks of a set: one class for each method. lock_set ensures
// that members and indices are valid, that a rank takes only locks that it does not hold, and that
// only the holder hands a lock over.
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

  /// Blocks until the lock is held. Returns a token for unlock. `site`: of the program's call, for
  /// reports.
  virtual std::uint64_t lock(int member, int index, const call_site& site) = 0;
  virtual std::optional<std::uint64_t> try_lock(int member, int index) = 0;
  virtual void unlock(int member, int index, std::uint64_t token) = 0;
  /// Frees the memory. Collective; no lock is held.
  virtual void release() = 0;

 protected:
  lock_way() = default;
};

/// The words of a ticket lock, on their own cache line. The rank whose ticket is served holds the
/// lock.
struct alignas(64) ticket_words {
  std::uint64_t next = 0;
  std::uint64_t serving = 0;
  std::uint64_t parked = 0;  ///< waiting for an answer at the owner
};

/// Returns the address at which this rank loads and stores the value: always for its own memory,
/// for a peer's memory if it is within reach.
template <class T>
[[nodiscard]] T* reached(job& here, const region& of, global_ptr<T> at) {
  if (at.rank() != here.rank()) return local(here, at);
  return reinterpret_cast<T*>(of.mine().data() + at.offset());
}

/// Blocks until the word, in `of`, has the value: by loads if this rank reaches the word, else by a
/// get for each look.
void await_word(job& here, const region& of, global_ptr<std::uint64_t> at, std::uint64_t value,
                const conduit::wait_reason& reason);

[[nodiscard]] std::unique_ptr<lock_way> make_ticket_way(const team& members, int per_rank);
/// `within_reach`: a rank that loads and stores the owner's memory takes its ticket there (hybrid).
[[nodiscard]] std::unique_ptr<lock_way> make_server_way(const team& members, int per_rank,
                                                        bool within_reach);
[[nodiscard]] std::unique_ptr<lock_way> make_queue_way(const team& members, int per_rank,
                                                       int most_held);
[[nodiscard]] std::unique_ptr<lock_way> make_test_and_set_way(const team& members, int per_rank);
[[nodiscard]] std::unique_ptr<lock_way> make_array_way(const team& members, int per_rank);

}  // namespace upwash::detail
