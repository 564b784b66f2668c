// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conduit interface: the transport of bytes, on which core builds everything else. An endpoint
// belongs to a process and hosts 1..k ranks. Queues and connections are per pair of endpoints, and
// each message names its destination rank. One thread at a time drives an endpoint (the exception
// is `poll_memory`). Class endpoint lists the invariants.
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

/// The location of a rank. Ids are dense from 0 and grow with the rank.
struct location {
  int node = 0;
  int socket = 0;   ///< over all nodes
  int process = 0;  ///< over all nodes; ranks of one endpoint have the same process
};

/// The classes of peers that a conduit may serve differently.
enum class nearness : std::uint8_t {
  process,  ///< in the same process; includes the rank itself
  node,     ///< in another process of the same node
  remote,   ///< on another node
};
inline constexpr std::size_t nearness_count = static_cast<std::size_t>(nearness::remote) + 1;

/// Returns the class of a pair. Depends only on the two locations, so all ranks agree about any
/// pair.
[[nodiscard]] constexpr nearness nearness_of(const location& a, const location& b) noexcept {
  if (a.process == b.process) return nearness::process;
  return a.node == b.node ? nearness::node : nearness::remote;
}

/// A conduit's own capabilities for peers of one class; core emulates the rest.
struct peer_capabilities {
  bool direct_access = false;      ///< imported segments have `direct`
  bool remote_write = false;       ///< put, get and flush move data to and from segments
  bool private_reads = false;      ///< get from registered private spans
  bool reads_aside = false;        ///< read_aside may read registered private spans
  bool remote_completion = false;  ///< reported per operation
  bool put_signal = false;
  bool long_messages = false;    ///< send_long
  bool in_place = false;         ///< prepare / commit / cancel
  atomic_set atomics;            ///< the atomics that `atomic` executes
  std::size_t medium_bytes = 0;  ///< largest payload of a message, >= 512

  friend constexpr bool operator==(const peer_capabilities&,
                                   const peer_capabilities&) noexcept = default;
};

/// A conduit's capabilities: those of the whole endpoint, and those for each class of peers. The
/// same at all ranks of a job. A class to which no pair of the job's ranks belongs may have any
/// value; if it equals another class, core has less to look up.
struct capabilities {
  std::string_view name;
  bool ordered = true;               ///< E1 holds
  bool virtual_time = false;         ///< now() is simulated, charge() counts
  bool network_collectives = false;  ///< join
  std::array<peer_capabilities, nearness_count> peers;

  [[nodiscard]] constexpr const peer_capabilities& of(nearness which) const noexcept {
    return peers[static_cast<std::size_t>(which)];
  }
  /// Sets the same capabilities for all classes.
  constexpr void set_all(const peer_capabilities& same) noexcept { peers.fill(same); }
  /// Returns whether all classes are served alike. Then the classes of peers need not be known.
  [[nodiscard]] constexpr bool uniform() const noexcept {
    return peers[0] == peers[1] && peers[1] == peers[2];
  }
};

/// The kinds of work for which layers charge virtual time, each with the unit of `amount`. A real
/// conduit ignores them.
enum class cost : std::uint8_t {
  copy,       ///< bytes
  combine,    ///< messages combined
  handler,    ///< handlers run
  push,       ///< stream pushes
  reduce,     ///< bytes
  traversal,  ///< visited queue entries
  poll,       ///< calls to progress or test
};

/// The transport of one process. Invariants, numbered as the tests cite them:
/// * E1  Messages of one (source, destination, lane) arrive in the order of injection, unless
///   capabilities::ordered is false. Lanes may overtake each other.
/// * E2  A full or busy peer never delays traffic to others: queues are per destination.
/// * E3  Polling never nests: a handler may inject but never polls. Injection never polls.
/// * E4  An endpoint always takes the messages in its queues. Only new requests from outside
///   handlers are throttled, at their source.
/// * E5  Puts, gets and atomics are unordered among themselves and against messages; `flush` and
///   remote completion order them.
/// * E6  No operation blocks or throws after start-up. Exceptions: `idle` blocks by design;
///   allocate, register_span and import throw `error` (system); join throws `error` (fault).
class endpoint : public waiter {
 public:
  virtual ~endpoint() = default;
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  // -- Identity and location ---------------------------------------------------------------------
  [[nodiscard]] virtual const capabilities& describe() const noexcept = 0;
  [[nodiscard]] virtual int world_size() const noexcept = 0;
  [[nodiscard]] virtual int first_rank() const noexcept = 0;   ///< first rank hosted here
  [[nodiscard]] virtual int local_ranks() const noexcept = 0;  ///< ranks hosted here, consecutive
  [[nodiscard]] virtual location place(int rank) const noexcept = 0;

