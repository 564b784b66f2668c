// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One template for both widths.
#include "upwash/conduit/shm/detail/atomics.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

namespace upwash::conduit::shm_detail {
namespace {

template <class Word, class Change>
Word change(std::atomic_ref<Word> word, Change&& next) {
  Word old = word.load();
  while (!word.compare_exchange_weak(old, next(old))) {
  }
  return old;
}

template <class Word>
Word apply(Word& place, const atomic_operation& operation) {
  using signed_word = std::make_signed_t<Word>;
  const std::atomic_ref<Word> word(place);
  const auto operand = static_cast<Word>(operation.operand);
  const auto by_sign = [&](auto pick) {
    return change(word, [&](Word old) {
      return static_cast<Word>(
          pick(static_cast<signed_word>(old), static_cast<signed_word>(operand)));
    });
  };
  switch (operation.kind) {
    case atomic_kind::load: return word.load();
    case atomic_kind::store: word.store(operand); return 0;
    case atomic_kind::add:
    case atomic_kind::fetch_add: return word.fetch_add(operand);
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
      return by_sign([](signed_word a, signed_word b) { return std::min(a, b); });
    case atomic_kind::max_signed:
    case atomic_kind::fetch_max_signed:
      return by_sign([](signed_word a, signed_word b) { return std::max(a, b); });
    case atomic_kind::min_unsigned:
    case atomic_kind::fetch_min_unsigned:
      return change(word, [&](Word old) { return std::min(old, operand); });
    case atomic_kind::max_unsigned:
    case atomic_kind::fetch_max_unsigned:
      return change(word, [&](Word old) { return std::max(old, operand); });
  }
  return 0;
}

}  // namespace

std::uint64_t apply_atomic(std::byte* at, const atomic_operation& operation) {
  if (operation.width == 4) return apply(*reinterpret_cast<std::uint32_t*>(at), operation);
  return apply(*reinterpret_cast<std::uint64_t*>(at), operation);
}

}  // namespace upwash::conduit::shm_detail
