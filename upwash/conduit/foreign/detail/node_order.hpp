// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers the processes of a job by node: a launcher's ranks may go round the nodes, while upwash's
// processes of a node follow each other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upwash::conduit::foreign {

/// What processes that can share memory have in common: the machine since it was started, and the
/// namespaces in which they see it (containers of one machine are nodes of their own).
struct node_identity {
  std::array<char, 64> host{};
  std::array<char, 40> boot{};
  std::array<std::uint64_t, 3> namespaces{};  ///< of ipc, pid and mnt

  friend bool operator==(const node_identity&, const node_identity&) = default;
};

[[nodiscard]] node_identity this_node();

struct node_order {
  std::vector<int> ranks;          ///< by process, of the launcher
  std::vector<int> nodes;          ///< by process: dense from 0, growing
  std::vector<std::string> hosts;  ///< by node
};

/// Nodes in the order of their lowest rank, the processes of each by rank. `of`: by rank.
[[nodiscard]] node_order order_by_node(std::span<const node_identity> of);

}  // namespace upwash::conduit::foreign
