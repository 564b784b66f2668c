// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a network engine (an MPI library, UCX) must do so that a conduit can be made of it: carry
// packets in order, move large buffers, and say when each is done. All else (credits, lanes,
// throttling, reads of private memory, ranks that share a process) stands once, in wire_endpoint.
//
// Headers only, and nothing throws: transports live in plugins that link with the engine and with
// nothing of upwash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "upwash/base/memory_block.hpp"
#include "upwash/base/message.hpp"
#include "upwash/base/words.hpp"
#include "upwash/conduit/message.hpp"

namespace upwash::conduit::wire {

/// Who takes what a transport brings. Called from inside `transport::poll` only, on its thread; may
/// call anything of the transport but `poll` and `close`.
class transport_user {
 public:
  /// A whole packet of a process; `bytes` are the transport's, until this returns. Whether the poll
  /// may bring more: if not, it returns soon.
  [[nodiscard]] virtual bool packet(int process, std::span<const std::byte> bytes) = 0;

  /// The engine has lost a process (-1: it cannot tell which), and why. What was under way to it,
  /// or from it, may be lost; its completions are told all the same, or never.
  virtual void lost(int process, std::string_view why) noexcept = 0;
  /// The engine has no way to a process, which is there; what is to be set otherwise, where it can
  /// tell.
  virtual void unreachable(int process, std::string_view why) noexcept = 0;

  /// Where nothing happened in a method that blocks: gives the processor away as the job wants it.
  /// Does not return when the job has failed meanwhile.
  virtual void pause() noexcept = 0;

 protected:
  ~transport_user() = default;
};

/// Memory that the engine reaches by itself at peers, where it can. Invariants E5 and E6 of
/// `conduit::endpoint` hold; operations are as there, between processes.
class remote_access {
 public:
  /// What `atomic` carries out.
  [[nodiscard]] virtual atomic_set atomics() const noexcept = 0;

  /// A zeroed segment, aligned to 64 bytes, or to its page size from one page up. With base null on
  /// failure, and why.
  [[nodiscard]] virtual memory_block allocate(std::size_t bytes, std::string& why) noexcept = 0;
  virtual void release(const memory_block& block) noexcept = 0;

  /// Makes a private span readable by peers' `get` until it is concealed. False on failure.
  [[nodiscard]] virtual bool expose(std::span<const std::byte> span, memory_key& key,
                                    std::string& why) noexcept = 0;
  virtual void conceal(const memory_key& key) noexcept = 0;

  /// Of `remote_memory`, what the transport knows: handle, size and direct. False on failure.
  [[nodiscard]] virtual bool import(int process, const memory_key& key, remote_memory& memory,
                                    std::string& why) noexcept = 0;
  virtual void forget(const remote_memory& memory) noexcept = 0;

  /// `process`: whose memory it is.
  virtual injection put(int process, const remote_memory& to, std::size_t offset,
                        std::span<const std::byte> from, completion* local) noexcept = 0;
  virtual injection get(int process, const remote_memory& from, std::size_t offset,
                        std::span<std::byte> to, completion* local) noexcept = 0;
  virtual injection atomic(int process, const remote_memory& at, std::size_t offset,
                           const atomic_operation& operation, std::uint64_t* old,
                           completion* local) noexcept = 0;
  /// Whether `import` tells where each segment of a process of this node is mapped here. The same
  /// at all processes of the job.
  [[nodiscard]] virtual bool is_direct_in_node() const noexcept { return false; }

  /// Of all earlier operations to a process (-1: to all).
  virtual injection flush(int process, completion* when) noexcept = 0;

 protected:
  ~remote_access() = default;
};

/// The engine's side of one process. One thread at a time. No method blocks but `close`.
class transport {
 public:
  virtual ~transport() = default;

  /// The largest packet, the same in all processes; at least 1 KiB.
  [[nodiscard]] virtual std::size_t packet_bytes() const noexcept = 0;

  /// Sends a packet of 1 to packet_bytes() bytes to another process. `packet` is the transport's
  /// until `sent` is told (pending), or until this returns (done). Packets of a pair arrive in the
  /// order in which they were sent. Never refuses: its user counts credits.
  [[nodiscard]] virtual outcome send(int process, std::span<const std::byte> packet,
                                     completion& sent) noexcept = 0;

  /// One buffer of any size, 0 too, from one process to one: what `receive_bulk` of the other side
  /// with the same tag takes, whichever comes first. Both sides name the same number of bytes. A
  /// tag, below 32768, is used once at a time for each pair and direction. Unordered against all
  /// else.
  [[nodiscard]] virtual outcome send_bulk(int process, std::uint32_t tag,
                                          std::span<const std::byte> from,
                                          completion& sent) noexcept = 0;
  [[nodiscard]] virtual outcome receive_bulk(int process, std::uint32_t tag,
                                             std::span<std::byte> to,
                                             completion& came) noexcept = 0;

  /// Moves the engine on: brings about `most` packets at most, tells completions. How much
  /// happened.
  virtual int poll(transport_user& user, int most) noexcept = 0;

  /// The good end, collective and blocking, once: all that this process began is complete.
  /// `packets_to`: how many packets it sent to each process. Takes what is still under way to this
  /// process, and brings it to `user`. No other method is called after it.
  virtual void close(transport_user& user, std::span<const std::uint64_t> packets_to) noexcept = 0;

  /// Null: the engine reaches no memory by itself.
  [[nodiscard]] virtual remote_access* memory() noexcept { return nullptr; }
};

}  // namespace upwash::conduit::wire
