// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conduit interface: how bytes move. Everything else is built on it once, in core.
//
// An endpoint belongs to a process and hosts 1..k ranks; queues and connections are per pair of
// endpoints, and each message names its destination rank. One thread at a time drives an
// endpoint (the exception is `poll_memory`). Invariants, numbered as the tests cite them:
//   E1  Within a (source, destination, lane) messages arrive in the order of injection, unless
//       capabilities::ordered is false. Lanes may overtake each other.
//   E2  A full or busy peer never delays traffic to others: queues are per destination.
//   E3  Polling never nests: a handler may inject but never polls. Injection never polls.
//   E4  An endpoint always takes what is in its queues. What is throttled is new requests from
//       outside handlers, at their source.
//   E5  Puts, gets and atomics are unordered among themselves and against messages; `flush` and
//       remote completion order them.
//   E6  No operation here blocks or throws after start-up, but `idle` (blocks by design), and
//       allocate, register_span and import (throw `error`, kind system) and join (fault).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/memory.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/process_shelf.hpp"
#include "upwash/conduit/waiting.hpp"

namespace upwash::observe {
class trace_writer;
}

namespace upwash::conduit {

struct network_collective;
class write_watch;

/// Where a rank runs; ids are dense from 0 and grow with the rank.
struct location {
  int node = 0;
  int socket = 0;   ///< over all nodes
  int process = 0;  ///< over all nodes; ranks that share an endpoint share it
};

/// The classes of peers that a conduit may serve differently.
enum class nearness : std::uint8_t {
  process,  ///< in the same process; a rank is such a peer of itself
  node,     ///< in another process of the same node
  remote,   ///< on another node
};
inline constexpr std::size_t nearness_count = static_cast<std::size_t>(nearness::remote) + 1;

/// The class of a pair. It depends on nothing else, so all ranks agree about any pair.
[[nodiscard]] constexpr nearness nearness_of(const location& a, const location& b) noexcept {
  if (a.process == b.process) return nearness::process;
  return a.node == b.node ? nearness::node : nearness::remote;
}

/// What a conduit can do by itself for peers of one class; core emulates the rest.
struct peer_capabilities {
  bool direct_access = false;      ///< imported segments have `direct`
  bool remote_write = false;       ///< put, get and flush move data to and from segments
  bool private_reads = false;      ///< get from registered private spans
  bool reads_aside = false;        ///< read_aside may read them
  bool remote_completion = false;  ///< told per operation
  bool put_signal = false;
  bool long_messages = false;    ///< send_long
  bool in_place = false;         ///< prepare / commit / cancel
  atomic_set atomics;            ///< what `atomic` carries out
  std::size_t medium_bytes = 0;  ///< largest payload of a message, >= 512

  friend constexpr bool operator==(const peer_capabilities&,
                                   const peer_capabilities&) noexcept = default;
};

/// What a conduit can do: facts of the whole endpoint, and those of each class of peers. The same
/// at all ranks of a job. A class that no pair of the job's ranks belongs to may say anything;
/// where it repeats another, core has less to look up.
struct capabilities {
  std::string_view name;
  bool ordered = true;               ///< E1 holds
  bool virtual_time = false;         ///< now() is simulated, charge() counts
  bool network_collectives = false;  ///< join
  std::array<peer_capabilities, nearness_count> peers;

  [[nodiscard]] constexpr const peer_capabilities& of(nearness which) const noexcept {
    return peers[static_cast<std::size_t>(which)];
  }
  /// Says the same of all classes.
  constexpr void set_all(const peer_capabilities& same) noexcept { peers.fill(same); }
  /// Whether all classes are served alike: then nobody needs to know who is near.
  [[nodiscard]] constexpr bool uniform() const noexcept {
    return peers[0] == peers[1] && peers[1] == peers[2];
  }
};

/// What layers charge virtual time for; a real conduit ignores it. The unit of `amount`.
enum class cost : std::uint8_t {
  copy,       ///< bytes
  combine,    ///< messages combined
  handler,    ///< handlers run
  push,       ///< stream pushes
  reduce,     ///< bytes
  traversal,  ///< queue entries looked at
  poll,       ///< calls to progress or test
};

class endpoint : public waiter {
 public:
  virtual ~endpoint() = default;
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  // -- Who and where --------------------------------------------------------------------------
  [[nodiscard]] virtual const capabilities& describe() const noexcept = 0;
  [[nodiscard]] virtual int world_size() const noexcept = 0;
  [[nodiscard]] virtual int first_rank() const noexcept = 0;   ///< hosted here
  [[nodiscard]] virtual int local_ranks() const noexcept = 0;  ///< how many, consecutive
  [[nodiscard]] virtual location place(int rank) const noexcept = 0;

