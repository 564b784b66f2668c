// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conduit/wire/pretended_world.hpp"

#include <utility>
#include <vector>

#include "tests/conduit/wire/pretended_bootstrap.hpp"
#include "upwash/base/process.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/fiber_ranks.hpp"
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

namespace upwash::test {
namespace {

using namespace conduit;
using wire::wire_endpoint;

/// How ranks that wait let the others run.
class pretended_turns final : public waiter, public network_turns {
 public:
  pretended_turns(const pretended_options& options)
      : random_(options.network.seed, 0x7475726e),
        ranks_(options.ranks.ranks(), options.stack_bytes, random_) {}

  void idle(int rank, const wait_target& target, const wait_reason& reason) override {
    if (target.alarm() != duration::max()) ++alarms;  // it is to come
    ranks_.idle(rank, reason);
  }
  void yield(int rank) override { ranks_.yield(rank); }

  bool give() noexcept override {
    try {
      ranks_.idle(process::current_rank(), {.operation = "close"});
    } catch (const rank_stopped&) {
      return false;  // another rank has failed
    }
    return true;
  }

  [[nodiscard]] fiber_ranks& ranks() noexcept { return ranks_; }
  std::uint64_t alarms = 0;

 private:
  random_stream random_;
  fiber_ranks ranks_;
};

class pretended_world final : public world {
 public:
  explicit pretended_world(const pretended_options& options)
      : ranks_(options.ranks), turns_(options), network_(options.network, &turns_) {
    std::vector<int> nodes;
    for (int p = 0; p < ranks_.processes(); ++p) nodes.push_back(p / options.node_processes);
    for (int p = 0; p < ranks_.processes(); ++p) {
      boots_.push_back(std::make_unique<pretended_bootstrap>(ranks_, p));
      wire::wire_options chosen{.name = "pretended",
                                .window = options.window,
                                .nodes = nodes,
                                .waits = {patience::policy::yield, duration()},
                                .instead = &turns_};
      endpoints_.push_back(std::make_unique<wire_endpoint>(network_.transport_of(p), *boots_.back(),
                                                           std::move(chosen)));
    }
  }

  [[nodiscard]] int size() const noexcept override { return ranks_.ranks(); }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return size(); }
  [[nodiscard]] endpoint& endpoint_of(int rank) override { return at(rank); }
  [[nodiscard]] waiter& waiter_of(int /*rank*/) override { return turns_; }
  void watch_turns(switch_watch& by) override { turns_.ranks().watch(by); }
  void run(function_ref<void(int)> body) override {
    const auto events = [this] {
      std::uint64_t all = network_.events() + turns_.alarms;
      for (const auto& each : endpoints_) all += each->happened();  // inside processes, too
      return all;
    };
    const auto receiver = [this](int rank) { return at(rank).receiver_of(rank); };
    turns_.ranks().run(body, events, receiver);
  }

  [[nodiscard]] pretended_network& network() noexcept { return network_; }

 private:
  [[nodiscard]] wire_endpoint& at(int rank) {
    return *endpoints_[static_cast<std::size_t>(ranks_.process_of(rank))];
  }

  const rank_layout ranks_;
  pretended_turns turns_;
  pretended_network network_;
  std::vector<std::unique_ptr<pretended_bootstrap>> boots_;
  std::vector<std::unique_ptr<wire_endpoint>> endpoints_;
};

}  // namespace

std::unique_ptr<world> make_pretended_world(pretended_options options) {
  options.network.processes = options.ranks.processes();
  return std::make_unique<pretended_world>(options);
}

pretended_network& network_of(world& pretended) {
  return dynamic_cast<pretended_world&>(pretended).network();
}

}  // namespace upwash::test
