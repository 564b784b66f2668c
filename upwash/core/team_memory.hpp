// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a team in which each member has a part, for layers that load and store it: one block
// and one table a process, whatever the number of its ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {
struct process_block;
class talking_team;
}  // namespace detail

/// The members that share a process with this rank. A process is led by its first member.
struct process_group {
  int first = 0;         ///< member that leads
  int members = 0;       ///< of this process
  int index = 0;         ///< of this rank among them
  int processes = 0;     ///< of the team
  int number = 0;        ///< of this process among them
  int most_members = 0;  ///< of one process: the same at all members
};

/// All members must load and store each other's memory (`all_direct`). Where they are of many
/// processes the parts of each are mapped when one is used first. Memory: the parts, and 8 bytes a
/// member and process, 40 a process.
class team_memory {
 public:
  team_memory() = default;
  /// Collective over the team, blocking. `part_bytes`: the same at all members. The parts are zero.
  /// Messages: O(log processes) a process that leads and O(log size) a rank. Throws `error`
  /// (system) at all members when a process lacks memory, naming it.
  team_memory(const team& among, function_ref<std::size_t(const process_group&)> part_bytes);
  team_memory(const team& among, std::size_t part_bytes)
      : team_memory(among, [=](const process_group&) { return part_bytes; }) {}

  /// For teams of several nodes whose members load and store the memory of their node
  /// (`nodes_direct`): a member sees the parts of those on its node; those of others are null.
  /// Collective over the whole team, blocking; else the same. Memory besides: 8 bytes a member.
  [[nodiscard]] static team_memory inside_nodes(const team& among, std::size_t part_bytes);

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Throws `error` (system) where the memory of its process cannot be reached: that one has died.
  [[nodiscard]] std::byte* part(int member) const {
    std::byte* const at = parts_[static_cast<std::size_t>(member)];
    return at != nullptr ? at : reach(member);
  }
  /// Of one inside nodes: among the members of the node.
  [[nodiscard]] const process_group& group() const noexcept { return group_; }
  /// The member that leads a process of the team, by its number.
  [[nodiscard]] int leader(int process) const noexcept;

  /// Collective over the team, blocking, or local where it is over (teams.hpp): nobody uses any
  /// part any more.
  void release();

 private:
  /// Makes this rank's part. Empty, or why there is none; the caller lets members agree.
  std::string make(const team& sharing, function_ref<std::size_t(const process_group&)> part_bytes);
  void agree(std::string refusal);
  [[nodiscard]] std::byte* reach(int member) const;

  team among_;
  std::shared_ptr<detail::talking_team> node_;  ///< of one inside nodes
  std::vector<int> mates_;                      ///< then: the members of the node, ascending
  std::vector<std::byte*> of_members_;          ///< then: null for members elsewhere
  process_group group_;
  std::shared_ptr<detail::process_block> block_;
  std::byte** parts_ = nullptr;  ///< by member; null: elsewhere, or not reached yet
};

}  // namespace upwash
