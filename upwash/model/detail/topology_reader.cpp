// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/detail/topology_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::model::detail {

const topology_description::parameter* topology_reader::find(std::string_view key) const {
  const auto& all = of_->parameters;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.key == key; });
  return at == all.end() ? nullptr : &*at;
}

void topology_reader::fail(std::string_view key, std::string_view what) const {
  const auto* at = find(key);
  const int line = at != nullptr ? at->line : of_->line;
  throw error(error_kind::configuration,
              fmt::format("topology {}{}: {}: {}", of_->origin,
                          line > 0 ? fmt::format(", line {}", line) : "", key, what));
}

void topology_reader::expect(std::initializer_list<std::string_view> valid) const {
  for (const auto& each : of_->parameters) {
    if (std::find(valid.begin(), valid.end(), each.key) != valid.end()) continue;
    const std::vector<std::string_view> candidates(valid.begin(), valid.end());
    const std::string_view near = nearest_name(each.key, candidates);
    fail(each.key, fmt::format("unknown key of {}{}; valid: {}", of_->kind,
                               near.empty() ? "" : fmt::format(", did you mean {}?", near),
                               fmt::join(candidates, ", ")));
  }
}

std::vector<int> topology_reader::numbers(std::string_view key, std::int64_t least,
                                          std::int64_t most) const {
  std::vector<int> result;
  const auto* at = find(key);
  if (at == nullptr) return result;
  for (const std::int64_t value : at->values) {
    if (value < least || value > most) {
      fail(key, fmt::format("{} is not in {} .. {}", value, least, most));
    }
    result.push_back(static_cast<int>(value));
  }
  return result;
}

int topology_reader::number(std::string_view key, std::int64_t least, std::int64_t most,
                            std::optional<int> initial) const {
  const std::vector<int> given = numbers(key, least, most);
  if (given.empty() && initial) return *initial;
  if (given.empty()) fail(key, fmt::format("the key is missing; {} needs it", of_->kind));
  if (given.size() > 1) fail(key, fmt::format("one number expected, {} given", given.size()));
  return given.front();
}

}  // namespace upwash::model::detail
