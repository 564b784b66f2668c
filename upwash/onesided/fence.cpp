// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/fence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
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

namespace upwash {
namespace {

class fence_service final : public service_base {
 public:
  explicit fence_service(job& here) : draw(0xfe9ce, static_cast<std::uint64_t>(here.rank())) {}

  [[nodiscard]] bool must_ask(const peer_traffic& now, int rank) const {
    if (now.unflushed != 0) return true;
    if (now.sent == 0) return false;
    const auto found = confirmed.find(rank);
    return found == confirmed.end() || found->second != now.sent;
  }
  /// The question speaks for all puts before it.
  [[nodiscard]] request ask(job& here, int rank) {
    const std::uint64_t sent = traffic_towards(here, rank).sent;
    request asked = confirm(here, rank);
    confirmed[rank] = sent;
    return asked;
  }

  std::unordered_map<int, std::uint64_t> confirmed;  ///< puts to each, by the last question
  random_stream draw;
};

/// Until what has its answers on the way is told.
void await_told(job& here, int rank) {
  struct query {
    job& here;
    int rank;
  } const of{here, rank};
  const auto told = [](const void* context) {
    const auto& asked = *static_cast<const query*>(context);
    const peer_traffic now = traffic_towards(asked.here, asked.rank);
    return now.begun == now.complete;
  };
  if (told(&of)) return;
  host(here).wait(conduit::wait_target::predicate(told, &of), {.operation = "fence", .peer = rank});
}

void shuffle(std::vector<int>& targets, random_stream& draw) {
  for (std::size_t i = targets.size(); i > 1; --i)
    std::swap(targets[i - 1], targets[draw.below(i)]);
}

int ask_in_rounds(job& here, fence_service& service, std::span<const int> targets,
                  std::size_t most) {
  int rounds = 0;
  std::vector<request> asked;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    asked.push_back(service.ask(here, targets[i]));
    if (asked.size() != most && i + 1 != targets.size()) continue;
    wait_all(asked);
    asked.clear();
    ++rounds;
  }
  return rounds;
}

int ask_in_window(job& here, fence_service& service, std::span<const int> targets,
                  std::size_t most) {
  std::vector<request> asked(std::min(most, targets.size()));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t at = i < asked.size() ? i : wait_any(asked);
    asked[at] = service.ask(here, targets[i]);
  }
  wait_all(asked);
  return targets.empty() ? 0 : 1;
}

}  // namespace

void fence(job& here, int rank) {
  auto& service = here.service<fence_service>();
  const wait_scope in(here, {.operation = "fence", .peer = rank});
  if (service.must_ask(traffic_towards(here, rank), rank)) service.ask(here, rank).wait();
  await_told(here, rank);
}

fence_count fence_all(job& here, const fence_options& how) {
  if (how.in_flight < 1) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a fence with {} requests in flight; give 1 or more",
                            here.rank(), how.in_flight));
  }
  auto& service = here.service<fence_service>();
  const wait_scope in(here, {.operation = "fence"});
  std::vector<int> targets;
  for (int rank = 0; rank < here.size(); ++rank) {
    if (service.must_ask(traffic_towards(here, rank), rank)) targets.push_back(rank);
  }
  fence_count count;
  count.asked = static_cast<int>(targets.size());
  const auto most = static_cast<std::size_t>(how.in_flight);
  if (how.order != fence_order::sequential) shuffle(targets, service.draw);
  switch (how.order) {
    case fence_order::sequential: count.rounds = ask_in_rounds(here, service, targets, 1); break;
    case fence_order::batches: count.rounds = ask_in_rounds(here, service, targets, most); break;
    case fence_order::window: count.rounds = ask_in_window(here, service, targets, most); break;
  }
  for (int rank = 0; rank < here.size(); ++rank) await_told(here, rank);
  return count;
}

}  // namespace upwash
