// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A memory of prices beyond those that a selector keeps, for example from earlier jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "upwash/collective/problem.hpp"

namespace upwash::collective {

/// Prices by class of calls. Keys and lists are words that a selector made (price_words.hpp). They
/// are valid only in the same build of a program.
class price_memory {
 public:
  using words = std::span<const std::uint64_t>;

  virtual ~price_memory() = default;
  price_memory(const price_memory&) = delete;
  price_memory& operator=(const price_memory&) = delete;

  /// Returns the list under the key, valid until the next call. The same at all members of a job.
  [[nodiscard]] virtual std::optional<words> recall(words key) = 0;
  /// Stores a list that was not recalled and has now been computed, for calls of that collective.
  virtual void note(kind of, words key, words list) = 0;

 protected:
  price_memory() = default;
};

}  // namespace upwash::collective
