// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/atomics.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace upwash::conduit::sim {
namespace {

template <class Word>
Word updated(const atomic_operation& operation, Word old) {
  using signed_word = std::make_signed_t<Word>;
  const auto operand = static_cast<Word>(operation.operand);
  const auto signed_old = static_cast<signed_word>(old);
  const auto signed_operand = static_cast<signed_word>(operand);
  switch (operation.kind) {
    case atomic_kind::load: return old;
    case atomic_kind::store:
    case atomic_kind::swap: return operand;
    case atomic_kind::add:
    case atomic_kind::fetch_add: return static_cast<Word>(old + operand);
    case atomic_kind::compare_swap:
      return old == static_cast<Word>(operation.compare) ? operand : old;
    case atomic_kind::bit_and:
    case atomic_kind::fetch_and: return old & operand;
    case atomic_kind::bit_or:
    case atomic_kind::fetch_or: return old | operand;
    case atomic_kind::bit_xor:
    case atomic_kind::fetch_xor: return old ^ operand;
    case atomic_kind::min_signed:
    case atomic_kind::fetch_min_signed:
      return static_cast<Word>(std::min(signed_old, signed_operand));
    case atomic_kind::max_signed:
    case atomic_kind::fetch_max_signed:
      return static_cast<Word>(std::max(signed_old, signed_operand));
    case atomic_kind::min_unsigned:
    case atomic_kind::fetch_min_unsigned: return std::min(old, operand);
    case atomic_kind::max_unsigned:
    case atomic_kind::fetch_max_unsigned: return std::max(old, operand);
  }
  return old;
}

template <class Word>
std::uint64_t apply(const atomic_operation& operation, std::byte* at) {
  Word old = 0;
  std::memcpy(&old, at, sizeof old);
  const Word now = updated(operation, old);
  std::memcpy(at, &now, sizeof now);
  return old;
}

}  // namespace

std::uint64_t apply_atomic(const atomic_operation& operation, std::byte* word) {
  return operation.width == 4 ? apply<std::uint32_t>(operation, word)
                              : apply<std::uint64_t>(operation, word);
}

}  // namespace upwash::conduit::sim
