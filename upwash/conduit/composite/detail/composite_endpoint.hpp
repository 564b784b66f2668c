// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One endpoint of a composite, and what all of a world share.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/fiber_ranks.hpp"
#include "upwash/conduit/process_world.hpp"

namespace upwash::conduit::composite {

struct shared_state {
  std::string name;
  capabilities can;
  std::vector<location> places;  ///< by world rank
  std::uint64_t events = 0;      ///< injections, deliveries and new waits so far, for `ranks`
  fiber_ranks* ranks = nullptr;  ///< that take turns where all are in one process; else null

  void note(std::uint64_t more = 1) noexcept {
    if (ranks != nullptr) events += more;
  }
};

/// What both parts can do together, `inner` inside each of the nodes.
[[nodiscard]] capabilities combine(const capabilities& inner, const capabilities& outer,
                                   bool several_nodes);

/// Takes what one part delivers to a rank, in that part's ranks, and hands it on in the world's.
class translator final : public sink {
 public:
  /// `numbers`: the part keeps order, the whole does not, so nobody has carried the numbers that
  /// core gave: they are how many came before.
  translator(shared_state& shared, int first_rank, bool numbers)
      : shared_(shared), first_rank_(first_rank), numbers_(numbers) {}

  void hand_to(sink* receiver) {
    receiver_ = receiver;
    counted_.clear();  // another job begins
  }
  void deliver(const message& arrived) override;
  [[nodiscard]] const sink* receiver() const noexcept { return receiver_; }
  [[nodiscard]] bool receiver_acts_first() const noexcept {
    return receiver_ != nullptr && receiver_->acts_first();
  }

 private:
  shared_state& shared_;
  int first_rank_;
  bool numbers_;
  sink* receiver_ = nullptr;
  std::map<std::pair<int, lane>, std::uint32_t> counted_;
};

class composite_endpoint : public process_endpoint {
 public:
  /// The parts' endpoints of the same ranks; [node_first, node_end): the ranks of their node.
  composite_endpoint(shared_state& shared, endpoint& inner, endpoint& outer, int node_first,
                     int node_end);
  /// The same where they are those of a process.
  composite_endpoint(shared_state& shared, process_endpoint& inner, process_endpoint& outer,
                     int node_first, int node_end);

  [[nodiscard]] const capabilities& describe() const noexcept override { return shared_.can; }
  [[nodiscard]] int world_size() const noexcept override { return outer_.world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return outer_.first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return outer_.local_ranks(); }
  [[nodiscard]] location place(int rank) const noexcept override {
    return shared_.places[static_cast<std::size_t>(rank)];
  }
  void attach(int rank, sink* receiver) override;

  injection send(const message& m, bool from_handler) override;
  injection prepare(int source, int destination, lane kind, std::size_t bytes,
                    reservation& room) override;
  void commit(const reservation& room, const message& m) override;
  void cancel(const reservation& room) override;
  injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                      std::span<const std::byte> from, completion* local,
                      bool from_handler) override;
  void throttle(bool on) override;

  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes) override;
  void release(int rank, const memory_block& block) override;
  [[nodiscard]] memory_key register_span(int rank, std::span<const std::byte> span) override;
  void deregister(int rank, const memory_key& key) override;
  [[nodiscard]] remote_memory import(int rank, int owner, const memory_key& key) override;
  void forget(int rank, const remote_memory& memory) override;
  injection put(int rank, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, completions when,
                const put_signal* signal) override;
  injection get(int rank, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) override;
  [[nodiscard]] bool read_aside(int rank, int owner, const memory_key& key, std::size_t offset,
                                std::span<std::byte> to) noexcept override;
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override;
  injection flush(int rank, int peer, completion* when) override;

  int poll(int rank) override;
  /// Neither part sleeps: the other's messages would not wake it.
  int poll_memory(bool /*may_sleep*/) override {
    return inner_.poll_memory(false) + outer_.poll_memory(false);
  }
  [[nodiscard]] int lost_rank() const noexcept override;
  void close(int rank) override;
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int rank) override;
  void yield(int rank) override;
  [[nodiscard]] int looks(int rank) const noexcept override {
    return inner_.looks(inner_rank(rank));
  }
  void schedule_by(rank_scheduler& ranks) noexcept override;
  int poll_for_all() override;
  void pause() noexcept override;
  void resumed() noexcept override;
  [[nodiscard]] duration now(int rank) const noexcept override { return outer_.now(rank); }
  void charge(int rank, cost kind, std::uint64_t amount) noexcept override {
    outer_.charge(rank, kind, amount);
  }
  void compute(int rank, duration time) override { outer_.compute(rank, time); }

  [[nodiscard]] const sink* receiver_of(int rank) const noexcept {
    return from_outer_[static_cast<std::size_t>(rank - first_rank())].receiver();
  }

 private:
  [[nodiscard]] bool is_near(int rank) const noexcept {
    return rank >= node_first_ && rank < node_end_;
  }
  [[nodiscard]] int inner_rank(int rank) const noexcept { return rank - node_first_; }
  [[nodiscard]] message for_inner(const message& m) const noexcept;
  [[nodiscard]] remote_memory for_inner(const remote_memory& memory) const noexcept;
  [[nodiscard]] reservation for_inner(const reservation& room) const noexcept;
  [[nodiscard]] bool acts_first() const noexcept;
  [[nodiscard]] bool any(bool peer_capabilities::*what, const endpoint& of) const noexcept;
  injection counted(injection result) noexcept {
    if (result.what != outcome::retry) shared_.note();
    return result;
  }

  shared_state& shared_;
  endpoint& inner_;
  endpoint& outer_;
  process_endpoint* inner_process_ = nullptr;  ///< the same, of a process
  process_endpoint* outer_process_ = nullptr;
  bool scheduled_ = false;
  int node_first_;
  int node_end_;
  std::deque<translator> from_inner_;  ///< by local rank
  std::deque<translator> from_outer_;
};

}  // namespace upwash::conduit::composite
