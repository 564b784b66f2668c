// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank keeps of each team that it runs collectives on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "upwash/collective/detail/choose/site.hpp"
#include "upwash/collective/detail/run/board.hpp"
#include "upwash/collective/detail/run/plan.hpp"
#include "upwash/collective/detail/run/team_shape.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective::detail {

/// What this rank keeps of a team. O(1), but for the board's pointers, and a bounded number of
/// plans.
struct team_record {
  explicit team_record(const team& of) : members(of) {}

  team members;
  std::uint32_t numbers = 0;  ///< operations begun
  /// Where all members load and store each other's memory; or made when asked for, where those of
  /// each node do.
  std::unique_ptr<board> shared;
  board_sequence epochs;                 ///< of operations that use the board or counters
  std::uint64_t settled_half = 0;        ///< of the epochs: those up to it may begin
  std::vector<std::uint64_t> open;       ///< epochs not complete here
  std::vector<std::uint64_t> unsettled;  ///< runs whose counters by message are kept
  plan_cache plans;
  site_list sites;  ///< where the job adapts
  std::shared_ptr<team_shape> shape;

  /// Whether a schedule that needs this uses the board.
  [[nodiscard]] bool shares_memory(const schedule::needs& wants) const noexcept {
    return shared && (shared->is_whole() || wants.inside_nodes) &&
           wants.counters <= board::counters &&
           wants.shared_bytes <= shared->half_scratch_bytes() &&
           ((wants.edges_apart && wants.slots == 0) || wants.counters != 0 ||
            wants.shared_bytes != 0);
  }
};

/// Owns the records; each is made when it is first asked for and stays where it is until its team
/// goes. The one of the last call is found at once.
class team_records {
 public:
  [[nodiscard]] team_record& of(const team& among) {
    if (last_ != nullptr && last_->members == among) [[likely]]
      return *last_;
    return find_or_make(among);
  }
  /// Null: there is none.
  [[nodiscard]] team_record* find(std::uint64_t team) const {
    const auto found = all_.find(team);
    return found == all_.end() ? nullptr : found->second.get();
  }
  void erase(const team& going);
  /// Calls of known shapes are chosen for again.
  void forget_choices();

 private:
  [[nodiscard]] team_record& find_or_make(const team& among);

  std::map<std::uint64_t, std::unique_ptr<team_record>> all_;
  team_record* last_ = nullptr;
};

}  // namespace upwash::collective::detail
