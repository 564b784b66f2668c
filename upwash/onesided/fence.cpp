// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/fence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/peer_traffic.hpp"
#include "upwash/core/request_sets.hpp"
#include "upwash/core/service.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/onesided/detail/fence_members.hpp"
#include "upwash/onesided/detail/settled_puts.hpp"

namespace upwash {
namespace {

class fence_service final : public service_base {
 public:
  explicit fence_service(job& home)
      : here(home),
        settled(home.service<detail::settled_puts>()),
        draw(0xfe9ce, static_cast<std::uint64_t>(home.rank())) {}

  [[nodiscard]] bool must_ask(int rank) const {
    return settled.must_ask(traffic_towards(here, rank), rank);
  }

  job& here;
  detail::settled_puts& settled;
  random_stream draw;
};

/// The questions of one fence, and the counts that they speak for.
class questions {
 public:
  explicit questions(fence_service& of) : of_(of) {}

  [[nodiscard]] request ask(int rank) {
    const std::uint64_t sent = traffic_towards(of_.here, rank).sent;
    asked_.push_back({rank, sent});
    return confirm(of_.here, rank);
  }
  /// All are answered.
  void settle() const {
    for (const auto& [rank, sent] : asked_) of_.settled.settle(rank, sent);
  }

 private:
  fence_service& of_;
  std::vector<std::pair<int, std::uint64_t>> asked_;
};

/// Puts that were stores come before loads that follow: all that is left to do where memory is
/// loaded and stored.
void order_stores() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

/// Until what has its answers on the way is told.
void await_told(job& here, int rank) {
  struct query {
    job& here;
    int rank;
  } const of{here, rank};
  const auto told = [](const void* context) {
    const auto& asked = *static_cast<const query*>(context);
    const peer_traffic now = traffic_towards(asked.here, asked.rank);
    return detail::settled_puts::is_told(now);
  };
  if (told(&of)) return;
  host(here).wait(conduit::wait_target::predicate(told, &of), {.operation = "fence", .peer = rank});
}

void shuffle(std::vector<int>& targets, random_stream& draw) {
  for (std::size_t i = targets.size(); i > 1; --i)
    std::swap(targets[i - 1], targets[draw.below(i)]);
}

int ask_in_rounds(questions& all, std::span<const int> targets, std::size_t most) {
  int rounds = 0;
  std::vector<request> asked;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    asked.push_back(all.ask(targets[i]));
    if (asked.size() != most && i + 1 != targets.size()) continue;
    wait_all(asked);
    asked.clear();
    ++rounds;
  }
  return rounds;
}

int ask_in_window(questions& all, std::span<const int> targets, std::size_t most) {
  std::vector<request> asked(std::min(most, targets.size()));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t at = i < asked.size() ? i : wait_any(asked);
    asked[at] = all.ask(targets[i]);
  }
  wait_all(asked);
  return targets.empty() ? 0 : 1;
}

/// `rank_of` names the ranks 0 to `ranks` - 1 of those to be fenced.
template <class RankOf>
fence_count fence_ranks(job& here, int ranks, RankOf rank_of, const fence_options& how,
                        const call_site& site) {
  order_stores();
  if (how.in_flight < 1) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a fence with {} requests in flight; give 1 or more",
                            here.rank(), how.in_flight));
  }
  auto& service = here.service<fence_service>();
  fence_count count;
  if (service.settled.all()) return count;
  const wait_scope in(here, {.operation = "fence", .site = site});
  std::vector<int> targets;
  for (int i = 0; i < ranks; ++i) {
    if (service.must_ask(rank_of(i))) targets.push_back(rank_of(i));
  }
  count.asked = static_cast<int>(targets.size());
  const auto most = static_cast<std::size_t>(how.in_flight);
  if (how.order != fence_order::sequential) shuffle(targets, service.draw);
  questions all(service);
  switch (how.order) {
    case fence_order::sequential: count.rounds = ask_in_rounds(all, targets, 1); break;
    case fence_order::batches: count.rounds = ask_in_rounds(all, targets, most); break;
    case fence_order::window: count.rounds = ask_in_window(all, targets, most); break;
  }
  all.settle();
  for (int i = 0; i < ranks; ++i) await_told(here, rank_of(i));
  return count;
}

}  // namespace

void fence(job& here, int rank, call_site site) {
  order_stores();
  auto& service = here.service<fence_service>();
  const wait_scope in(here, {.operation = "fence", .peer = rank, .site = site});
  if (service.must_ask(rank)) {
    questions all(service);
    all.ask(rank).wait();
    all.settle();
  }
  await_told(here, rank);
}

fence_count fence_all(job& here, const fence_options& how, call_site site) {
  return fence_ranks(here, here.size(), std::identity(), how, site);
}

fence_count detail::fence_members(const team& of, const fence_options& how, const call_site& site) {
  return fence_ranks(
      of.here(), of.size(), [&](int member) { return of.world_rank(member); }, how, site);
}

}  // namespace upwash
