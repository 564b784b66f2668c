// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking messages that are under way, and messages that a probe took out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/kept_message.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/own_request.hpp"
#include "upwash/core/job.hpp"
#include "upwash/matching/engines/node_pool.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

class open_messages;
struct persistent_call;

/// Waits for a receive; blocking. What came is not delivered yet.
[[nodiscard]] outcome end_of(matching::receiving& coming);
/// The same, delivered.
[[nodiscard]] outcome end_of(matching::receiving& coming, const incoming& into);
/// What such a receive got gets to where the program wants it.
void deliver(const outcome& end, const incoming& into);

/// A send, a receive, or one of each. Pooled; until it is complete and the program has no request.
/// Of a receive alone nobody is told: who asks looks at it.
struct open_message final : own_request {
  open_messages* in = nullptr;
  std::size_t copied_bytes = 0;     ///< of a small send that has no room at its receiver
  int parts = 0;                    ///< of it that are under way and told; 0: it is looked at
  bool receives = false;            ///< `coming` says what
  persistent_call* kept = nullptr;  ///< whose start it is: then the request is its
  std::optional<outgoing> out;      ///< none: the bytes are the program's, who keeps them
  std::optional<incoming> into;     ///< the same
  std::unique_ptr<kept_types> types;
  matching::receiving coming;
  open_message* next_free = nullptr;
  open_message* before = nullptr;  ///< among those under way that are told
  open_message* behind = nullptr;

  void deliver() override;
  /// Of a send nothing: MPI leaves that open.
  void cancel() override;
  void let_go() override;

 private:
  bool look() override;
};

/// Of one rank. Memory: about 300 bytes a message under way.
class open_messages {
 public:
  /// `copied_limit`: bytes of small sends that are copied here for lack of room at receivers.
  open_messages(job& here, request_book& requests, std::uint64_t copied_limit)
      : here_(here), requests_(requests), copied_limit_(copied_limit) {}
  open_messages(const open_messages&) = delete;
  open_messages& operator=(const open_messages&) = delete;

  /// The program's request for a send of bytes that stay where they are.
  [[nodiscard]] MPI_Request send(function which, membership& on, int to, int tag,
                                 std::span<const std::byte> bytes, matching::mode how);
  /// The same for a receive.
  [[nodiscard]] MPI_Request receive(function which, membership& on, int source, int tag,
                                    std::span<std::byte> into);
  /// A receive whose `coming` and `into` are the caller's to set; `ask_for` gives its request.
  [[nodiscard]] open_message& make_receive(function which, membership& on);
  [[nodiscard]] MPI_Request ask_for(open_message& message) { return requests_.handle_of(message); }

  /// Of packed bytes, or of several parts.
  [[nodiscard]] open_message& make(function which, membership& on);
  /// Sends what `message.out` holds.
  void send(open_message& message, int to, int tag, matching::mode how);
  /// Receives into what `message.into` holds.
  void receive(open_message& message, matching::receiving coming);
  /// Whether a small send that has no room at its receiver may be copied and is then complete, as
  /// MPI libraries do it: until copies take too much memory. Says so once.
  [[nodiscard]] bool may_copy(const membership& on, int to, std::size_t bytes);
  /// Sends a copy: complete on return.
  void send_copy(function which, membership& on, staging& memory, const elements& what, int to,
                 int tag, matching::mode how);
  /// All of it is begun: gives the program a request for it.
  void give(open_message& message, MPI_Request* request);
  /// The same where nobody will ask, or who asks has a persistent request.
  void detach(open_message& message);
  /// Blocks until those on the communicator are complete.
  void finish(const membership& on);
  /// Before the end of the job: takes back receives that no message has met, as programs leave
  /// them, blocks until the rest is complete, and drops what probes took out.
  void end();
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
  friend struct open_message;
  static void part_ended(void* message);
  void end_part(open_message& message);
  [[nodiscard]] open_message& begin(open_message& made, function which, membership& on);
  /// Among those that are told.
  void add(open_message& message);
  /// All of it is complete.
  void end(open_message& message);
  /// Has a receive told that is looked at, since the program will not ask any more.
  void leave(open_message& message);

  job& here_;
  request_book& requests_;
  matching::node_pool<open_message> pool_;
  open_message* unused_ = nullptr;  ///< of a send that was complete when its call returned
  std::uint64_t copied_limit_;
  std::uint64_t copied_bytes_ = 0;
  bool has_copied_ = false;
  open_message* last_ = nullptr;  ///< of those under way that are told
  std::unordered_map<std::uintptr_t, claimed> claimed_;
  unsigned last_claimed_ = 0;
};

}  // namespace upwash::mpi
