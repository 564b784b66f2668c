// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds puts to the same bytes that nothing orders, in checked runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upwash/base/call_stack.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/conduit/sim/detail/scheduler.hpp"
#include "upwash/conduit/sim/detail/segments.hpp"
#include "upwash/conduit/write_watch.hpp"

namespace upwash::conduit::sim {

/// Each write that lands at an owner is an event there, with a number; each operation that its
/// initiator is told to be complete is one there, with another. What a rank knows is a count of
/// both for each rank: the writes in that one's memory, and the operations of that one, of which it
/// has been told, directly or through others (a vector clock, Fidge 1988, Mattern 1989). Knowledge
/// travels with everything that a rank can learn from: messages of programs and handlers, values of
/// gets and atomics, what lands in its own memory. Completions tell of the operation alone: that a
/// write landed where others did, earlier, orders nothing. A write conflicts with an earlier one to
/// the same bytes when its initiator, at the call, did not know of that one by either count. So a
/// conflict is found whatever the times of the two writes are in this run, and none is told where
/// the program's own communication orders them.
///
/// Not looked at: reads, atomics and accumulates, an owner's own loads and stores.
///
/// Memory: 16 bytes for each pair of ranks, 8 bytes a rank for what each message and operation
/// under way knows and others do not share, 4 bytes for each operation that was begun, and a node
/// for each stretch of bytes that was written and that somebody does not know of yet. Time:
/// O(ranks) for each message behind something new.
class write_conflicts final : public write_watch {
 public:
  /// With more ranks nothing is looked for.
  static constexpr int most_ranks = 4096;

  /// What a rank knew at some time. Shared: the last who lets it go gives it back.
  struct knowledge {
    std::uint32_t holders = 0;
    std::vector<std::uint32_t> counts;  ///< writes by owner, then operations by initiator
  };
  /// Of a rank's own writes at one owner: those that are there, and those that it was told of.
  struct own_count {
    std::uint32_t writes = 0;
    std::uint32_t operations = 0;
  };
  /// Where something that flies comes from. Of memory that answers: without anything.
  struct origin {
    knowledge* known = nullptr;   ///< at the call
    own_count behind;             ///< of a later step: what it leaves behind
    std::uint32_t operation = 0;  ///< 0: of none
    std::uint32_t caller = 0;
  };

  write_conflicts(scheduler& ranks, const segments& memory);
  write_conflicts(const write_conflicts&) = delete;
  write_conflicts& operator=(const write_conflicts&) = delete;

  // -- Told by core ----------------------------------------------------------------------------
  [[nodiscard]] std::uint32_t begin(int rank) override;
  void is_untold(std::uint32_t operation, int target) override;
  void complete(std::uint32_t operation) override;
  void confirmed(std::uint32_t operation, int target) override;
  void end(std::uint32_t operation) override;
  void injects(int rank, std::uint32_t operation, bool is_first_step) override;
  void injects_for_memory(int rank) override { at(rank).by_memory = true; }
  void injected(int rank) override {
    at(rank).injecting = {};
    at(rank).by_memory = false;
  }
  void wrote(int owner, int source, std::span<const std::byte> at) override;

  // -- Told by messages and transfers ----------------------------------------------------------
  /// For what `rank` injects now; `let_go` ends it.
  [[nodiscard]] origin depart(int rank, int destination);
  [[nodiscard]] static origin share(const origin& with) noexcept;
  void let_go(origin& of) { drop(of.known); }
  /// A message is handed to `owner`: its handler may tell what it wrote.
  void deliver(int owner, const origin& from);
  /// A put lands.
  void land(int owner, int source, std::span<const std::byte> at, const origin& from);
  /// The conduit has heard that what `rank` wrote at `owner` is there; the rank has not.
  void heard(int rank, int owner, const origin& from);
  /// `rank` learns what the sender knew, or what `other` knows by now.
  void learn(int rank, const origin& from);
  void learn_from(int rank, int other);
  /// Knowledge that meets outside the ranks: in the switches.
  void add_to(std::vector<std::uint32_t>& meeting, int rank);
  void learn(int rank, const std::vector<std::uint32_t>& meeting);
  /// The owner's memory is given back.
  void forget(int owner, std::span<const std::byte> gone);

 private:
  /// Bytes from the map's key up to `end`, as last written.
  struct stretch {
    const std::byte* end = nullptr;
    std::uint32_t event = 0;
    std::uint32_t operation = 0;
    int source = 0;
    std::uint32_t caller = 0;
    duration when;
  };
  using stretches = std::map<const std::byte*, stretch>;
  struct rank_state {
    std::vector<std::uint32_t> counts;  ///< what it knows, as in `knowledge`
    knowledge* shared = nullptr;        ///< the same, while nothing is new
    origin injecting;         ///< of the operation that begins, not held; of none: as it is now
    bool later_step = false;  ///< what is injected is one, and comes behind what the rank has put
    bool by_memory = false;   ///< what is injected is an answer of the memory
    std::map<int, std::uint32_t> there;  ///< by owner: this rank's own writes up to that event
    std::map<int, std::vector<std::uint32_t>> untold;  ///< operations by target
    stretches written;                                 ///< in its memory
    std::size_t tidy_from = 1024;                      ///< stretches
    // As owner, of the message in hand. The conduit has put it in its turn before: what came too
    // early is not handed over. Others of its source may have overtaken it on other lanes.
    const origin* message = nullptr;
    std::uint32_t message_event = 0;  ///< of its writes; 0: none yet
  };
  [[nodiscard]] rank_state& at(int rank) noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] knowledge* now(int rank);
  void drop(knowledge*& of);
  [[nodiscard]] std::uint32_t caller();
  [[nodiscard]] std::uint32_t next_event(int owner);
  void merge(int rank, const std::vector<std::uint32_t>& news);
  void tell_of(int rank, std::uint32_t operation);
  /// Whether the first comes before the second, which `from` is of.
  [[nodiscard]] bool knows(const origin& from, int owner, const stretch& first,
                           const stretch& second) const noexcept;
  void enter(int owner, std::span<const std::byte> at, const stretch& made, const origin& from);
  static stretches::iterator carve(stretches& in, std::span<const std::byte> at);
  void tidy(int owner);
  void report(int owner, const std::byte* first, const std::byte* last, const stretch& earlier,
              const stretch& later);
  [[nodiscard]] std::string describe(const stretch& of) const;

  scheduler& scheduler_;
  const segments& memory_;
  std::vector<rank_state> ranks_;
  std::vector<std::unique_ptr<knowledge>> pool_;
  std::vector<knowledge*> unused_;
  struct begun {
    origin from;
    int rank = 0;
  };
  std::vector<begun> begun_;            ///< operations, by the number that core knows
  std::vector<std::uint32_t> told_{0};  ///< by operation: its event at its initiator; 0: none yet
  std::vector<std::uint32_t> ended_;
  std::vector<call_stack> callers_;  ///< by number, from 1
  std::map<call_stack, std::uint32_t> numbers_;
};

}  // namespace upwash::conduit::sim
