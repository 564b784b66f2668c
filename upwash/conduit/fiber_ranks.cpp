// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/fiber_ranks.hpp"

#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/conduit/standing.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::conduit {
namespace {

/// Rounds in which nothing happened, after which nothing ever will: far more than random refusals
/// explain.
constexpr int quiet_rounds_limit = 2000;

}  // namespace

fiber_ranks::fiber_ranks(int ranks, std::size_t stack_bytes, random_stream& random)
    : random_(random), waits_(static_cast<std::size_t>(ranks)), stacks_(count(), stack_bytes) {}

void fiber_ranks::enter(void* argument) {
  const started& self = *static_cast<const started*>(argument);
  try {
    (*self.body)(self.rank);
  } catch (const stopped_rank&) {
    // another rank failed first; its error is the one to report
  } catch (...) {
    self.home->fail(std::current_exception());
  }
}

/// Every rank leaves its wait.
void fiber_ranks::fail(std::exception_ptr why) {
  if (!failure_) failure_ = std::move(why);
  stopping_ = true;
}

void fiber_ranks::round(std::vector<std::size_t>& order) {
  // A new order each round: ranks of a real machine take turns as they like.
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
  for (const std::size_t i : order) {
    if (fibers_[i]->finished()) continue;
    const int rank = static_cast<int>(i);
    process::set_current_rank(rank);
    if (watch_ != nullptr) watch_->turn_begins(rank);
    fibers_[i]->resume();
    if (watch_ != nullptr) watch_->turn_ends(rank, 0);
    process::set_current_rank(-1);
  }
  std::erase_if(order, [this](std::size_t i) { return fibers_[i]->finished(); });
}

void fiber_ranks::run(function_ref<void(int)> body, function_ref<std::uint64_t()> events,
                      function_ref<const sink*(int rank)> receiver) {
  std::vector<started> starts;
  starts.reserve(count());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count(); ++i) {
    starts.push_back({this, &body, static_cast<int>(i)});
    fibers_.push_back(std::make_unique<fiber>(stacks_, i, &fiber_ranks::enter, &starts[i]));
    order.push_back(i);
  }
  int quiet_rounds = 0;
  while (!order.empty()) {
    const std::size_t running = order.size();
    const std::uint64_t before = events();
    round(order);
    const bool moved = events() != before || order.size() != running;
    quiet_rounds = moved ? 0 : quiet_rounds + 1;
    if (quiet_rounds > quiet_rounds_limit && !stopping_) {
      try {
        report_deadlock(receiver);
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }
  fibers_.clear();
  stopping_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void fiber_ranks::yield(int rank) {
  if (stopping_) throw stopped_rank{};
  fibers_[static_cast<std::size_t>(rank)]->suspend();
  if (stopping_) throw stopped_rank{};
}

void fiber_ranks::idle(int rank, const wait_reason& reason) {
  waits_[static_cast<std::size_t>(rank)] = reason;
  yield(rank);
}

void fiber_ranks::report_deadlock(function_ref<const sink*(int rank)> receiver) const {
  std::vector<observe::standing> all;
  for (std::size_t i = 0; i < count(); ++i) {
    const int rank = static_cast<int>(i);
    observe::standing is;
    is.rank = rank;
    is.now = observe::doing::ended;
    if (!fibers_[i]->finished()) {
      is = standing_of(rank, waits_[i], receiver(rank), {});
    }
    all.push_back(is);
  }
  std::string text =
      observe::hang_report("deadlock: nothing is under way and no rank can go on:", all);
  text.pop_back();  // the last line's end
  throw error(error_kind::fault, text);
}

}  // namespace upwash::conduit
