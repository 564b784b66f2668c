// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of a trace as JSON: what `upwash trace --json` prints, and the report's page shows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/trace_numbers.hpp"

namespace upwash::tools {

/// Times in microseconds. Lists that are empty are there.
[[nodiscard]] nlohmann::json json_of(const observe::trace& t, const trace_numbers& n);

/// Adds what trace_choices.hpp and trace_layers.hpp found.
void add_layers(nlohmann::json& to, const trace_numbers& n);

/// Names in traces may hold any bytes: what is no UTF-8 is replaced. `indent` -1: one line.
[[nodiscard]] std::string text_of(const nlohmann::json& all, int indent);

}  // namespace upwash::tools
