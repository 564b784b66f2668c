// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: barrier, broadcast, reduce or all-reduce. Idea: one step, which the switches carry out
// on a spanning tree. Cost: one pass of the tree, O(log P) switches, no processor between.
// Restrictions: a network that has collectives; it combines in any order. Source: Kumar 2005,
// section 8.1.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class in_network {
 public:
  /// `kind` is one of the steps in the network; `root` is `schedule::own` for results at all.
  in_network(schedule::step_kind kind, std::uint64_t bytes, int root, bool in_place)
      : kind_(kind), in_place_(in_place), root_(root), bytes_(bytes) {}

  bool next(schedule::step& out, schedule::tape& on) {
    if (done_) return false;
    done_ = true;
    out.kind = kind_;
    out.peer = root_;
    if (kind_ != schedule::step_kind::net_barrier) {
      const auto from = in_place_ ? schedule::buffer::output : schedule::buffer::input;
      out.left = {from, 0, bytes_};
      out.into = {schedule::buffer::output, 0, bytes_};
    }
    on.emit(out);
    return true;
  }
  [[nodiscard]] std::uint32_t window() const noexcept { return 1; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }

 private:
  schedule::step_kind kind_;
  bool in_place_;
  bool done_ = false;
  int root_;
  std::uint64_t bytes_;
};

}  // namespace upwash::collective
