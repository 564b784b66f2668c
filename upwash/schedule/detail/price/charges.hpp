// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of a schedule cost on a machine, and the ports that messages hold: one out and one
// in, of a rank or (at the outermost level) of a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/model/cost.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule::detail {

/// The machine with one cost model a level, as the options choose. A view of `on` where it has no
/// other.
class machine_with_costs {
 public:
  machine_with_costs(const machine& on, price_options::costs chosen);
  machine_with_costs(const machine_with_costs&) = delete;
  machine_with_costs& operator=(const machine_with_costs&) = delete;

  [[nodiscard]] const machine& get() const noexcept { return own_ ? *own_ : given_; }

 private:
  const machine& given_;
  std::optional<machine> own_;
};

class charges {
 public:
  charges(const machine& on, const price_options& options);

  [[nodiscard]] const model::message_cost& message(std::size_t level, std::uint64_t bytes);
  [[nodiscard]] duration copy(std::uint64_t bytes) const;
  /// The copy out of an anonymous buffer: free where the machine does not know it.
  [[nodiscard]] duration copy_out(std::uint64_t bytes) const;
  [[nodiscard]] duration reduce(std::uint64_t bytes) const;
  [[nodiscard]] duration combine() const;
  [[nodiscard]] duration core_sharing(std::uint64_t rounds, duration busy, int ranks) const;

 private:
  struct cached {
    std::uint64_t bytes = UINT64_MAX;
    model::message_cost cost;
  };

  const machine& on_;
  bool free_where_absent_;
  int ranks_per_node_;
  std::optional<duration> core_switch_;
  std::vector<std::array<cached, 4>> messages_;
};

class ports {
 public:
  /// `ranks` are walked; each stands for `alike` of a node that do the same at the same times. More
  /// than one such: they share no ports.
  ports(const machine& on, int ranks, int alike);

  /// Whether hand-overs must be made in the order of time, by events.
  [[nodiscard]] bool contended(std::size_t level) const noexcept {
    return levels_[level].ranks_per_port > 1 || levels_[level].one_budget;
  }
  /// The time at which the first byte of a message handed over at `ready` is at its receiver.
  [[nodiscard]] duration depart(std::size_t level, int sender, duration ready,
                                const model::message_cost& cost) noexcept;
  /// The time at which the last byte is in, of a message whose first came at `head`.
  [[nodiscard]] duration arrive(std::size_t level, int receiver, duration head,
                                const model::message_cost& cost) noexcept;
  /// When all that was handed over so far has left.
  [[nodiscard]] duration all_left(int sender) const noexcept;
  /// Whether ranks wait for others at ports, or for both directions at one.
  [[nodiscard]] bool any_contended() const noexcept;
  /// Puts off what the ranks' ports hold: going out, coming in.
  void shift(const std::vector<duration>& out, const std::vector<duration>& in);

 private:
  struct port {
    duration out_free;
    duration in_free;
  };
  struct level_state {
    std::vector<port> all;
    int ranks_per_port = 1;
    int times_busy = 1;
    bool one_budget = false;
  };
  std::vector<level_state> levels_;
};

}  // namespace upwash::schedule::detail
