// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of a class of problems as words, for other processes of the same program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {

/// Returns the facts on which a list of prices depends: the problem, the machine and the available
/// algorithms. Empty if words cannot express the problem for other processes (problem::further).
[[nodiscard]] std::vector<std::uint64_t> key_words(const registry& from, const problem& call,
                                                   const machine& on);

/// Returns the predicted times of the candidates as words.
[[nodiscard]] std::vector<std::uint64_t> list_words(const registry& from, kind of,
                                                    const std::vector<ranked>& all);
/// Returns the list that list_words encoded, for the same algorithms.
[[nodiscard]] std::vector<ranked> list_of(const registry& from, kind of,
                                          std::span<const std::uint64_t> words);

}  // namespace upwash::collective
