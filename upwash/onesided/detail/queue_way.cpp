// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The queue of Mellor-Crummey and Scott. A lock is a word, the name of the last in its queue; who
// waits has a node, with the name of the one behind it and whether it waits. Tails are changed by
// atomics only; the words of nodes by puts of one peer, and by their owner while no peer knows
// them.
#include <atomic>
#include <cstddef>
#include <vector>

#include "upwash/conduit/waiting.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/onesided/detail/lock_way.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t nobody = 0;

/// A line of its own: its owner looks at it while it waits.
struct alignas(line_bytes) queue_node {
  std::uint64_t next = nobody;
  std::uint64_t locked = 0;
};
constexpr std::uint64_t locked_at = offsetof(queue_node, locked);

/// What this rank keeps of a node. The put that it made with it last has its source here: waited
/// for when the node is used again, so that no lock waits for an acknowledgement.
struct node_use {
  std::uint64_t told = 0;
  request put;
};

class queue_way final : public lock_way {
 public:
  queue_way(const team& members, int per_rank, int most_held)
      : here_(members.here()),
        me_(members.rank()),
        tails_(static_cast<std::uint64_t>(per_rank)),
        nodes_(static_cast<std::uint64_t>(most_held)),
        memory_(allocate(members, (tails_ + nodes_) * line_bytes, atomicity::automatic,
                         {{atomic_kind::swap, atomic_kind::compare_swap}, false, true})),
        uses_(nodes_) {
    for (std::uint64_t n = nodes_; n > 0; --n) unused_.push_back(n - 1);
  }

  std::uint64_t lock(int member, int index, const call_site& site) override {
    const std::uint64_t node = take_node();
    queue_node& mine = own(node);
    // Before anybody can know of the node.
    std::atomic_ref(mine.locked).store(1, std::memory_order_relaxed);
    const std::uint64_t before = swap(here_, tail(member, index), name_of(node));
    if (before == nobody) return node;
    const conduit::wait_reason reason{
        .operation = "lock", .peer = memory_.members().world_rank(member), .site = site};
    const wait_scope in(here_, reason);
    tell(node, word_of(before, offsetof(queue_node, next)), name_of(node));
    host(here_).wait(conduit::wait_target::peers_word(mine.locked, comparison::equal, 0), reason);
    return node;
  }

  std::optional<std::uint64_t> try_lock(int member, int index) override {
    const std::uint64_t node = take_node();
    if (compare_swap(here_, tail(member, index), nobody, name_of(node)) == nobody) return node;
    unused_.push_back(node);
    return {};
  }

  void unlock(int member, int index, std::uint64_t node) override {
    queue_node& mine = own(node);
    std::atomic_ref next(mine.next);
    if (next.load(std::memory_order_acquire) == nobody) {
      const std::uint64_t name = name_of(node);
      if (compare_swap(here_, tail(member, index), name, nobody) == name) {
        unused_.push_back(node);
        return;
      }
      // Somebody is behind and about to say who.
      host(here_).wait(conduit::wait_target::peers_word(mine.next, comparison::not_equal, nobody),
                       {.operation = "unlock", .peer = memory_.members().world_rank(member)});
    }
    // Also for one that came late: false, not true as the thesis says.
    tell(node, word_of(next.load(std::memory_order_acquire), locked_at), 0);
    unused_.push_back(node);
  }

  void release() override {
    for (node_use& each : uses_) each.put.wait();
    free(memory_);
  }

 private:
  [[nodiscard]] std::uint64_t name_of(std::uint64_t node) const noexcept {
    return 1 + static_cast<std::uint64_t>(me_) * nodes_ + node;
  }
  [[nodiscard]] global_ptr<std::uint64_t> word_of(std::uint64_t name, std::uint64_t word) const {
    const auto member = static_cast<int>((name - 1) / nodes_);
    const std::uint64_t line = tails_ + (name - 1) % nodes_;
    return memory_.at(member, line * line_bytes + word).as<std::uint64_t>();
  }
  [[nodiscard]] global_ptr<std::uint64_t> tail(int member, int index) const {
    return memory_.at(member, static_cast<std::uint64_t>(index) * line_bytes).as<std::uint64_t>();
  }
  [[nodiscard]] queue_node& own(std::uint64_t node) const noexcept {
    return memory_.mine_as<queue_node>()[tails_ + node];
  }

  [[nodiscard]] std::uint64_t take_node() {
    const std::uint64_t node = unused_.back();  // lock_set keeps to most_held
    uses_[node].put.wait();
    std::atomic_ref(own(node).next).store(nobody, std::memory_order_relaxed);
    unused_.pop_back();
    return node;
  }

  /// Puts a word with a node. Returns when it is on its way: whoever gets it may go on, whatever
  /// this rank does next.
  void tell(std::uint64_t node, global_ptr<std::uint64_t> to, std::uint64_t what) {
    // One store, which comes behind all that this rank stored under the lock.
    if (local(here_, to) != nullptr) return put_value(here_, to, what);
    node_use& with = uses_[node];
    with.put.wait();
    with.told = what;
    request sent;
    put(here_, to, std::span<const std::uint64_t>(&with.told, 1),
        {.local = notice::to(sent), .remote = notice::to(with.put)});
    sent.wait();
  }

  job& here_;
  int me_;
  std::uint64_t tails_;
  std::uint64_t nodes_;
  region memory_;
  std::vector<node_use> uses_;
  std::vector<std::uint64_t> unused_;
};

}  // namespace

std::unique_ptr<lock_way> make_queue_way(const team& members, int per_rank, int most_held) {
  return std::make_unique<queue_way>(members, per_rank, most_held);
}

}  // namespace upwash::detail
