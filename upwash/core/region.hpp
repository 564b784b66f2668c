// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Regions solve this problem: a rank wants to read and write the memory of other ranks. A region is
// memory of the members of a team that all of them can reach. The members allocate it together and
// agree on its id, so a global_ptr means the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/base/words.hpp"
#include "upwash/core/detail/region_table.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

class job;

/// A region as one member sees it: a handle, cheap to copy, valid until `free`.
/// @code
/// void shift(upwash::job& job) {
///   upwash::region cells = upwash::allocate(job.world(), sizeof(int));
///   const int right = (job.rank() + 1) % job.size();
///   const int mine = job.rank();
///   upwash::put(job, cells.at<int>(right), std::span(&mine, 1)).wait();
///   upwash::barrier(job.world(), upwash::blocking);
///   // Now cells.mine_as<int>()[0] is the rank of the left neighbour.
///   upwash::free(cells);
/// }
/// @endcode
class region {
 public:
  region() = default;

  [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Returns this rank's part. Zeroed at first; aligned to 64 bytes.
  [[nodiscard]] std::span<std::byte> mine() const noexcept {
    return {state_->own.base, state_->own.size};
  }
  /// Returns this rank's part as elements of T, as many as fit.
  template <class T>
  [[nodiscard]] std::span<T> mine_as() const noexcept {
    return {reinterpret_cast<T*>(state_->own.base), state_->own.size / sizeof(T)};
  }

  /// Returns a pointer into the part of a member of the team.
  [[nodiscard]] global_ptr<std::byte> at(int member, std::uint64_t offset_bytes = 0) const;
  template <class T>
  [[nodiscard]] global_ptr<T> at(int member, std::uint64_t element = 0) const {
    constexpr std::uint64_t most = ~std::uint64_t{0} / sizeof(T);  // Beyond this element the
                                                                   // product wraps.
    return at(member, (element < most ? element : most) * sizeof(T)).template as<T>();
  }

  [[nodiscard]] region_id id() const noexcept;  ///< the same at all members
  /// Returns the team whose members have parts.
  [[nodiscard]] team members() const noexcept { return team_; }
  /// Returns whether the processors, the conduit or the owners execute atomics on the region.
  [[nodiscard]] atomicity atomics() const noexcept { return state_->atomics; }
  /// Returns whether all parts have the same size.
  [[nodiscard]] bool uniform() const noexcept { return state_->least_bytes == state_->most_bytes; }

 private:
  friend region allocate(const team& members, std::size_t bytes, atomicity how,
                         const atomic_set& uses, call_site site);
  friend void free(region& going, call_site site);
  friend void publish_addresses(const region& of, call_site site);

  detail::region_state* state_ = nullptr;
  std::uint64_t bits_ = 0;  ///< detects copies of a freed handle
  team team_;
};

/// Allocates a region. Collective over `members`, blocking. Each member gives its own number of
/// `bytes` (0 allowed).
///
/// `uses` lists the intended atomics, the same at all members. List few: networks carry out only
/// some atomics, and one other atomic makes all atomics of the region a task of the owner. Memory:
/// the bytes, and at each rank a table of at most 1,024 parts, filled on first use. Messages: O(log
/// size) a rank. Throws `error` (system) at all members when a member lacks memory, and names that
/// member. Throws `error` (argument) if the requested atomicity is not possible between these
/// members.
[[nodiscard]] region allocate(const team& members, std::size_t bytes,
                              atomicity how = atomicity::automatic,
                              const atomic_set& uses = atomic_set::all(),
                              call_site site = call_site::current());

/// Frees a region. Collective over its team, blocking. All operations on the region by any member
/// must be complete. Throws `error` (argument) at a member with an operation under way for which a
/// request, counter, callback or quiet waits. Throws `error` (argument) for a region that was freed
/// through another copy of its handle.
void free(region& going, call_site site = call_site::current());

/// Publishes where the parts lie in the members' own address spaces, for `global_at` and
/// `address_at`. Valid until `free`. Collective over its team, blocking. Memory: 8 bytes a member,
/// 16 if parts are unequal. Messages: O(log size) a rank.
void publish_addresses(const region& of, call_site site = call_site::current());

/// Returns the address of a member's part in that member's address space. Null for an empty part.
/// Throws `error` (argument) if addresses were not published, or if `member` is no member. O(log
/// regions).
[[nodiscard]] const void* address_at(const region& of, int member);

/// Returns the global pointer for an address in the address space of world rank `rank`, in a region
/// whose addresses were published. Null for other addresses. Local. O(log regions); the first
/// question about a rank costs O(regions) and keeps about 60 bytes a region.
[[nodiscard]] global_ptr<std::byte> global_at(job& here, int rank, const void* remote);

/// Returns the global pointer of a local address in a region. Null for other addresses. O(log
/// regions).
template <class T>
[[nodiscard]] global_ptr<T> to_global(job& here, const T* local);

namespace detail {
[[nodiscard]] global_ptr<std::byte> global_of(job& here, const void* local);
}

template <class T>
global_ptr<T> to_global(job& here, const T* local) {
  return detail::global_of(here, local).template as<T>();
}

/// Private memory that peers may read with `get`, for large transfers between buffers that are in
/// no region. Plain data, to be sent in a message.
struct exposed_memory {
  int rank = -1;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;  ///< for peers that ask the owner; 0: none do
  memory_key key;            ///< for peers that read the memory themselves

  /// Copies the contents of `other` except the unused space of its key.
  void copy_from(const exposed_memory& other) noexcept {
    rank = other.rank;
    bytes = other.bytes;
    number = other.number;
    key.copy_from(other.key);
  }
};

/// Lets peers read a span until `conceal`. The span must stay valid until then. Local: sends no
/// messages.
[[nodiscard]] exposed_memory expose(job& here, std::span<const std::byte> span);
/// Ends the access of peers. All of their gets must be complete. Local.
void conceal(job& here, const exposed_memory& memory);

}  // namespace upwash
