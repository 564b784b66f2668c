// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topologies by name: "fat-tree:ports=32,levels=2", a JSON file {"kind", "parameters"}, or the
// topology of a machine file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"

namespace upwash::model {

/// A parsed description, not checked yet.
struct topology_description {
  struct parameter {
    std::string key;
    std::vector<std::int64_t> values;
    int line = 0;  ///< in the file
  };
  std::string kind;
  std::vector<parameter> parameters;
  std::string origin;  ///< the text or the file
  int line = 0;        ///< of the kind, in a file
};

/// Reads KIND[:key=value,...], with sizes written 8x8 and lists 3+17, or a path with a slash or
/// ending in .json. Throws `error` (configuration) for unreadable text.
[[nodiscard]] topology_description parse_topology(std::string_view text_or_path);

/// Reads JSON text. Errors name `origin` and the line.
[[nodiscard]] topology_description parse_topology_file(std::string_view text,
                                                       std::string_view origin);

/// Returns the network of a machine. A tree without a number of levels gets as many as `nodes`
/// nodes need; a grid with dimensions but without sizes gets nearly equal ones. Throws `error`
/// (configuration) for a machine without topology.
[[nodiscard]] topology_description topology_of(const machine& on, int nodes);

/// Makes a topology. `routing`: a name from the table in the README; empty: the kind's first one.
/// Throws `error` (configuration) with origin, line, key, the value and the valid ones.
[[nodiscard]] std::unique_ptr<const topology> make_topology(const topology_description& of,
                                                            std::string_view routing = {});

}  // namespace upwash::model
