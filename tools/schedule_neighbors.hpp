// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash schedule neighbor_all_gather --graph ...`: what each scheme sends on a process graph,
// without a network, and what that takes on a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upwash/base/duration.hpp"

namespace upwash::tools {

struct neighbor_arguments {
  std::string graph;                           ///< NAME[:key=value,...]
  std::string scheme;                          ///< empty: all; best: what a job would choose
  int ranks_per_node = 0;                      ///< 0: as the machine has them; without one all
  bool node_memory = false;                    ///< on several nodes, those of each share memory
  std::optional<std::uint64_t> eager_bytes{};  ///< else by price, up to
  std::uint64_t eager_limit = 0;
};

[[nodiscard]] bool is_neighbor_collective(const std::string& name);
/// Prints a table, or a JSON object a scheme. Throws `error` (argument).
int show_neighbors(const std::string& collective, const neighbor_arguments& given, int ranks,
                   std::uint64_t bytes, const std::string& machine, bool json);

}  // namespace upwash::tools
