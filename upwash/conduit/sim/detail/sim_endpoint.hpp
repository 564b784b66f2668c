// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The endpoint of one simulated process: hands each call to messages, transfers or memory.
#pragma once

#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/sim/detail/segments.hpp"
#include "upwash/conduit/sim/detail/switch_collectives.hpp"
#include "upwash/conduit/sim/detail/traffic.hpp"
#include "upwash/conduit/sim/detail/transfers.hpp"

namespace upwash::conduit::sim {

class sim_endpoint final : public endpoint {
 public:
  /// What the endpoints of a world share.
  struct parts {
    simulation& in;
    traffic& messages;
    transfers& operations;
    switch_collectives& collectives;
    segments& memory;
  };
  sim_endpoint(const parts& of, int first_rank, int local_ranks);

  [[nodiscard]] const capabilities& describe() const noexcept override { return can_; }
  [[nodiscard]] int world_size() const noexcept override { return in_.options().ranks; }
  [[nodiscard]] int first_rank() const noexcept override { return first_rank_; }
  [[nodiscard]] int local_ranks() const noexcept override { return local_ranks_; }
  [[nodiscard]] location place(int rank) const noexcept override;

  void attach(int rank, sink* receiver) override { messages_.attach(rank, receiver); }
  injection send(const message& m, bool from_handler) override {
    return messages_.send(m, from_handler);
  }
  injection prepare(int source, int destination, lane kind, std::size_t bytes,
                    reservation& room) override {
    return messages_.prepare(source, destination, kind, bytes, room);
  }
  void commit(const reservation& room, const message& m) override { messages_.commit(room, m); }
  void cancel(const reservation& room) override { messages_.cancel(room); }
  injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                      std::span<const std::byte> from, completion* local,
                      bool from_handler) override {
    return operations_.send_long(m, to, offset, from, local, from_handler);
  }
  void throttle(bool on) override { messages_.throttle(first_rank_, on); }

  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes) override {
    return memory_.allocate(rank, bytes);
  }
  void release(int rank, const memory_block& block) override {
    if (in_.conflicts) in_.conflicts->forget(rank, {block.base, block.size});
    memory_.release(block);
  }
  [[nodiscard]] memory_key register_span(int rank, std::span<const std::byte> span) override {
    return memory_.add_span(rank, span);
  }
  void deregister(int /*rank*/, const memory_key& key) override { memory_.remove_span(key); }
  [[nodiscard]] remote_memory import(int /*rank*/, int /*owner*/, const memory_key& key) override {
    return memory_.import(key);
  }
  void forget(int /*rank*/, const remote_memory& /*memory*/) override {}

  injection put(int rank, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, completions when,
                const put_signal* signal) override {
    return operations_.put(rank, to, offset, from, when, signal);
  }
  injection get(int rank, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) override {
    return operations_.get(rank, from, offset, to, local);
  }
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override {
    return operations_.atomic(rank, at, offset, operation, old, when);
  }
  [[nodiscard]] write_watch* watch() noexcept override { return in_.conflicts.get(); }
  injection flush(int rank, int peer, completion* when) override {
    return operations_.flush(rank, peer, when);
  }

  injection join(int rank, const network_collective& part, completion* when) override {
    return collectives_.join(rank, part, when);
  }

  int poll(int rank) override;
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void begin_wait(int rank) override;
  void yield(int rank) override { in_.ranks.yield(rank); }

  [[nodiscard]] process_shelf& facts() noexcept override { return in_.facts; }

  [[nodiscard]] duration now(int rank) const noexcept override { return in_.clock(rank); }
  void charge(int rank, cost kind, std::uint64_t amount) noexcept override;
  void compute(int rank, duration time) override;

 private:
  void match_by_nic(int rank, duration time) noexcept;
  void share_core(int rank, int came);
  [[nodiscard]] duration next_look(int rank, const wait_reason& reason);

  simulation& in_;
  traffic& messages_;
  transfers& operations_;
  switch_collectives& collectives_;
  segments& memory_;
  capabilities can_;
  bool direct_ = false;
  int first_rank_;
  int local_ranks_;
  std::vector<std::uint32_t> looks_in_vain_;  ///< by local rank, where there is direct access
  std::vector<std::uint32_t> empty_polls_;    ///< by local rank, in a row and without a wait
  std::vector<duration> matcher_free_;        ///< by local rank: since when its NIC matches nothing
};

}  // namespace upwash::conduit::sim