  /// Messages for `rank` (hosted here) go to `receiver` from now on; messages that came before
  /// are kept. Null takes it away: later messages are kept again.
  virtual void attach(int rank, sink* receiver) = 0;

  // -- Active messages ------------------------------------------------------------------------
  /// Injects one message. Arguments and payload are copied before it returns: both may be
  /// reused. done or retry. `from_handler`: not throttled (E4).
  virtual injection send(const message& m, bool from_handler) = 0;

  /// The same, for conduits that gain by it.
  virtual injection send_small(small_message m, const std::byte* arguments,
                               std::span<const std::byte> payload);

  /// Reserves room for a payload of at most `bytes` to be written in place. done or retry.
  /// One reservation at a time for a source, destination and lane; until it is committed or
  /// cancelled, that source's sends to that destination and lane answer retry(reserved); other
  /// sources' go on, but for one that wants a room where the endpoint has only one. Needs in_place,
  /// as all needs below for the class of the destination.
  virtual injection prepare(int source, int destination, lane kind, std::size_t bytes,
                            reservation& room);
  /// Sends the first `m.payload.size()` bytes of the room; `m.payload` must start there.
  virtual void commit(const reservation& room, const message& m);
  virtual void cancel(const reservation& room);

  /// Writes `from` to `to` + offset and then delivers `m` (payload empty). `local` as for put.
  /// Unordered. Needs long_messages.
  virtual injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                              std::span<const std::byte> from, completion* local,
                              bool from_handler);

  /// While on, peers' requests from outside handlers to this endpoint answer retry(throttled).
  /// Counts: each rank of the endpoint may turn it on, and it is off when all have turned it off.
  virtual void throttle(bool on) = 0;

  // -- Memory ---------------------------------------------------------------------------------
  /// A zeroed segment of `rank` (hosted here), aligned to 64 bytes, or to its page size from
  /// one page up. Backed for real: a lack of memory is an error here, not a SIGBUS later.
  [[nodiscard]] virtual memory_block allocate(int rank, std::size_t bytes) = 0;
  virtual void release(int rank, const memory_block& block) = 0;

  /// Makes a private span readable by `get` from peers until deregistered. Needs private_reads.
  [[nodiscard]] virtual memory_key register_span(int rank, std::span<const std::byte> span);
  virtual void deregister(int rank, const memory_key& key);

  /// A peer's block as reachable by `rank`: direct where its class has direct_access. Bounded work;
  /// may map memory.
  [[nodiscard]] virtual remote_memory import(int rank, int owner, const memory_key& key) = 0;
  /// Operations in flight on the block complete all the same.
  virtual void forget(int rank, const remote_memory& memory) = 0;

  /// Copies `from` to the peer's memory. `from` is the conduit's until local completion. With a
  /// signal (needs put_signal) the word is added to after the data is visible. done means both
  /// stages are reached. Needs remote_write.
  virtual injection put(int rank, const remote_memory& to, std::size_t offset,
                        std::span<const std::byte> from, completions when,
                        const put_signal* signal);

  /// Copies from the peer's memory into `to`; `to` is valid at local completion, or at done.
  virtual injection get(int rank, const remote_memory& from, std::size_t offset,
                        std::span<std::byte> to, completion* local);

