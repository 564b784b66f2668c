// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The single implementation of atomics by the processor: for directly addressable memory, for
// owners that serve messages, and for simulated network interfaces.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upwash/base/words.hpp"

namespace upwash {

template <class Word>
Word apply_atomic_word(std::byte* at, const atomic_operation& operation) noexcept {
  using signed_word = std::make_signed_t<Word>;
  std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
  const auto operand = static_cast<Word>(operation.operand);
  const auto extremum = [&word, operand](auto better) {
    Word seen = word.load();
    while (better(operand, seen) && !word.compare_exchange_weak(seen, operand)) {
    }
    return seen;
  };
  switch (operation.kind) {
    case atomic_kind::load: return word.load();
    case atomic_kind::add:
    case atomic_kind::fetch_add: return word.fetch_add(operand);
    case atomic_kind::store:  // same cost: on x86 a sequential store is an exchange
    case atomic_kind::swap: return word.exchange(operand);
    case atomic_kind::compare_swap: {
      auto expected = static_cast<Word>(operation.compare);
      word.compare_exchange_strong(expected, operand);
      return expected;
    }
    case atomic_kind::bit_and:
    case atomic_kind::fetch_and: return word.fetch_and(operand);
    case atomic_kind::bit_or:
    case atomic_kind::fetch_or: return word.fetch_or(operand);
    case atomic_kind::bit_xor:
    case atomic_kind::fetch_xor: return word.fetch_xor(operand);
    case atomic_kind::min_signed:
    case atomic_kind::fetch_min_signed:
      return extremum(
          [](Word a, Word b) { return static_cast<signed_word>(a) < static_cast<signed_word>(b); });
    case atomic_kind::max_signed:
    case atomic_kind::fetch_max_signed:
      return extremum(
          [](Word a, Word b) { return static_cast<signed_word>(a) > static_cast<signed_word>(b); });
    case atomic_kind::min_unsigned:
    case atomic_kind::fetch_min_unsigned: return extremum([](Word a, Word b) { return a < b; });
    case atomic_kind::max_unsigned:
    case atomic_kind::fetch_max_unsigned: return extremum([](Word a, Word b) { return a > b; });
  }
  return 0;
}

/// Runs the operation on the aligned word at `at` and returns the old value. Sequentially
/// consistent.
inline std::uint64_t apply_atomic(std::byte* at, const atomic_operation& operation) noexcept {
  return operation.width == 4 ? apply_atomic_word<std::uint32_t>(at, operation)
                              : apply_atomic_word<std::uint64_t>(at, operation);
}

}  // namespace upwash
