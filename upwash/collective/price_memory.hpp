// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of classes of calls beyond what a selector keeps, say of earlier jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "upwash/collective/problem.hpp"

namespace upwash::collective {

/// Keys and lists are words as a selector made them (price_words.hpp): good in the
/// same build of a program.
class price_memory {
 public:
  using words = std::span<const std::uint64_t>;

  virtual ~price_memory() = default;
  price_memory(const price_memory&) = delete;
  price_memory& operator=(const price_memory&) = delete;

  /// The list under that key; good until the next call. The same at all members of a job.
  [[nodiscard]] virtual std::optional<words> recall(words key) = 0;
  /// What was not recalled and has been found now, for calls of that collective.
  virtual void note(kind of, words key, words list) = 0;

 protected:
  price_memory() = default;
};

}  // namespace upwash::collective
