// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The endpoint of a process of one rank that a progress thread polls beside the rank's own thread.
// The engine below is one thread's at a time: a lock keeps it so. Nothing of core's runs under that
// lock, since core calls the endpoint under locks of its own: messages that come are copied,
// completions that are told are listed, and both are handed on when the lock is free again.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "upwash/base/object_pool.hpp"
#include "upwash/conduit/process_world.hpp"
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

namespace upwash::conduit::wire {

/// Two threads: the rank's, and one that calls poll_memory. The latter takes all that comes, and
/// delivers the memory lane; the other lanes wait for the rank. Where the rank has let 4096
/// messages wait, the thread takes nothing more: memory stays bounded.
class threaded_endpoint final : public process_endpoint {
 public:
  /// `naps`: the thread naps where it finds nothing.
  threaded_endpoint(std::unique_ptr<wire_endpoint> over, bool naps);

  [[nodiscard]] const capabilities& describe() const noexcept override { return over_->describe(); }
  [[nodiscard]] int world_size() const noexcept override { return over_->world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return over_->first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return 1; }
  [[nodiscard]] location place(int rank) const noexcept override { return over_->place(rank); }
  void attach(int rank, sink* receiver) override;

  injection send(const message& m, bool from_handler) override;
  injection prepare(int source, int destination, lane kind, std::size_t bytes,
                    reservation& room) override;
  void commit(const reservation& room, const message& m) override;
  void cancel(const reservation& room) override;
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
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override;
  injection flush(int rank, int peer, completion* when) override;

  int poll(int rank) override;
  int poll_memory(bool may_sleep) override;
  [[nodiscard]] int lost_rank() const noexcept override;
  void close(int rank) override;
  void idle(int rank, const wait_target& target, const wait_reason& reason) override {
    over_->idle(rank, target, reason);
  }
  void begin_wait(int rank) override { over_->begin_wait(rank); }
  void yield(int rank) override { over_->yield(rank); }
  [[nodiscard]] duration now(int rank) const noexcept override { return over_->now(rank); }
  void compute(int rank, duration time) override { over_->compute(rank, time); }

  void schedule_by(rank_scheduler& /*ranks*/) noexcept override {}  // there is one rank
  int poll_for_all() override { return poll(first_rank()); }
  void pause() noexcept override { over_->pause(); }
  void resumed() noexcept override { over_->resumed(); }

 private:
  /// A message that has come, whose bytes are here.
  struct kept {
    message header;                ///< its spans tell lengths only
    std::vector<std::byte> bytes;  ///< arguments, payload
  };
  using queue = std::deque<kept>;

  /// Takes what the engine delivers, under the lock.
  struct inbox final : sink {
    explicit inbox(threaded_endpoint& of) : home(of) {}
    void deliver(const message& arrived) override;
    threaded_endpoint& home;
  };

  /// Stands in the engine for a completion of core's.
  struct stand_in : completion {
    threaded_endpoint* home = nullptr;
    completion* real = nullptr;
    stand_in* next = nullptr;  ///< in the pool
  };

  /// `begin(completion*)` starts an operation in the engine, under the lock.
  template <class Begin>
  injection with_stand_in(completion* real, const Begin& begin);
  static void listed(completion& self) noexcept;
  int tell_listed();
  int hand_on(queue& from);
  int hand_on_memory();

  std::unique_ptr<wire_endpoint> over_;
  const bool naps_;
  mutable std::mutex lock_;  ///< of all below but receiver_
  std::mutex memory_turn_;   ///< who delivers the memory lane, in order; taken before lock_
  inbox inbox_{*this};
  std::atomic<sink*> receiver_ = nullptr;
  queue memory_;                   ///< messages of the memory lane
  queue others_;                   ///< of the other lanes, for the rank's own thread
  std::vector<completion*> told_;  ///< that core has to be told
  object_pool<stand_in> stand_ins_;
  bool closed_ = false;
  int in_vain_ = 0;  ///< looks of the progress thread
};

}  // namespace upwash::conduit::wire
