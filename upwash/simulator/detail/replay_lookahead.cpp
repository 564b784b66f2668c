// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/detail/replay_lookahead.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <optional>
#include <utility>

#include "upwash/model/cost.hpp"

namespace upwash::simulator::detail {
namespace {

using schedule::step;
using schedule::step_kind;

/// The least latency of messages between places.
class latencies {
 public:
  latencies(const machine& on, int ranks_a_place) : on_(on) {
    for (std::size_t i = 0; i < on.levels.size(); ++i) {
      const bool is_outermost = i + 1 == on.levels.size();
      const machine_level& level = on.levels[i];
      if (is_outermost || (level.has_costs() && level.ranks.value_or(INT_MAX) > ranks_a_place)) {
        levels_.push_back(i);
      }
    }
  }

  [[nodiscard]] std::int64_t least_ps(std::uint64_t bytes) const {
    std::int64_t least = INT64_MAX;
    for (const std::size_t i : levels_) {
      least = std::min(least, model::cost_of_message(on_, i, bytes).latency.ps());
    }
    return std::max<std::int64_t>(0, least);
  }
  /// At most: some sizes are tried.
  [[nodiscard]] std::int64_t least_ps() const {
    std::int64_t least = std::min({least_ps(0), least_ps(1), least_ps(3)});
    for (std::uint64_t bytes = 2; bytes < std::uint64_t{1} << 20U; bytes *= 2) {
      least = std::min(least, least_ps(bytes));
    }
    return least;
  }
  /// LogGP's do not.
  [[nodiscard]] bool grow() const {
    return std::any_of(levels_.begin(), levels_.end(),
                       [this](std::size_t i) { return on_.levels[i].alpha_beta.has_value(); });
  }

 private:
  const machine& on_;
  std::vector<std::size_t> levels_;
};

/// Of all that a rank sends; none: others answer, or see what it does without a message.
std::optional<std::int64_t> least_sent_ps(schedule::generator steps, const latencies& all,
                                          const schedule::transfer_rules& rules) {
  std::int64_t least = INT64_MAX;
  std::uint64_t last_bytes = UINT64_MAX;
  step what;
  while (steps.next(what)) {
    const bool names_peer =
        what.peer >= 0 || what.left.owner >= 0 || what.right.owner >= 0 || what.into.owner >= 0;
    if (what.kind != step_kind::send && what.kind != step_kind::receive) {
      if (names_peer) return std::nullopt;
      continue;
    }
    const bool sends = what.kind == step_kind::send;
    const std::uint64_t bytes =
        (sends ? what.left.bytes : what.into.bytes) + 8ULL * what.header.count;
    if (bytes == last_bytes) continue;
    if (schedule::lower(bytes, what.placed, what.acknowledged, rules).count != 1) {
      return std::nullopt;
    }
    if (!sends) continue;
    least = std::min(least, all.least_ps(bytes));
    last_bytes = bytes;
  }
  return least;
}

/// Where a few places have much less than the others, these are the short ones.
lookahead in_two_kinds(const std::vector<std::int64_t>& latency_ps) {
  constexpr std::size_t few = 16;
  std::vector<std::int64_t> sorted = latency_ps;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const std::int64_t enough = *middle / 2;
  lookahead found{INT64_MAX, INT64_MAX, {}};
  for (std::size_t p = 0; p < latency_ps.size(); ++p) {
    const bool is_short = latency_ps[p] < enough;
    std::int64_t& window = is_short ? found.short_window_ps : found.window_ps;
    window = std::min(window, latency_ps[p]);
    if (is_short) found.short_places.push_back(p);
  }
  if (found.short_places.size() > latency_ps.size() / few) {
    return {.window_ps = std::min(found.window_ps, found.short_window_ps)};
  }
  return found;
}

}  // namespace

lookahead lookahead_of(int ranks, int ranks_a_place,
                       function_ref<schedule::generator(int)> schedule_of, const machine& on,
                       const schedule::transfer_rules& rules, const replay_options& options) {
  const latencies all(on, ranks_a_place);
  const lookahead of_any{.window_ps = all.least_ps()};
  if (of_any.window_ps == 0 || options.facts_of || !all.grow()) return of_any;
  std::vector<std::int64_t> by_place(static_cast<std::size_t>((ranks - 1) / ranks_a_place) + 1,
                                     INT64_MAX);
  std::map<std::uint32_t, std::int64_t> by_class;
  for (int rank = 0; rank < ranks; ++rank) {
    schedule::generator steps = schedule_of(rank);
    const schedule::needs& wants = steps.wants();
    if (!wants.alike && wants.rank_class == 0) return of_any;
    const auto [of_class, is_first] = by_class.try_emplace(wants.alike ? 0 : wants.rank_class);
    if (is_first) {
      const auto least = least_sent_ps(std::move(steps), all, rules);
      if (!least) return of_any;
      of_class->second = *least;
    }
    std::int64_t& of_place = by_place[static_cast<std::size_t>(rank / ranks_a_place)];
    of_place = std::min(of_place, of_class->second);
  }
  return in_two_kinds(by_place);
}

}  // namespace upwash::simulator::detail
