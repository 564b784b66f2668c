// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks on the bare sim endpoint: a mailbox each, and the loop that core would run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "upwash/conduit/sim/sim_world.hpp"

namespace upwash::conduit::sim_test {

struct arrival {
  int source;
  lane kind;
  std::uint32_t sequence;
  std::vector<std::byte> payload;
  duration when;  ///< when its handler runs
};

struct told_once : completion {
  told_once() {
    tell = [](completion& self) noexcept { ++static_cast<told_once&>(self).count; };
  }
  int count = 0;
};

class rank_box final : public sink {
 public:
  rank_box(endpoint& at, int rank) : at_(at), rank_(rank) {}

  void deliver(const message& m) override {
    arrivals.push_back({m.source, m.kind, m.sequence,
                        std::vector<std::byte>(m.payload.begin(), m.payload.end()),
                        at_.now(rank_)});
    if (on_arrival != nullptr) on_arrival(*this, m);
  }

  [[nodiscard]] endpoint& at() const noexcept { return at_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] duration now() const noexcept { return at_.now(rank_); }

  /// One injection, waiting for what it is refused for.
  template <class Inject>
  injection insist(Inject&& inject) {
    injection answer = inject();
    while (answer.what == outcome::retry) {
      ++refusals;
      const wait_reason why{.operation = "credit"};
      if (at_.poll(rank_) == 0) at_.idle(rank_, wait_target::credit(0, lane::request), why);
      answer = inject();
    }
    return answer;
  }

  void send(int destination, std::uint32_t sequence, std::size_t bytes = 8,
            lane kind = lane::request) {
    const std::vector<std::byte> payload(bytes, static_cast<std::byte>(sequence));
    message m;
    m.kind = kind;
    m.source = rank_;
    m.destination = destination;
    m.sequence = sequence;
    m.payload = payload;
    (void)insist([&] { return at_.send(m, false); });
  }

  template <class Condition>
  void wait_until(Condition&& condition, const char* operation = "wait") {
    const auto test = [](const void* c) { return (*static_cast<const Condition*>(c))(); };
    const wait_target target = wait_target::predicate(test, &condition);
    const wait_reason why{.operation = operation, .peer = -1, .bytes = 0, .number = 7};
    while (!target.ready()) {
      if (at_.poll(rank_) == 0 && !target.ready()) at_.idle(rank_, target, why);
    }
  }
  void wait_for(std::size_t messages) {
    wait_until([&, messages] { return arrivals.size() >= messages; }, "messages");
  }
  void wait_told(const told_once& stage) {
    wait_until([&] { return stage.count > 0; }, "completion");
  }

  std::vector<arrival> arrivals;
  void (*on_arrival)(rank_box&, const message&) = nullptr;
  int refusals = 0;

 private:
  endpoint& at_;
  int rank_;
};

/// A world with a mailbox attached to each rank.
class simulated_job {
 public:
  explicit simulated_job(sim_options options) : world_(make_sim_world(std::move(options))) {
    for (int rank = 0; rank < world_->size(); ++rank) {
      boxes_.push_back(std::make_unique<rank_box>(world_->endpoint_of(rank), rank));
      world_->endpoint_of(rank).attach(rank, boxes_.back().get());
    }
  }

  template <class Body>
  void run(Body&& body) {
    const auto of_rank = [&](int rank) { body(*boxes_[static_cast<std::size_t>(rank)]); };
    world_->run(of_rank);
  }
  [[nodiscard]] rank_box& box(int rank) { return *boxes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] world& in() { return *world_; }
  [[nodiscard]] sim_report report() const { return report_of(*world_); }

 private:
  std::unique_ptr<world> world_;
  std::vector<std::unique_ptr<rank_box>> boxes_;
};

/// L = 1 us, o = 300 ns, g = 100 ns, G = 0.5 ns/B.
inline machine textbook() {
  return uniform_machine(duration::from_us(1), duration::from_ns(300), duration::from_ns(100), 0.5);
}

inline sim_options on_textbook(int ranks) {
  sim_options options;
  options.ranks = ranks;
  options.on = textbook();
  return options;
}

}  // namespace upwash::conduit::sim_test
