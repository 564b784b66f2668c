// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One endpoint of the loopback conduit and what all endpoints of a world share.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/conduit/fiber_ranks.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// A message on its way.
struct loopback_packet {
  message header;
  std::vector<std::byte> arguments;
  std::vector<std::byte> payload;
};

class loopback_endpoint;

struct loopback_shared {
  explicit loopback_shared(const loopback_options& chosen)
      : options(chosen),
        random(chosen.seed, 0x6c6f6f70),
        ranks(chosen.ranks, chosen.stack_bytes, random) {}

  [[nodiscard]] loopback_endpoint& endpoint_of(int rank) const {
    return *endpoints[static_cast<std::size_t>(rank / options.ranks_per_endpoint)];
  }

  loopback_options options;
  random_stream random;
  std::uint64_t events = 0;  ///< injections and deliveries so far
  std::vector<std::unique_ptr<loopback_endpoint>> endpoints;
  fiber_ranks ranks;
};

class loopback_endpoint final : public endpoint {
 public:
  loopback_endpoint(loopback_shared& shared, int first, int hosted);

  [[nodiscard]] const capabilities& describe() const noexcept override { return can_; }
  [[nodiscard]] int world_size() const noexcept override { return shared_.options.ranks; }
  [[nodiscard]] int first_rank() const noexcept override { return first_; }
  [[nodiscard]] int local_ranks() const noexcept override { return hosted_; }
  /// Pretended: two ranks a socket, two sockets a node, so that levels are tested.
  [[nodiscard]] location place(int rank) const noexcept override {
    return {rank / 4, rank / 2, rank / shared_.options.ranks_per_endpoint};
  }
  void attach(int rank, sink* receiver) override;
  [[nodiscard]] const sink* receiver_of(int rank) const noexcept {
    return sinks_[static_cast<std::size_t>(rank - first_)];
  }

  injection send(const message& m, bool from_handler) override;
  void throttle(bool on) override { throttled_ += on ? 1 : -1; }

  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes) override;
  void release(int rank, const memory_block& block) override;
  [[nodiscard]] remote_memory import(int rank, int owner, const memory_key& key) override;
  void forget(int rank, const remote_memory& memory) override;

  int poll(int rank) override;
  void idle(int rank, const wait_target& target, const wait_reason& reason) override;
  void yield(int rank) override;
  [[nodiscard]] duration now(int rank) const noexcept override;
  void compute(int rank, duration time) override;

 private:
  using queue = std::deque<loopback_packet>;
  using queue_key = std::pair<int, lane>;  ///< first rank of the sending endpoint

  int take_from(queue& from);

  capabilities can_;
  loopback_shared& shared_;
  int first_;
  int hosted_;
  int throttled_ = 0;
  bool polling_ = false;
  duration start_;
  std::vector<sink*> sinks_;
  std::map<queue_key, queue> inbound_;
};

}  // namespace upwash::conduit
