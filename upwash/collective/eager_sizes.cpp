// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/eager_sizes.hpp"

#include <algorithm>
#include <climits>

#include "upwash/base/error.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::collective {
namespace {

constexpr std::uint64_t least_tried = 64;  ///< below, an edge is a line or two

schedule::steps one_message(schedule::script& out, bool sends, bool placed, std::uint64_t bytes) {
  const schedule::piece data{schedule::buffer::output, 0, bytes};
  if (sends) {
    const schedule::send_step step = out.send(1, 0, data);
    const schedule::send_step going = placed ? step.placed(data) : step;
    co_yield going;
  } else {
    const schedule::receive_step step = out.receive(0, 0, data);
    const schedule::receive_step coming = placed ? step.placed() : step;
    co_yield coming;
  }
}

/// Two ranks whose messages cost what those of the level do.
machine of_level(const machine& on, std::size_t level) {
  machine alone = on;
  alone.levels = {on.levels[level]};
  alone.levels.front().ranks.reset();
  alone.processor.cores_per_node.reset();
  return alone;
}

duration price_of(const machine& on, const problem& call, bool placed, std::uint64_t bytes,
                  bool eagerly) {
  schedule::transfer_rules rules;
  rules.addresses = call.addresses;
  rules.entry = call.entry;
  rules.direct = call.direct_access;
  rules.eager_bytes = eagerly ? bytes : 0;
  schedule::price_options options;
  options.free_where_absent = true;
  options.every_rank = true;
  const auto steps = [&](int rank) {
    return schedule::generator({.window = 1}, [sends = rank == 0, placed, bytes](auto& out) {
      return one_message(out, sends, placed, bytes);
    });
  };
  const auto priced = schedule::price(2, steps, on, rules, options);
  return call.overlapped ? priced.processor_most : priced.completion;
}

/// By bisection: what is copied grows with the size, and what asking takes does not.
std::uint64_t crossing_of(const machine& alone, const problem& call, bool placed) {
  const auto is_eager = [&](std::uint64_t bytes) {
    return price_of(alone, call, placed, bytes, true) <=
           price_of(alone, call, placed, bytes, false);
  };
  int sizes = 0;  // powers of two that are tried
  while (least_tried <= call.eager_limit >> sizes) ++sizes;
  int eager = 0;  // the first so many are
  for (int not_eager = sizes; eager < not_eager;) {
    const int middle = eager + (not_eager - eager) / 2;
    if (is_eager(least_tried << middle)) {
      eager = middle + 1;
    } else {
      not_eager = middle;
    }
  }
  if (eager == sizes) return call.eager_limit;
  return eager == 0 ? 0 : least_tried << (eager - 1);
}

/// Levels with costs that members of the team can have between them, from inside out.
std::vector<std::size_t> levels_spanned(const machine& on, int ranks) {
  std::vector<std::size_t> spanned;
  for (std::size_t level = 0; level < on.levels.size(); ++level) {
    if (!on.levels[level].has_costs()) continue;
    spanned.push_back(level);
    if (on.levels[level].ranks.value_or(INT_MAX) >= ranks) break;
  }
  return spanned;
}

bool leaves_a_choice(const machine& on, const problem& call) {
  return call.eager_limit != 0 && !call.transfer && call.ranks > 1 && on.levels.back().has_costs();
}

}  // namespace

std::uint64_t eager_sizes::crossing(const problem& call, std::size_t level, bool placed) const {
  const message_kind kind{
      level,           placed,          call.addresses, call.entry, call.direct_access,
      call.overlapped, call.eager_limit};
  const auto known = crossings_.find(kind);
  if (known != crossings_.end()) return known->second;
  return crossings_[kind] = crossing_of(of_level(on_, level), call, placed);
}

std::uint64_t eager_sizes::usual(const problem& call) const {
  if (!leaves_a_choice(on_, call)) return call.eager_limit;
  return crossing(call, levels_spanned(on_, call.ranks).back(), false);
}

std::vector<std::uint64_t> eager_sizes::worth_a_price(const problem& call) const {
  if (!leaves_a_choice(on_, call)) return {};
  std::vector<std::uint64_t> sizes{0, call.eager_limit};
  const bool can_put =
      call.addresses == schedule::address_mode::single && call.entry != schedule::sync_mode::mine;
  for (const std::size_t level : levels_spanned(on_, call.ranks)) {
    sizes.push_back(crossing(call, level, false));
    if (can_put) sizes.push_back(crossing(call, level, true));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase(sizes, call.eager_bytes);
  return sizes;
}

bool travels_otherwise(std::uint64_t edge_sizes, std::uint64_t one, std::uint64_t other) noexcept {
  const auto [less, more] = std::minmax(one, other);
  for (int bit = 0; bit < 64; ++bit) {
    if ((edge_sizes >> bit & 1U) == 0) continue;
    // Sizes above half a power of two, up to it.
    const std::uint64_t most = std::uint64_t{1} << bit;
    if (most > less && most / 2 < more) return true;
  }
  return false;
}

}  // namespace upwash::collective
