// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/choose/price_store.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "upwash/base/random.hpp"

namespace upwash::collective::detail {
namespace {

constexpr std::size_t words_a_place = 32;  ///< a record has some 100

using word = std::atomic_ref<std::uint64_t>;

constexpr std::uint32_t record_of(std::uint64_t place) noexcept {
  return static_cast<std::uint32_t>(place);
}
/// Never 0, which is of an empty place.
constexpr std::uint64_t tag_of(std::uint64_t hash) noexcept { return (hash >> 32U | 1U) << 32U; }

}  // namespace

price_store::price_store(std::span<std::uint64_t> memory) noexcept : used_(memory.data()) {
  const std::size_t places = std::bit_floor(memory.size() / words_a_place);
  places_ = memory.subspan(1, places);
  records_ = memory.subspan(1 + places);
}

std::uint64_t price_store::hash_of(words key) noexcept {
  std::uint64_t hash = key.size();
  for (const std::uint64_t each : key) hash = random_bits(hash, each, 0);
  return hash;
}

price_store::words price_store::key_at(std::uint32_t record) const noexcept {
  return words(records_).subspan(record + 2U, records_[record]);
}

price_store::words price_store::value_at(std::uint32_t record) const noexcept {
  return words(records_).subspan(record + 2U + records_[record], records_[record + 1U]);
}

/// The place of the key, or the first free one. One that is promised, or never given, is taken for
/// the key's by its tag alone: at worst two keys are not shared.
price_store::found price_store::look_for(words key, std::uint64_t hash) const noexcept {
  for (std::size_t i = 0; i < std::min(most_looks, places_.size()); ++i) {
    std::uint64_t& place = places_[(hash + i) & (places_.size() - 1)];
    const std::uint64_t seen = word(place).load(std::memory_order_acquire);
    if (seen == empty) return {&place, seen};
    if ((seen ^ tag_of(hash)) >> 32U != 0) continue;
    const std::uint32_t record = record_of(seen);
    if (record == coming || record == never || std::ranges::equal(key_at(record - 1), key)) {
      return {&place, seen};
    }
  }
  return {};
}

price_store::answer price_store::find(words key, std::uint64_t hash) const noexcept {
  const found at = look_for(key, hash);
  if (at.place == nullptr || at.seen == empty) return {};
  const std::uint32_t record = record_of(at.seen);
  if (record == never) return {};
  if (record == coming) return {.value = {}, .promised = true};
  return {.value = value_at(record - 1)};
}

bool price_store::promise(words key, std::uint64_t hash) noexcept {
  for (;;) {
    const found at = look_for(key, hash);
    if (at.place == nullptr || at.seen != empty) return false;
    std::uint64_t expected = empty;
    if (word(*at.place).compare_exchange_strong(expected, tag_of(hash) | coming,
                                                std::memory_order_relaxed)) {
      return true;
    }
  }
}

/// Where the record begins, counted from 1, or `never`.
std::uint32_t price_store::write(words key, words value) noexcept {
  const std::size_t needs = 2 + key.size() + value.size();
  if (word(*used_).load(std::memory_order_relaxed) + needs > records_.size()) return never;
  const std::uint64_t at = word(*used_).fetch_add(needs, std::memory_order_relaxed);
  if (at + needs > records_.size()) return never;
  std::uint64_t* to = records_.data() + at;
  *to++ = key.size();
  *to++ = value.size();
  std::ranges::copy(value, std::ranges::copy(key, to).out);
  return static_cast<std::uint32_t>(at + 1);
}

void price_store::give(words key, std::uint64_t hash, words value) noexcept {
  std::optional<std::uint32_t> record;
  for (;;) {
    const found at = look_for(key, hash);
    if (at.place == nullptr || (at.seen != empty && record_of(at.seen) != coming)) return;
    if (!record) record = write(key, value);
    if (*record == never && at.seen == empty) return;
    std::uint64_t expected = at.seen;
    if (word(*at.place).compare_exchange_strong(expected, tag_of(hash) | *record,
                                                std::memory_order_release)) {
      return;
    }
  }
}

void price_store::give_up(words key, std::uint64_t hash) noexcept {
  const found at = look_for(key, hash);
  if (at.place == nullptr || at.seen == empty || record_of(at.seen) != coming) return;
  std::uint64_t expected = at.seen;
  word(*at.place).compare_exchange_strong(expected, tag_of(hash) | never,
                                          std::memory_order_relaxed);
}

}  // namespace upwash::collective::detail
