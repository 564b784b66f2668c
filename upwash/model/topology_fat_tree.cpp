// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/topology_fat_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::model {
namespace {

constexpr std::int64_t most_places = 1 << 26;

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "fat tree: " + what);
}

int limited(std::int64_t value, const char* what) {
  if (value > most_places) wrong(fmt::format("{} {} are more than {}", value, what, most_places));
  return static_cast<int>(value);
}

}  // namespace

fat_tree_shape k_ary_n_tree(int arity, int levels, bool full) {
  fat_tree_shape shape;
  if (levels < 1) wrong(fmt::format("{} levels; at least 1 is needed", levels));
  shape.down.assign(static_cast<std::size_t>(levels), arity);
  shape.up.assign(static_cast<std::size_t>(levels - 1), arity);
  if (full) shape.down.back() = 2 * arity;
  shape.name = full ? fmt::format("clos:ports={},levels={}", 2 * arity, levels)
                    : fmt::format("fat-tree:ports={},levels={}", 2 * arity, levels);
  return shape;
}

fat_tree::fat_tree(fat_tree_shape shape) : shape_(std::move(shape)) {
  if (shape_.down.empty() || shape_.up.size() + 1 != shape_.down.size()) {
    wrong("every level but the top needs its ports up, every level its ports down");
  }
  std::int64_t span = 1;
  std::int64_t copies = 1;
  for (std::size_t level = 0; level < shape_.down.size(); ++level) {
    const int up = level < shape_.up.size() ? shape_.up[level] : 0;
    const int down = shape_.down[level];
    if (down < 1 || (up < 1 && level < shape_.up.size())) {
      wrong(fmt::format("level {} has {} ports down and {} up; at least 1", level, down, up));
    }
    level_row fresh{down, up, 0, 0, limited(copies, "copies"), limited(span, "places"), 0};
    span = limited(span * down, "places");
    fresh.span = static_cast<int>(span);
    levels_.push_back(fresh);
    copies *= std::max(up, 1);
  }
  number_switches();
  number_nodes();
  name_ = shape_.name;
}

void fat_tree::number_switches() {
  const int places = levels_.back().span;
  std::int64_t before = 0;
  for (level_row& each : levels_) {
    each.first = static_cast<int>(before);
    each.count = limited(std::int64_t{places / each.span} * each.copies, "switches of a level");
    before = limited(before + each.count, "switches");
  }
  switches_ = static_cast<int>(before);
  places_.reserve(static_cast<std::size_t>(switches_));
  for (int level = 0; level < levels(); ++level) {
    for (int i = 0; i < row(level).count; ++i) {
      places_.push_back({level, i / row(level).copies * row(level).span, i % row(level).copies});
    }
  }
}

void fat_tree::number_nodes() {
  const int places = levels_.back().span;
  auto gap = shape_.missing.begin();
  for (int slot = 0; slot < places; ++slot) {
    if (gap != shape_.missing.end() && *gap == slot) {
      ++gap;
    } else {
      slots_.push_back(slot);
    }
  }
  if (gap != shape_.missing.end()) {
    wrong(fmt::format("missing place {} is not in ascending order in 0 .. {}", *gap, places - 1));
  }
  if (slots_.empty()) wrong("all nodes are missing");
  nodes_ = static_cast<int>(slots_.size());
}

int fat_tree::node_at(int slot) const noexcept {
  const auto& gaps = shape_.missing;
  const auto gap = std::lower_bound(gaps.begin(), gaps.end(), slot);
  if (gap != gaps.end() && *gap == slot) return -1;
  return slot - static_cast<int>(gap - gaps.begin());
}

bool fat_tree::covers(int of_switch, int node) const noexcept {
  const switch_place& at = place(of_switch);
  return slot(node) >= at.first && slot(node) < at.first + row(at.level).span;
}

int fat_tree::port_towards(int of_switch, int node) const noexcept {
  const switch_place& at = place(of_switch);
  return (slot(node) - at.first) / row(at.level).below;
}

int fat_tree::ports(int of_switch) const {
  const level_row& here = row(place(of_switch).level);
  return here.down + here.up;
}

port_end fat_tree::end(int of_switch, int port) const {
  const switch_place& at = place(of_switch);
  const level_row& here = row(at.level);
  if (port >= here.down) {  // up: one subtree further out, one digit more of the copy
    const level_row& above = row(at.level + 1);
    const int copy = at.copy + (port - here.down) * here.copies;
    const int subtree = at.first / above.span;
    return {port_end::kind::port, above.first + subtree * above.copies + copy,
            (at.first - subtree * above.span) / here.span};
  }
  const int first = at.first + port * here.below;
  if (at.level == 0) {
    const int node = node_at(first);
    return node < 0 ? port_end{} : port_end{port_end::kind::node, node, -1};
  }
  const level_row& below = row(at.level - 1);
  return {port_end::kind::port,
          below.first + first / below.span * below.copies + at.copy % below.copies,
          below.down + at.copy / below.copies};
}

port_end fat_tree::attachment(int node) const {
  return {port_end::kind::port, slot(node) / row(0).down, slot(node) % row(0).down};
}

}  // namespace upwash::model
