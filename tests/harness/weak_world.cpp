// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/harness/weak_world.hpp"

#include <map>
#include <set>
#include <utility>

namespace upwash::test {
namespace {

using namespace conduit;

/// Forwards what is left; what is hidden stays the base's, which throws when reached.
class weak_endpoint final : public endpoint {
 public:
  weak_endpoint(endpoint& strong, const atomic_set& left)
      : strong_(strong), can_(strong.describe()), atomics_(left) {
    can_.name = "weak";
    can_.network_collectives = false;
    for (peer_capabilities& each : can_.peers) {
      each.remote_completion = false;
      each.put_signal = false;
      each.atomics = left;
      each.long_messages = false;
      each.in_place = false;
      each.private_reads = false;
    }
  }

  [[nodiscard]] const capabilities& describe() const noexcept override { return can_; }
  [[nodiscard]] int world_size() const noexcept override { return strong_.world_size(); }
  [[nodiscard]] int first_rank() const noexcept override { return strong_.first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return strong_.local_ranks(); }
  [[nodiscard]] location place(int rank) const noexcept override { return strong_.place(rank); }
  void attach(int rank, sink* receiver) override { strong_.attach(rank, receiver); }
  injection send(const message& m, bool from_handler) override {
    const injection sent = strong_.send(m, from_handler);
    if (sent.what != outcome::retry) ++messages;
    return sent;
  }
  int messages = 0;
  void throttle(bool on) override { strong_.throttle(on); }
  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes) override {
    return strong_.allocate(rank, bytes);
  }
  void release(int rank, const memory_block& block) override { strong_.release(rank, block); }
  [[nodiscard]] remote_memory import(int rank, int owner, const memory_key& key) override {
    return strong_.import(rank, owner, key);
  }
  void forget(int rank, const remote_memory& memory) override { strong_.forget(rank, memory); }
  injection put(int rank, const remote_memory& to, std::size_t offset,
                std::span<const std::byte> from, completions when,
                const put_signal* signal) override {
    if (when.remote != nullptr || signal != nullptr) std::abort();  // core looked at describe()
    return strong_.put(rank, to, offset, from, when, nullptr);
  }
  injection get(int rank, const remote_memory& from, std::size_t offset, std::span<std::byte> to,
                completion* local) override {
    return strong_.get(rank, from, offset, to, local);
  }
  injection atomic(int rank, const remote_memory& at, std::size_t offset,
                   const atomic_operation& operation, std::uint64_t* old,
                   completions when) override {
    if (!atomics_.contains(operation.kind, operation.width)) std::abort();
    return strong_.atomic(rank, at, offset, operation, old, when);
  }
  [[nodiscard]] write_watch* watch() noexcept override { return strong_.watch(); }
  injection flush(int rank, int peer, completion* when) override {
    ++flushes;
    return strong_.flush(rank, peer, when);
  }
  int flushes = 0;
  [[nodiscard]] int lost_rank() const noexcept override { return lost; }
  void close(int rank) override { closed.push_back(rank); }
  int lost = -1;
  std::vector<int> closed;
  int poll(int rank) override { return strong_.poll(rank); }
  void idle(int rank, const wait_target& target, const wait_reason& reason) override {
    strong_.idle(rank, target, reason);
  }
  void yield(int rank) override { strong_.yield(rank); }
  [[nodiscard]] duration now(int rank) const noexcept override { return strong_.now(rank); }
  void charge(int rank, cost kind, std::uint64_t amount) noexcept override {
    strong_.charge(rank, kind, amount);
  }
  void compute(int rank, duration time) override { strong_.compute(rank, time); }

 private:
  endpoint& strong_;
  capabilities can_;
  const atomic_set atomics_;
};

class weak_world final : public world {
 public:
  weak_world(std::unique_ptr<world> strong, const atomic_set& left)
      : strong_(std::move(strong)), left_(left) {}

  [[nodiscard]] int size() const noexcept override { return strong_->size(); }
  [[nodiscard]] int first_rank() const noexcept override { return strong_->first_rank(); }
  [[nodiscard]] int local_ranks() const noexcept override { return strong_->local_ranks(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override {
    endpoint& strong = strong_->endpoint_of(rank);
    auto& made = endpoints_[&strong];
    if (!made) made = std::make_unique<weak_endpoint>(strong, left_);
    return *made;
  }
  [[nodiscard]] waiter& waiter_of(int rank) override { return strong_->waiter_of(rank); }
  void run(function_ref<void(int)> body) override { strong_->run(body); }

 private:
  std::unique_ptr<world> strong_;
  const atomic_set left_;
  std::map<endpoint*, std::unique_ptr<weak_endpoint>> endpoints_;
};

}  // namespace

std::unique_ptr<conduit::world> make_weak_world(std::unique_ptr<conduit::world> strong,
                                                const atomic_set& left) {
  return std::make_unique<weak_world>(std::move(strong), left);
}

int flushes_of(conduit::world& weak, int rank) {
  return dynamic_cast<weak_endpoint&>(weak.endpoint_of(rank)).flushes;
}

int messages_of(conduit::world& weak, int rank) {
  return dynamic_cast<weak_endpoint&>(weak.endpoint_of(rank)).messages;
}

void lose(conduit::world& weak, int lost) {
  for (int rank = 0; rank < weak.size(); ++rank) {
    dynamic_cast<weak_endpoint&>(weak.endpoint_of(rank)).lost = lost;
  }
}

std::vector<int> closed_by(conduit::world& weak) {
  std::vector<int> all;
  std::set<endpoint*> seen;
  for (int rank = 0; rank < weak.size(); ++rank) {
    endpoint& each = weak.endpoint_of(rank);
    if (!seen.insert(&each).second) continue;
    const auto& closed = dynamic_cast<weak_endpoint&>(each).closed;
    all.insert(all.end(), closed.begin(), closed.end());
  }
  return all;
}

}  // namespace upwash::test
