// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An engine holds entries in the order in which they came, and finds the earliest that fits. One
// engine type serves both sides: posted receives (entries may be wild, what is looked for is
// exact) and unexpected messages (entries are exact, what is looked for may be wild).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "upwash/base/function_ref.hpp"
#include "upwash/matching/engines/envelope.hpp"

namespace upwash::matching {

enum class side : std::uint8_t { posted, unexpected };

struct entry;

/// Neighbours in a list or ring, and where it hangs (the engine's note).
struct entry_links {
  entry* next = nullptr;
  entry* previous = nullptr;
  std::uint32_t place = 0;
};

/// A posted receive or an unexpected message. Owned by the caller, who derives from it; it stays
/// where it is from `insert` to `erase`. What stands below `what` belongs to the store. It fills
/// one cache line, and a search touches no more of it.
struct alignas(64) entry {
  envelope what;
  std::uint64_t sequence = 0;  ///< order of insertion into the store
  entry_links near{};
  void* home = nullptr;     ///< the engine's note: block, or further links
  std::uint32_t queue = 0;  ///< the partition's note
};

/// What searches cost. Traversals are entries looked at (Ghazimirsaeed 2019, 3.4.2), also those
/// that a vector compare looked at together; holes are empty places passed on the way.
struct costs {
  std::uint64_t searches = 0;
  std::uint64_t traversals = 0;
  std::uint64_t holes = 0;
};

/// insert: the entry came after all that are inside; O(1) amortized. find: the earliest that fits,
/// or null; it stays inside. take, where there is one: the same, erased. erase: O(1) amortized.
/// bytes: memory besides the entries.
template <class E>
concept engine = requires(E e, const E& seen, side s, entry& x, const envelope& q, costs& c,
                          function_ref<void(entry&)> f) {
  E(s);
  e.insert(x);
  { e.find(q, c) } -> std::same_as<entry*>;
  e.erase(x);
  e.for_each(f);
  { seen.size() } -> std::same_as<std::size_t>;
  { seen.bytes() } -> std::same_as<std::size_t>;
};

/// Of two findings the earlier.
[[nodiscard]] inline entry* earlier(entry* a, entry* b) noexcept {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return a->sequence < b->sequence ? a : b;
}

}  // namespace upwash::matching