  /// Delivers messages for `rank` (hosted here) to `receiver` from now on. Messages that arrived
  /// before are kept. Null detaches the receiver: later messages are kept again.
  virtual void attach(int rank, sink* receiver) = 0;

  // -- Active messages ------------------------------------------------------------------------
  /// Injects one message. Arguments and payload are copied before it returns: both may be reused.
  /// Returns done or retry. `from_handler`: not throttled (E4).
  virtual injection send(const message& m, bool from_handler) = 0;

  /// Injects one message in registers, for conduits that benefit. Otherwise as `send`.
  virtual injection send_small(small_message m, const std::byte* arguments,
                               std::span<const std::byte> payload);

  /// Reserves room for a payload of at most `bytes` bytes, to be written in place. Returns done or
  /// retry.
  ///
  /// Only one reservation at a time for a source, destination and lane. Until it is committed or
  /// cancelled, that source's sends to that destination and lane return retry(reserved). Sends of
  /// other sources continue, except those that need a room if the endpoint has only one. Needs
  /// in_place for the class of the destination; all needs below are for that class, too.
  virtual injection prepare(int source, int destination, lane kind, std::size_t bytes,
                            reservation& room);
  /// Sends the first `m.payload.size()` bytes of the room. `m.payload` must start there.
  virtual void commit(const reservation& room, const message& m);
  virtual void cancel(const reservation& room);

