// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators and their teams. Whether a communicator has one depends on facts that are the same
// at all its members: who they are, and which collective calls they have made on it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/freed_teams.hpp"
#include "interop/mpi/detail/held_communicators.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/topology.hpp"
#include "interop/mpi/detail/turn_lock.hpp"
#include "upwash/core/team.hpp"

namespace upwash::mpi {

/// What one persistent collective has for itself. Members may start theirs in any order: so each
/// has a team of its own, on which its starts alone are counted.
struct own_place {
  team among;
  std::unique_ptr<topology> near;  ///< of calls among neighbours
  bool taken = false;              ///< by a request of this rank
};

/// What is known of a communicator.
struct membership {
  fate refused = fate::taken;    ///< why it can have no team; taken: it can
  team among;                    ///< none: no call that may wait has been made yet
  bool is_announced = false;     ///< its members share memory
  bool has_collectives = false;  ///< upwash has had some: its team goes when all members say so
  int rank = 0;
  int size = 1;
  bool has_messages = false;          ///< upwash has all of them, from its first
  bool has_library_requests = false;  ///< the library has had nonblocking collectives
  std::uint64_t under_way = 0;        ///< calls of messages, nonblocking ones of collectives
  std::uint64_t kept_messages = 0;    ///< persistent requests, and those that a probe took out
  std::uint64_t calls = 0;            ///< collective ones that were taken over, or sampled
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t children = 0;                      ///< calls that made communicators of it
  std::map<std::uint64_t, std::uint64_t> of_some;  ///< the same, of some members, by who and tag
  bool knows_neighbors = false;                    ///< `near` says it
  std::unique_ptr<topology> near;                  ///< null: no topology that upwash takes
  /// Of persistent calls, made in one order by all members.
  std::vector<std::unique_ptr<own_place>> places;

  /// For a call that does not wait; without memory that members share it goes by messages.
  [[nodiscard]] bool is_ready(bool for_neighbors) const noexcept {
    return for_neighbors ? knows_neighbors : static_cast<bool>(among);
  }
  [[nodiscard]] bool is_complete(bool for_neighbors) const noexcept {
    return is_announced && is_ready(for_neighbors);
  }
  /// Of one that the program has freed: nothing of it will be used here any more.
  [[nodiscard]] bool is_over() const;
};

/// Of one process. Memory: about 100 bytes a communicator, its team, and those of the persistent
/// collectives that it has had at one time.
class communicator_book {
 public:
  /// After MPI_Init. `ranks`: the rank in upwash's world of each rank of MPI_COMM_WORLD; stays.
  /// `threads` is held by who makes teams.
  communicator_book(const team& world, std::vector<int> ranks, turn_lock& threads);
  communicator_book(const communicator_book&) = delete;
  communicator_book& operator=(const communicator_book&) = delete;
  /// Before the end of MPI.
  ~communicator_book();

  /// Local. Of a handle that is none of a communicator: null. O(1) for those used last; the first
  /// time O(members).
  [[nodiscard]] membership* find(MPI_Comm comm) {
    const recent& at = recent_[hash(comm)];
    if (at.of != nullptr && at.key == word_of(comm)) [[likely]]
      return at.of;
    return look_up(comm);
  }

  /// Gives it a team, without a message: `name` is another one for each that is made of the same
  /// members, and the same at all of them. Not where it is refused. Local.
  void name(membership& of, std::uint64_t name);
  /// Gives it a team, if it has none, what its members share, and what neighbours need. Not where
  /// it is refused, but for neighbours of one rank. Collective over the communicator, blocking,
  /// like a barrier.
  void make_ready(membership& of, bool for_neighbors);

  /// A place for a persistent call: one that all members have given back, or a new one. Taken. Null
  /// at all members where there are `most_places`. Collective over the communicator, which is ready
  /// for such calls; blocking.
  [[nodiscard]] own_place* place_of(membership& of, bool for_neighbors);

  /// Around MPI_Comm_free and MPI_Comm_disconnect: what was known of it, and, once the library has
  /// let go of it, its end here. Local: programs count on it that a rank may free a communicator
  /// whose messages others wait for. Its teams go once all members have freed it, but for one that
  /// has had no collective calls: that goes once nothing is under way on it here.
  [[nodiscard]] membership* take(MPI_Comm comm) noexcept;
  void free(membership* of);
  /// In place of `free` if the library has refused to free `comm`: undoes `take`. Local.
  void put_back(MPI_Comm comm, membership* of) noexcept;
  [[nodiscard]] freed_teams& freed() noexcept { return freed_; }
  /// After `take`, before the library's MPI_Comm_free: its collectives on `comm` may be under way.
  void hold_for_library(MPI_Comm comm, const membership& of);

  /// The upwash ranks of its members; none where some are of another job.
  [[nodiscard]] std::vector<int> members_of(MPI_Comm comm) const;

  /// Around the library's functions that make communicators. The end is true where no other thread
  /// is in one.
  void begin_making() noexcept { ++making_; }
  [[nodiscard]] bool end_making() noexcept { return --making_ == 0; }

  /// Called when the library frees one by itself.
  void forget(membership* of);

 private:
  struct recent {
    std::uintptr_t key = 0;
    membership* of = nullptr;
  };
  static constexpr std::size_t most_recent = 64;
  /// Of a communicator. A team takes some 200 KiB of shared memory a rank.
  static constexpr std::size_t most_places = 128;

  [[nodiscard]] static std::size_t hash(MPI_Comm comm) noexcept {
    return (word_of(comm) * 0x9e3779b97f4a7c15U >> 32U) % most_recent;
  }
  [[nodiscard]] membership* look_up(MPI_Comm comm);
  [[nodiscard]] std::unique_ptr<membership> describe(MPI_Comm comm) const;
  /// By place: whether all members have given it back. Collective, blocking.
  [[nodiscard]] static std::vector<unsigned char> given_back(const membership& of);
  void make_team(membership& of);
  /// With several threads.
  [[nodiscard]] std::uint64_t agreed_name(MPI_Comm comm);
  team world_;
  std::vector<int> ranks_;
  turn_lock& threads_;
  std::uint32_t names_ = 0;
  int making_ = 0;  ///< threads that make communicators
  freed_teams freed_;
  held_communicators held_;
  MPI_Group world_group_ = MPI_GROUP_NULL;
  int keyval_ = MPI_KEYVAL_INVALID;
  bool taking_ = false;
  /// Of MPI_COMM_SELF, whose attributes must not change while MPI_Finalize deletes them. Null: not
  /// looked up yet. Stays after the end of the job, as those of attributes do.
  membership* self_ = nullptr;
  std::array<recent, most_recent> recent_{};
};

}  // namespace upwash::mpi
