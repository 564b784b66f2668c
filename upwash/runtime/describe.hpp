// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Describes the conduits on which this build can run here, each tried with one rank.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/conduit/endpoint.hpp"

namespace upwash {

struct conduit_description {
  std::string_view name;
  std::string_view doc;
  bool several_processes = false;
  std::string unavailable;  ///< reason for a failure here; empty: it works
  conduit::capabilities can;
  std::vector<std::pair<std::string, std::string>> facts;  ///< properties of this machine for it
};

/// Makes a world of one rank on each conduit and returns its description. Never throws `error`.
[[nodiscard]] std::vector<conduit_description> describe_conduits();

}  // namespace upwash