  /// Writes `from` to `to` + offset and then delivers `m` (payload empty). `local` as for put.
  /// Unordered. Needs long_messages.
  virtual injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                              std::span<const std::byte> from, completion* local,
                              bool from_handler);

  /// Switches throttling: while on, peers' requests from outside handlers to this endpoint return
  /// retry(throttled). Counts: each rank of the endpoint may turn it on, and it is off when all
  /// have turned it off.
  virtual void throttle(bool on) = 0;

  // -- Memory ---------------------------------------------------------------------------------
  /// Allocates a zeroed segment of `rank` (hosted here), aligned to 64 bytes, or to its page size
  /// from one page up. Pages are reserved at once: a lack of memory is an error here, not a SIGBUS
  /// later.
  [[nodiscard]] virtual memory_block allocate(int rank, std::size_t bytes) = 0;
  virtual void release(int rank, const memory_block& block) = 0;

  /// Makes a private span readable by peers with `get` until deregistered. Needs private_reads.
  [[nodiscard]] virtual memory_key register_span(int rank, std::span<const std::byte> span);
  virtual void deregister(int rank, const memory_key& key);

  /// Returns a peer's block as reachable by `rank`: direct if its class has direct_access. Bounded
  /// work; may map memory.
  [[nodiscard]] virtual remote_memory import(int rank, int owner, const memory_key& key) = 0;
  /// Forgets a peer's block. Operations in flight on the block still complete.
  virtual void forget(int rank, const remote_memory& memory) = 0;

  /// Copies `from` to the peer's memory. `from` belongs to the conduit until local completion. With
  /// a signal (needs put_signal) the word is added to after the data is visible. done means that
  /// both stages are reached. Needs remote_write.
  virtual injection put(int rank, const remote_memory& to, std::size_t offset,
                        std::span<const std::byte> from, completions when,
                        const put_signal* signal);

  /// Copies from the peer's memory into `to`. `to` is valid at local completion, or at done.
  virtual injection get(int rank, const remote_memory& from, std::size_t offset,
                        std::span<std::byte> to, completion* local);

  /// Reads `to.size()` bytes at `offset` of a span that `owner` has registered under `key`. From
  /// any thread, concurrently with the endpoint. Blocks during the copy. Returns false if this is
  /// not possible here or now. `to` may then hold anything, and `get` reads it or reports the
  /// error. Needs reads_aside.
  [[nodiscard]] virtual bool read_aside(int rank, int owner, const memory_key& key,
                                        std::size_t offset, std::span<std::byte> to) noexcept;

  /// Executes one atomic at the target. At local completion, or at done, it has been executed, and
  /// the old value (fetching kinds, load) is in `*old`. Needs kind and width in atomics.
  virtual injection atomic(int rank, const remote_memory& at, std::size_t offset,
                           const atomic_operation& operation, std::uint64_t* old, completions when);

  /// Returns the observer of calls and of owners' writes, if the conduit checks for conflicts of
  /// puts; else null. Constant during the endpoint's lifetime.
  [[nodiscard]] virtual write_watch* watch() noexcept { return nullptr; }

  /// Completes `when` once all earlier puts, gets, atomics and long messages of `rank` to `peer`
  /// (-1: to all) are complete at the target. Returns done if they are. Needs remote_write (-1: of
  /// any class).
  virtual injection flush(int rank, int peer, completion* when);

  // -- Collectives ----------------------------------------------------------------------------
  /// Takes part in a collective that the network executes. `when` completes when the rank has its
  /// result, or when its part is given. Returns pending or retry. Needs network_collectives. Throws
  /// `error` (fault) if members differ in the collective that they join.
  virtual injection join(int rank, const network_collective& part, completion* when);

  // -- Progress -------------------------------------------------------------------------------
  /// Takes messages (delivering them to their sinks), advances transfers and reports completions,
  /// by a bounded amount. Returns the number of events. Not from inside a handler (E3).
  virtual int poll(int rank) = 0;

  /// Polls the memory lane only. One other thread may call it concurrently with the driving thread,
  /// on endpoints of one rank. Handlers of its messages answer from that thread by `send` on the
  /// memory lane, while the driving thread may be in any call.
  virtual int poll_memory(bool /*may_sleep*/) { return 0; }

  /// Makes a poll_memory that may sleep until there is work return soon, at most once for several
  /// calls. From any thread.
  virtual void wake_poll_memory() {}

  // -- The end --------------------------------------------------------------------------------
  /// Returns a rank of the job that the engine has lost, or -1. Permanent; cheap. Nothing more
  /// arrives from that rank, and messages to it may be lost: core ends the job. For an engine that
  /// has no other notification (bootstrap::failed is the launcher's).
  [[nodiscard]] virtual int lost_rank() const noexcept { return -1; }

  /// Called once for each rank hosted here, at the good end of its job. No rank sends it anything
  /// more, its operations are complete, and its segments may still be released. May wait until the
  /// engine has released its resources, for example before MPI_Finalize. Not after an error.
  virtual void close(int /*rank*/) {}

  // -- Time -----------------------------------------------------------------------------------
  /// Returns the time since the start of the job at `rank`: virtual, or from the steady clock.
  [[nodiscard]] virtual duration now(int rank) const noexcept = 0;
  /// Charges virtual time for work of the library. Ignored by real conduits.
  virtual void charge(int /*rank*/, cost /*kind*/, std::uint64_t /*amount*/) noexcept {}
  /// Declares that the program computes for `time`. Advances virtual time. A real conduit does
  /// nothing, or spins for that time if the knob compute demands so.
  virtual void compute(int rank, duration time) = 0;

  /// Returns the writer for the rank's trace, by the clock of `now`; null without a trace. Constant
  /// during the endpoint's lifetime.
  [[nodiscard]] virtual observe::trace_writer* trace(int /*rank*/) noexcept { return nullptr; }

  /// Returns the objects that the ranks of this endpoint share.
  [[nodiscard]] process_shelf& shelf() noexcept { return shelf_; }
  /// Returns the objects that all ranks in this address space share, also those of several
  /// (simulated) processes. Only for objects that follow from facts of the job.
  [[nodiscard]] virtual process_shelf& facts() noexcept { return shelf_; }

 protected:
  endpoint() = default;

 private:
  process_shelf shelf_;
};

}  // namespace upwash::conduit
