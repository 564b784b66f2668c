// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of a class of problems in words, which other processes of the same program read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {

/// All that a list of prices depends on: the problem, the machine, and the algorithms that there
/// are. Empty: other processes could not tell it by words (problem::further).
[[nodiscard]] std::vector<std::uint64_t> key_words(const registry& from, const problem& call,
                                                   const machine& on);

/// What the candidates of such calls should take.
[[nodiscard]] std::vector<std::uint64_t> list_words(const registry& from, kind of,
                                                    const std::vector<ranked>& all);
/// As list_words had it, of the same algorithms.
[[nodiscard]] std::vector<ranked> list_of(const registry& from, kind of,
                                          std::span<const std::uint64_t> words);

}  // namespace upwash::collective
