// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topologies by name: "fat-tree:ports=32,levels=2", a JSON file {"kind", "parameters"}, or what a
// machine file says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"

namespace upwash::model {

/// What was written, not checked yet.
struct topology_description {
  struct parameter {
    std::string key;
    std::vector<std::int64_t> values;
    int line = 0;  ///< of the file
  };
  std::string kind;
  std::vector<parameter> parameters;
  std::string origin;  ///< the text or the file
  int line = 0;        ///< of the kind, in a file
};

/// Reads KIND[:key=value,...], where sizes are written 8x8 and lists 3+17, or a path that has a
/// slash or ends in .json. Throws `error` (configuration) for what cannot be read.
[[nodiscard]] topology_description parse_topology(std::string_view text_or_path);

/// Reads JSON text; `origin` stands in the errors, with the line.
[[nodiscard]] topology_description parse_topology_file(std::string_view text,
                                                       std::string_view origin);

/// What a machine says of its network; a tree gets as many levels as `nodes` need when it does not
/// say how many, and a grid of so many dimensions without sizes nearly equal ones. Throws `error`
/// (configuration) for a machine without topology.
[[nodiscard]] topology_description topology_of(const machine& on, int nodes);

/// `routing` is a name from the table in the README, empty for the kind's first one. Throws
/// `error` (configuration) naming origin, line, key, the value and what is valid.
[[nodiscard]] std::unique_ptr<const topology> make_topology(const topology_description& of,
                                                            std::string_view routing = {});

}  // namespace upwash::model
