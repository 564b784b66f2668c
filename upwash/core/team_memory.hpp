// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a team in which each member has a part, for layers that load and store it. A process
// has one block and one table, whatever the number of its ranks.
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

/// The members that share a process with this rank. The first member of a process leads it.
struct process_group {
  int first = 0;         ///< leading member
  int members = 0;       ///< members in this process
  int index = 0;         ///< this rank's index among them
  int processes = 0;     ///< processes of the team
  int number = 0;        ///< this process's index among them
  int most_members = 0;  ///< largest number in a process, the same at all members
};

/// Shared memory of a team. All members must load and store each other's memory (`all_direct`). If
/// the team has several processes, the parts of each process are mapped on first use. Memory: the
/// parts, 8 bytes a member and process, and 40 bytes a process.
class team_memory {
 public:
  team_memory() = default;
  /// Allocates the parts, which are zero. Collective over the team, blocking. `part_bytes` is the
  /// same at all members. Messages: O(log processes) for a leader of a process and O(log size) a
  /// rank. Throws `error` (system) at all members when a process lacks memory, and names the
  /// process.
  team_memory(const team& among, function_ref<std::size_t(const process_group&)> part_bytes);
  team_memory(const team& among, std::size_t part_bytes)
      : team_memory(among, [=](const process_group&) { return part_bytes; }) {}

  /// Allocates memory for a team of several nodes whose members load and store the memory of their
  /// node (`nodes_direct`). A member sees the parts of the members on its node; the other parts are
  /// null. Collective over the whole team, blocking. Memory: 8 bytes a member more than above.
  /// Otherwise as the constructor.
  [[nodiscard]] static team_memory inside_nodes(const team& among, std::size_t part_bytes);

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Returns a member's part. Throws `error` (system) if the memory of its process cannot be
  /// reached because that process has died.
  [[nodiscard]] std::byte* part(int member) const {
    std::byte* const at = parts_[static_cast<std::size_t>(member)];
    return at != nullptr ? at : reach(member);
  }
  /// Returns this rank's process group. For memory inside nodes: among the members of the node.
  [[nodiscard]] const process_group& group() const noexcept { return group_; }
  /// Returns the member that leads process `process` of the team.
  [[nodiscard]] int leader(int process) const noexcept;

  /// Releases the memory, which no member may use any longer. Collective over the team, blocking;
  /// local if the team is over (teams.hpp).
  void release();

 private:
  /// Makes this rank's part. Returns an empty string, or the reason for a failure; the caller lets
  /// the members agree.
  std::string make(const team& sharing, function_ref<std::size_t(const process_group&)> part_bytes);
  void agree(std::string refusal);
  [[nodiscard]] std::byte* reach(int member) const;

  team among_;
  std::shared_ptr<detail::talking_team> node_;  ///< for memory inside nodes
  std::vector<int> mates_;                      ///< for memory inside nodes: the node's members,
                                                ///< ascending
  std::vector<std::byte*> of_members_;          ///< for memory inside nodes: null for members
                                                ///< elsewhere
  process_group group_;
  std::shared_ptr<detail::process_block> block_;
  std::byte** parts_ = nullptr;  ///< by member; null: elsewhere, or not reached yet
};

}  // namespace upwash
