// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What collectives take on a machine, by the algorithm that jobs would choose there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "upwash/base/duration.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::tools {

class call_prices {
 public:
  explicit call_prices(const machine& on);

  /// Nothing for collectives that are not upwash's own, and for those that nothing prices. Each
  /// question is answered once by prices of all algorithms, later from memory.
  [[nodiscard]] std::optional<duration> price(const std::string& operation, std::uint64_t bytes,
                                              int ranks);

 private:
  [[nodiscard]] std::optional<duration> least(const std::string& operation, std::uint64_t bytes,
                                              int ranks) const;

  collective::registry algorithms_;
  collective::predictor predicts_;
  std::map<std::tuple<std::string, std::uint64_t, int>, std::optional<duration>> known_;
};

}  // namespace upwash::tools