  /// Reads `to.size()` bytes at `offset` of a span that `owner` has registered under `key`, from
  /// any thread, beside whatever the endpoint does. Blocks while it copies. False: not here, or not
  /// now; `to` may hold anything, and `get` reads it or says what is wrong. Needs reads_aside.
  [[nodiscard]] virtual bool read_aside(int rank, int owner, const memory_key& key,
                                        std::size_t offset, std::span<std::byte> to) noexcept;

  /// One atomic at the target. At local completion, or at done, it has been executed there, and the
  /// old value (fetching kinds, load) is in `*old`. Needs kind and width in atomics.
  virtual injection atomic(int rank, const remote_memory& at, std::size_t offset,
                           const atomic_operation& operation, std::uint64_t* old, completions when);

  /// Who is told of calls and of what owners write, where the conduit looks for conflicts of puts;
  /// else null. The same as long as the endpoint.
  [[nodiscard]] virtual write_watch* watch() noexcept { return nullptr; }

  /// Tells `when` once all earlier puts, gets, atomics and long messages of `rank` to `peer`
  /// (-1: to all) are complete at the target. done if they are. Needs remote_write (-1: of any).
  virtual injection flush(int rank, int peer, completion* when);

  // -- Collectives ----------------------------------------------------------------------------
  /// Takes part in a collective that the network carries out; `when` is told when the rank has its
  /// result, or its part is given. pending or retry. Needs network_collectives. Throws `error`
  /// (fault) where members differ in what they join.
  virtual injection join(int rank, const network_collective& part, completion* when);

  // -- Progress -------------------------------------------------------------------------------
  /// Takes messages (delivering them to their sinks), moves transfers on, tells completions;
  /// a bounded amount. Returns how many things happened. Not from inside a handler (E3).
  virtual int poll(int rank) = 0;

  /// The memory lane only; may be called by one other thread beside the driving one, on endpoints
  /// of one rank. What it delivers is answered from that thread by `send` on the memory lane, while
  /// the driving thread may be in any call.
  virtual int poll_memory(bool /*may_sleep*/) { return 0; }

  /// From any thread: poll_memory, which may sleep until there is work, returns soon, at most once
  /// for several of these.
  virtual void wake_poll_memory() {}

  // -- The end --------------------------------------------------------------------------------
  /// A rank of the job that the engine has lost, or -1. Stays; cheap. Nothing more comes of it, and
  /// what goes to it may be lost: core ends the job. Of an engine that is told by nobody else
  /// (bootstrap::failed is the launcher's notice).
  [[nodiscard]] virtual int lost_rank() const noexcept { return -1; }

  /// Once for each rank hosted here, at the good end of its job: no rank sends it anything more,
  /// all that it began is complete, its segments may still be released. May wait until the engine
  /// has let go of what it still holds, as before MPI_Finalize. Not after an error.
  virtual void close(int /*rank*/) {}

  // -- Time -----------------------------------------------------------------------------------
  /// Time since the start of the job at `rank`: virtual, or the steady clock.
  [[nodiscard]] virtual duration now(int rank) const noexcept = 0;
  /// Virtual time for work that the library did; ignored by real conduits.
  virtual void charge(int /*rank*/, cost /*kind*/, std::uint64_t /*amount*/) noexcept {}
  /// The program computes: advances virtual time; a real conduit does nothing, or burns the
  /// time when the knob compute says so.
  virtual void compute(int rank, duration time) = 0;

  /// Where the rank writes down what it does, by the clock of `now`; null: nowhere. The same as
  /// long as the endpoint.
  [[nodiscard]] virtual observe::trace_writer* trace(int /*rank*/) noexcept { return nullptr; }

  /// What the ranks of this endpoint share.
  [[nodiscard]] process_shelf& shelf() noexcept { return shelf_; }
  /// What all ranks in this address space share, also of several (simulated) processes: objects
  /// that follow from facts of the job alone.
  [[nodiscard]] virtual process_shelf& facts() noexcept { return shelf_; }

 protected:
  endpoint() = default;

 private:
  process_shelf shelf_;
};

}  // namespace upwash::conduit
