// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/draw/drawn_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "upwash/base/error.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule::draw_detail {
namespace {

/// Messages take a unit of their sender's processor and nothing else.
machine unit_machine() {
  machine on = uniform_machine({}, {}, {}, 0);
  on.levels[0].send_overhead = duration::from_us(1);
  return on;
}

/// When what steps send is taken at the other end.
class arrivals {
 public:
  explicit arrivals(const std::vector<drawn_step>& steps) {
    for (const drawn_step& each : steps) {
      const step& what = each.what;
      const bool counts = what.kind == step_kind::await;
      if (what.kind != step_kind::receive && !counts) continue;
      ends_[{counts ? -1 : what.peer, each.when.rank, what.edge, counts}].push_back(each.when.done);
    }
    for (auto& [key, all] : ends_) std::sort(all.begin(), all.end(), std::greater<>());
  }

  /// By the first receive or await that fits.
  [[nodiscard]] duration of(const drawn_step& s) {
    const bool counts = s.what.kind == step_kind::signal;
    if (!counts && s.what.kind != step_kind::send) return s.when.done;
    const auto found = ends_.find({counts ? -1 : s.when.rank, s.what.peer, s.what.edge, counts});
    if (found == ends_.end()) return s.when.done;
    std::vector<duration>& all = found->second;
    if (!counts) {
      if (all.empty()) return s.when.done;
      const duration first = all.back();
      all.pop_back();
      return first;
    }
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      if (*it >= s.when.done) return *it;
    }
    return s.when.done;
  }

 private:
  std::map<std::tuple<int, int, std::uint32_t, bool>, std::vector<duration>> ends_;
};

}  // namespace

std::vector<drawn_step> all_steps(const drawing& of, function_ref<generator(int)> schedule_of,
                                  std::uint64_t most_steps) {
  std::vector<drawn_step> steps;
  const auto keep = [&](const traced_step& when, const step& what) {
    steps.push_back({when, what, when.done});
    if (steps.size() > most_steps) {
      throw error(error_kind::argument,
                  fmt::format("a drawing of more than {} steps cannot be read; choose fewer ranks "
                              "or larger segments",
                              most_steps));
    }
  };
  price_options options;
  options.free_where_absent = true;
  options.every_rank = true;
  options.steps_before_skipping = UINT64_MAX;
  options.trace = keep;
  transfer_rules as_messages;
  as_messages.eager_bytes = UINT64_MAX;
  const machine units = unit_machine();
  (void)price(of.ranks, schedule_of, of.on != nullptr ? *of.on : units,
              of.on != nullptr ? of.rules : as_messages, options);
  arrivals ends(steps);
  for (drawn_step& each : steps) each.arrives = ends.of(each);
  std::ranges::stable_sort(steps, {}, [](const drawn_step& s) { return s.when.begun; });
  return steps;
}

std::vector<drawn_step> gathered(const std::vector<drawn_step>& steps, const rank_lines& on) {
  std::map<std::tuple<step_kind, int, int, std::uint32_t>, std::size_t> known;
  std::vector<drawn_step> made;
  for (const drawn_step& s : steps) {
    const int other = s.what.peer < 0 ? s.what.left.owner : s.what.peer;
    const int peer = other < 0 ? -1 : on.of(other);
    const auto [at, fresh] =
        known.try_emplace({s.what.kind, on.of(s.when.rank), peer, s.what.round}, made.size());
    if (fresh) {
      made.push_back(s);
      continue;
    }
    drawn_step& all = made[at->second];
    ++all.count;
    all.what.left.bytes += s.what.left.bytes;
    all.what.into.bytes += s.what.into.bytes;
    all.when.begun = std::min(all.when.begun, s.when.begun);
    all.when.done = std::max(all.when.done, s.when.done);
    all.arrives = std::max(all.arrives, s.arrives);
  }
  return made;
}

}  // namespace upwash::schedule::draw_detail
