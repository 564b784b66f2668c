// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking messages that are under way, and messages that a probe took out. To the program each
// of the former is a generalized request of the MPI library's, as a collective is (open_calls.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/kept_message.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "upwash/core/job.hpp"
#include "upwash/matching/engines/node_pool.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

class open_messages;
struct persistent_call;

/// Sets all but MPI_ERROR, which belongs to calls for several requests. Not of MPI_STATUS_IGNORE.
void fill(MPI_Status* status, const outcome& end);
/// Waits for a receive; blocking. What came is where the program wants it.
[[nodiscard]] outcome end_of(matching::receiving& coming, const incoming& into);

/// A send, a receive, or one of each. Pooled; until it is complete and the program has no request.
struct open_message {
  function which{};
  membership* on = nullptr;
  open_messages* in = nullptr;
  int parts = 0;                    ///< of it that are under way
  bool is_freed = false;            ///< the program has let go of its request
  persistent_call* kept = nullptr;  ///< whose start it is: then the request is its
  MPI_Request told{};               ///< that the program has; MPI_REQUEST_NULL: nobody asks
  std::optional<outgoing> out;
  std::optional<incoming> into;
  std::unique_ptr<kept_types> types;
  matching::receiving coming;
  outcome end;
  open_message* next_free = nullptr;
  open_message* before = nullptr;  ///< among those under way
  open_message* behind = nullptr;
};

/// Handles of messages that a probe took out are numbers that are none of the MPI library's: its
/// addresses are even, and MPICH's numbers have no such kind.
inline constexpr std::uintptr_t claimed_bits = 0x7e000001;
[[nodiscard]] inline bool is_claimed(std::uintptr_t word) noexcept {
  return word >> 24U == claimed_bits >> 24U && word % 2 == 1;
}

/// Of one rank. Memory: about 300 bytes a message under way.
class open_messages {
 public:
  explicit open_messages(job& here) : here_(here) {}
  open_messages(const open_messages&) = delete;
  open_messages& operator=(const open_messages&) = delete;

  [[nodiscard]] bool empty() const noexcept { return last_ == nullptr; }

  [[nodiscard]] open_message& make(function which, membership& on);
  /// Sends what `message.out` holds.
  void send(open_message& message, int to, int tag, matching::mode how);
  /// Receives into what `message.into` holds.
  void receive(open_message& message, matching::receiving coming);
  /// All of it is begun: gives the program a request for it.
  void give(open_message& message, MPI_Request* request);
  /// The same where nobody will ask, or who asks has a persistent request.
  void detach(open_message& message);
  /// Takes its receive back, if no message has met it.
  static void cancel(open_message& message) { message.coming.cancel(); }
  /// Blocks until those on the communicator are complete.
  void finish(const membership& on);
  /// Before the end of the job: takes back receives that no message has met, as programs leave
  /// them, blocks until the rest is complete, and drops what probes took out.
  void end();
  /// Blocks until it is complete, where it is one of the last that were given; else the MPI library
  /// waits for it, which is slower. The program's request stays.
  void wait_for(MPI_Request request);
  /// The start of a persistent one that is under way, if any.
  void wait_for(const kept_message& message);

  /// A handle for a message that was taken out.
  [[nodiscard]] MPI_Message keep(matching::claimed_message message, membership& on);
  struct claimed {
    matching::claimed_message message;
    membership* on;
  };
  /// Null: none of ours.
  [[nodiscard]] claimed* find(MPI_Message message);
  /// It is received.
  void drop(MPI_Message message);

 private:
  static constexpr std::size_t most_recent = 1024;
  [[nodiscard]] open_message*& recent(MPI_Request request) noexcept {
    return recent_[(word_of(request) * 0x9e3779b97f4a7c15U >> 32U) % most_recent];
  }
  static void part_ended(void* message);
  void end_part(open_message& message);
  static int query(void* message, MPI_Status* status);
  static int let_go(void* message);
  static int cancel_if_open(void* message, int complete);

  job& here_;
  matching::node_pool<open_message> pool_;
  open_message* last_ = nullptr;                     ///< of those under way
  std::array<open_message*, most_recent> recent_{};  ///< incomplete, with a request
  std::unordered_map<std::uintptr_t, claimed> claimed_;
  unsigned last_claimed_ = 0;
};

}  // namespace upwash::mpi
