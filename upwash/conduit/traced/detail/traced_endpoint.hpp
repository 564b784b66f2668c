// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An endpoint around another one: every call goes on to that, and is written into the trace of the
// rank that makes it.
#pragma once

#include <memory>
#include <vector>

#include "upwash/conduit/endpoint.hpp"
#include "upwash/conduit/traced/detail/rank_trace.hpp"

namespace upwash::conduit::traced {

/// Takes the messages of a rank, writes each, and hands it on.
class traced_sink final : public sink {
 public:
  explicit traced_sink(rank_trace& into) : into_(into) {}

  void hand_to(sink* receiver) noexcept { receiver_ = receiver; }
  [[nodiscard]] const sink* receiver() const noexcept { return receiver_; }
  /// What the rank's own sink says between polls.
  void see() noexcept { acts_first_ = receiver_ != nullptr && receiver_->acts_first(); }

  void deliver(const message& arrived) override;
  [[nodiscard]] observe::standing standing() const override;

 private:
  rank_trace& into_;
  sink* receiver_ = nullptr;
};

class traced_endpoint final : public endpoint {
 public:
  explicit traced_endpoint(endpoint& within) : within_(within) {}

  /// A rank that the endpoint hosts; in the order of the ranks, all of them before any call.
  void add(rank_trace& rank) { ranks_.emplace_back(&rank, std::make_unique<traced_sink>(rank)); }

  [[nodiscard]] const capabilities& describe() const noexcept override {
    return within_.describe();
  }
  [[nodiscard]] int world_size() const noexcept override { return within_.world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return within_.first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return within_.local_ranks(); }
  [[nodiscard]] location place(int rank) const noexcept override { return within_.place(rank); }
  void attach(int rank, sink* receiver) override;

  injection send(const message& m, bool from_handler) override;
  injection prepare(int source, int destination, lane kind, std::size_t bytes,
                    reservation& room) override {
    return within_.prepare(source, destination, kind, bytes, room);
  }
  void commit(const reservation& room, const message& m) override;
  void cancel(const reservation& room) override { within_.cancel(room); }
  injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                      std::span<const std::byte> from, completion* local,
                      bool from_handler) override;
  void throttle(bool on) override { within_.throttle(on); }

  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes) override {
    return within_.allocate(rank, bytes);
  }
  void release(int rank, const memory_block& block) override { within_.release(rank, block); }
  [[nodiscard]] memory_key register_span(int rank, std::span<const std::byte> span) override {
    return within_.register_span(rank, span);
  }
  void deregister(int rank, const memory_key& key) override { within_.deregister(rank, key); }
  [[nodiscard]] remote_memory import(int rank, int owner, const memory_key& key) override {
    return within_.import(rank, owner, key);
  }
  void forget(int rank, const remote_memory& memory) override { within_.forget(rank, memory); }
  injection put(int rank, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, completions when,
                const put_signal* signal) override;
  injection get(int rank, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) override;
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override;
  [[nodiscard]] write_watch* watch() noexcept override { return within_.watch(); }
  injection flush(int rank, int peer, completion* when) override;
  injection join(int rank, const network_collective& part, completion* when) override {
    return within_.join(rank, part, when);
  }

  [[nodiscard]] process_shelf& facts() noexcept override { return within_.facts(); }

  int poll(int rank) override;
  int poll_memory(bool may_sleep) override { return within_.poll_memory(may_sleep); }
  void wake_poll_memory() override { within_.wake_poll_memory(); }
  [[nodiscard]] int lost_rank() const noexcept override { return within_.lost_rank(); }
  void close(int rank) override;
  [[nodiscard]] duration now(int rank) const noexcept override { return within_.now(rank); }
  void charge(int rank, cost kind, std::uint64_t amount) noexcept override {
    within_.charge(rank, kind, amount);
  }
  void compute(int rank, duration time) override;
  [[nodiscard]] observe::trace_writer* trace(int rank) noexcept override {
    return &trace_of(rank).writer();
  }

  void idle(int rank, const wait_target& target, const wait_reason& reason) override {
    trace_of(rank).idle(rank, target, reason);
  }
  void begin_wait(int rank) override { trace_of(rank).begin_wait(rank); }
  void yield(int rank) override { within_.yield(rank); }
  [[nodiscard]] bool polls_for(int rank) const noexcept override { return within_.polls_for(rank); }
  [[nodiscard]] int looks(int rank) const noexcept override { return within_.looks(rank); }

 private:
  [[nodiscard]] std::size_t index(int rank) const noexcept {
    return static_cast<std::size_t>(rank - within_.first_rank());
  }
  [[nodiscard]] rank_trace& trace_of(int rank) const noexcept { return *ranks_[index(rank)].first; }
  [[nodiscard]] traced_sink& sink_of(int rank) const noexcept {
    return *ranks_[index(rank)].second;
  }

  endpoint& within_;
  std::vector<std::pair<rank_trace*, std::unique_ptr<traced_sink>>> ranks_;
};

}  // namespace upwash::conduit::traced
