// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What this build can run on here: each conduit, tried with one rank.
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
  std::string unavailable;  ///< why it does not work here; empty when it does
  conduit::capabilities can;
  std::vector<std::pair<std::string, std::string>> facts;  ///< what this machine has for it
};

/// Makes a world of one rank on each conduit and asks it; never throws `error`.
[[nodiscard]] std::vector<conduit_description> describe_conduits();

}  // namespace upwash
