// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/loopback/loopback_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/fiber.hpp"
#include "upwash/base/process.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/loopback/detail/loopback_endpoint.hpp"
#include "upwash/conduit/standing.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::conduit {
namespace {

/// Rounds in which nothing happened, after which nothing ever will: far more than random refusals
/// explain.
constexpr int quiet_rounds_limit = 2000;

class loopback_world final : public world {
 public:
  explicit loopback_world(const loopback_options& options)
      : options_(options), shared_(options), stacks_(count(), options.stack_bytes) {
    for (int first = 0; first < options.ranks; first += options.ranks_per_endpoint) {
      const int hosted = std::min(options.ranks_per_endpoint, options.ranks - first);
      shared_.endpoints.push_back(std::make_unique<loopback_endpoint>(shared_, first, hosted));
    }
  }

  [[nodiscard]] int size() const noexcept override { return options_.ranks; }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return options_.ranks; }
  [[nodiscard]] endpoint& endpoint_of(int rank) override { return shared_.endpoint_of(rank); }
  [[nodiscard]] waiter& waiter_of(int rank) override { return shared_.endpoint_of(rank); }

  void run(function_ref<void(int)> body) override;

 private:
  struct started {
    loopback_world* home;
    const function_ref<void(int)>* body;
    int rank;
  };

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(options_.ranks); }
  static void enter(void* argument);
  void round(std::vector<std::size_t>& order);
  [[noreturn]] void report_deadlock() const;

  loopback_options options_;
  loopback_shared shared_;
  fiber_stacks stacks_;
  std::exception_ptr failure_;
};

void loopback_world::enter(void* argument) {
  const started& self = *static_cast<const started*>(argument);
  try {
    (*self.body)(self.rank);
  } catch (const stopped_rank&) {
    // another rank failed first; its error is the one to report
  } catch (...) {
    if (!self.home->failure_) self.home->failure_ = std::current_exception();
    self.home->shared_.stopping = true;
  }
}

void loopback_world::round(std::vector<std::size_t>& order) {
  // A new order each round: ranks of a real machine take turns as they like.
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[shared_.random.below(i)]);
  }
  for (const std::size_t i : order) {
    if (shared_.fibers[i]->finished()) continue;
    process::set_current_rank(static_cast<int>(i));
    shared_.fibers[i]->resume();
    process::set_current_rank(-1);
  }
  std::erase_if(order, [this](std::size_t i) { return shared_.fibers[i]->finished(); });
}

void loopback_world::run(function_ref<void(int)> body) {
  std::vector<started> starts;
  starts.reserve(static_cast<std::size_t>(options_.ranks));
  std::vector<std::size_t> order;
  for (int rank = 0; rank < options_.ranks; ++rank) starts.push_back({this, &body, rank});
  for (std::size_t i = 0; i < count(); ++i) {
    shared_.fibers.push_back(
        std::make_unique<fiber>(stacks_, i, &loopback_world::enter, &starts[i]));
    order.push_back(i);
  }
  int quiet_rounds = 0;
  while (!order.empty()) {
    const std::size_t running = order.size();
    const std::uint64_t before = shared_.events;
    round(order);
    const bool moved = shared_.events != before || order.size() != running;
    quiet_rounds = moved ? 0 : quiet_rounds + 1;
    if (quiet_rounds > quiet_rounds_limit && !shared_.stopping) {
      try {
        report_deadlock();
      } catch (...) {
        failure_ = std::current_exception();
        shared_.stopping = true;  // every rank leaves its wait
      }
    }
  }
  shared_.fibers.clear();
  shared_.stopping = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void loopback_world::report_deadlock() const {
  std::vector<observe::standing> all;
  for (std::size_t i = 0; i < count(); ++i) {
    const int rank = static_cast<int>(i);
    observe::standing is;
    is.rank = rank;
    is.now = observe::doing::ended;
    if (!shared_.fibers[i]->finished()) {
      is = standing_of(rank, shared_.waits[i], shared_.endpoint_of(rank).receiver_of(rank), {});
    }
    all.push_back(is);
  }
  std::string text =
      observe::hang_report("deadlock: nothing is under way and no rank can go on:", all);
  text.pop_back();  // the last line's end
  throw error(error_kind::fault, text);
}

}  // namespace

std::unique_ptr<world> make_loopback_world(const loopback_options& options) {
  if (options.ranks < 1 || options.ranks_per_endpoint < 1 || options.queue_messages < 1) {
    throw error(error_kind::argument,
                fmt::format("loopback: {} ranks, {} an endpoint, queues of {}; all must be at "
                            "least 1",
                            options.ranks, options.ranks_per_endpoint, options.queue_messages));
  }
  return std::make_unique<loopback_world>(options);
}

}  // namespace upwash::conduit
