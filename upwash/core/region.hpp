// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Regions: memory of the members of a team that all of them can reach. Allocated together;
// named by an id that the team agreed on, so that a global_ptr means the same everywhere.
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
class region {
 public:
  region() = default;

  [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }
  /// My part. Zeroed at first; 64-byte aligned.
  [[nodiscard]] std::span<std::byte> mine() const noexcept {
    return {state_->own.base, state_->own.size};
  }
  /// My own part as elements of T: as many as fit.
  template <class T>
  [[nodiscard]] std::span<T> mine_as() const noexcept {
    return {reinterpret_cast<T*>(state_->own.base), state_->own.size / sizeof(T)};
  }

  /// A pointer into the part of a member of the team.
  [[nodiscard]] global_ptr<std::byte> at(int member, std::uint64_t offset_bytes = 0) const;
  template <class T>
  [[nodiscard]] global_ptr<T> at(int member, std::uint64_t element = 0) const {
    constexpr std::uint64_t most = ~std::uint64_t{0} / sizeof(T);  // beyond it the product wraps
    return at(member, (element < most ? element : most) * sizeof(T)).template as<T>();
  }

  [[nodiscard]] region_id id() const noexcept;  ///< what names it at all members
  /// The team whose members have parts.
  [[nodiscard]] team members() const noexcept { return team_; }
  /// Whether the processors or the conduit execute atomics on it, or its owners.
  [[nodiscard]] atomicity atomics() const noexcept { return state_->atomics; }
  /// Whether all parts have the same size.
  [[nodiscard]] bool uniform() const noexcept { return state_->least_bytes == state_->most_bytes; }

 private:
  friend region allocate(const team& members, std::size_t bytes, atomicity how,
                         const atomic_set& uses, call_site site);
  friend void free(region& going, call_site site);
  friend void publish_addresses(const region& of, call_site site);

  detail::region_state* state_ = nullptr;
  std::uint64_t bits_ = 0;  ///< by which a copy of the handle finds out that it was freed
  team team_;
};

/// Collective over `members`, blocking: each gives its own number of bytes (0 allowed). `uses`: the
/// atomics that it is for, the same at all members; few, because networks carry out some only, and
/// the others make all of the region's a task of the owner. Memory: the bytes, and at each rank a
/// table of at most 1,024 parts, filled on first use. Messages: O(log size) a rank. Throws `error`:
/// system at all members when one lacks memory, naming it; argument when the atomicity asked for
/// cannot be had between these members.
[[nodiscard]] region allocate(const team& members, std::size_t bytes,
                              atomicity how = atomicity::automatic,
                              const atomic_set& uses = atomic_set::all(),
                              call_site site = call_site::current());

/// Collective over its team, blocking: all operations on it by any member must be complete. Throws
/// `error` (argument) at a member that has some under way for which a request, counter, callback
/// or quiet waits, and of a region that was freed through another copy of its handle.
void free(region& going, call_site site = call_site::current());

/// Collective over its team, blocking: all members tell each other where their parts lie in their
/// own address spaces, for `global_at` and `address_at`. Until `free`. Memory: 8 bytes a member, 16
/// where parts are unequal. Messages: O(log size) a rank.
void publish_addresses(const region& of, call_site site = call_site::current());

/// Where the part of a member lies, in its address space; null for an empty part. Throws `error`
/// (argument) where addresses were not published, or for no member. O(log regions).
[[nodiscard]] const void* address_at(const region& of, int member);

/// The global pointer of an address in the address space of `rank` of the world, in a region whose
/// addresses were published; null for other addresses. O(log regions); O(regions) for the first
/// question about a rank, and about 60 bytes a region kept for it. Local.
[[nodiscard]] global_ptr<std::byte> global_at(job& here, int rank, const void* remote);

/// The global pointer of a local address in a region; null for other addresses. O(log regions).
template <class T>
[[nodiscard]] global_ptr<T> to_global(job& here, const T* local);

namespace detail {
[[nodiscard]] global_ptr<std::byte> global_of(job& here, const void* local);
}

template <class T>
global_ptr<T> to_global(job& here, const T* local) {
  return detail::global_of(here, local).template as<T>();
}

/// Private memory made readable for peers (`get` from it): for large transfers between buffers
/// that are in no region. Plain data, to be sent in a message.
struct exposed_memory {
  int rank = -1;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;  ///< for peers that ask the owner for it; 0: none do
  memory_key key;            ///< for peers that read it themselves

  /// Takes over what another holds, not the room behind its key.
  void copy_from(const exposed_memory& other) noexcept {
    rank = other.rank;
    bytes = other.bytes;
    number = other.number;
    key.copy_from(other.key);
  }
};

/// Lets peers read a span until `conceal`. Local: sends no messages. The span must stay until then.
[[nodiscard]] exposed_memory expose(job& here, std::span<const std::byte> span);
/// Peers read it no more: all of their gets must be complete. Local.
void conceal(job& here, const exposed_memory& memory);

}  // namespace upwash
