// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queues of entries by exact key, first in first out for each key. A flat table with open
// addressing that reuses its entries: no allocation for an entry once the table has been as large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace upwash {

/// The table. `Key` compares by ==. `Hash` returns 64 well-mixed bits. `T` is default-constructible
/// and movable. push, first and take: O(1). Memory grows with the most entries kept at once (`T`,
/// `Key` and 32 bytes each), and is kept.
template <class Key, class T, class Hash>
class keyed_queues {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Appends an entry after all entries of the same key.
  void push(const Key& key, T what) {
    const std::uint32_t at = new_entry();
    entry& e = entries_[at];
    e.key = key;
    e.what = std::move(what);
    e.hash = Hash{}(key);
    e.next = none;
    append_to_all(at);
    ++size_;
    if ((keys_ + 1) * 2 > places_.size()) grow();
    const std::size_t place = place_of(key, e.hash);
    if (places_[place] == none) {
      places_[place] = at;
      e.last = at;
      ++keys_;
      return;
    }
    entry& head = entries_[places_[place]];
    entries_[head.last].next = at;
    head.last = at;
  }

  /// Returns the first entry of the key, or null. Valid until the next call that changes the table.
  [[nodiscard]] T* first(const Key& key) noexcept {
    if (size_ == 0) return nullptr;
    const std::uint32_t head = places_[place_of(key, Hash{}(key))];
    return head == none ? nullptr : &entries_[head].what;
  }

  /// Removes the first entry of the key and returns it.
  [[nodiscard]] std::optional<T> take(const Key& key) {
    if (size_ == 0) return std::nullopt;
    const std::size_t place = place_of(key, Hash{}(key));
    const std::uint32_t head = places_[place];
    if (head == none) return std::nullopt;
    std::optional<T> taken(std::move(entries_[head].what));
    remove(place, none, head);
    return taken;
  }

  /// Removes each entry for which `wants(key, what)` is true, in the order of arrival, and hands it
  /// to `take(key, T&&)`. Neither may use the table. O(entries).
  template <class Wants, class Take>
  void take_if(const Wants& wants, const Take& take) {
    for (std::uint32_t at = first_of_all_; at != none;) {
      entry& e = entries_[at];
      const std::uint32_t later = e.later;
      if (wants(std::as_const(e.key), std::as_const(e.what))) {
        const std::size_t place = place_of(e.key, e.hash);
        std::uint32_t before = none;
        for (std::uint32_t each = places_[place]; each != at; each = entries_[each].next) {
          before = each;
        }
        take(std::as_const(e.key), std::move(e.what));
        remove(place, before, at);
      }
      at = later;
    }
  }
  template <class Wants>
  void erase_if(const Wants& wants) {
    take_if(wants, [](const Key& /*key*/, T&& /*what*/) {});
  }

  void clear() {
    erase_if([](const Key& /*key*/, const T& /*what*/) { return true; });
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct entry {
    Key key{};
    T what{};
    std::uint64_t hash = 0;
    std::uint32_t next = none;  ///< of the same key; or the next unused entry
    std::uint32_t last = none;  ///< of the same key, if this is the first
    std::uint32_t earlier = none;
    std::uint32_t later = none;
  };

  [[nodiscard]] std::size_t home_of(std::uint64_t hash) const noexcept {
    return hash & (places_.size() - 1);
  }
  /// Returns the slot of the key's first entry, or the free slot for it.
  [[nodiscard]] std::size_t place_of(const Key& key, std::uint64_t hash) const noexcept {
    std::size_t place = home_of(hash);
    for (;; place = (place + 1) & (places_.size() - 1)) {
      const std::uint32_t head = places_[place];
      if (head == none || (entries_[head].hash == hash && entries_[head].key == key)) return place;
    }
  }

  [[nodiscard]] std::uint32_t new_entry() {
    if (unused_ == none) {
      unused_ = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    }
    const std::uint32_t at = unused_;
    unused_ = entries_[at].next;
    return at;
  }

  void append_to_all(std::uint32_t at) noexcept {
    entries_[at].earlier = last_of_all_;
    entries_[at].later = none;
    (last_of_all_ == none ? first_of_all_ : entries_[last_of_all_].later) = at;
    last_of_all_ = at;
  }

  /// Removes entry `at`. `before`: the previous entry of the same key.
  void remove(std::size_t place, std::uint32_t before, std::uint32_t at) {
    entry& e = entries_[at];
    if (before != none) {
      entries_[before].next = e.next;
      entry& head = entries_[places_[place]];
      if (head.last == at) head.last = before;
    } else if (e.next != none) {
      places_[place] = e.next;
      entries_[e.next].last = e.last;
    } else {
      empty_place(place);
    }
    (e.earlier == none ? first_of_all_ : entries_[e.earlier].later) = e.later;
    (e.later == none ? last_of_all_ : entries_[e.later].earlier) = e.earlier;
    e.what = T{};
    e.next = unused_;
    unused_ = at;
    --size_;
  }

  /// Empties a slot. Later entries move up, so that no search ends too early.
  void empty_place(std::size_t hole) noexcept {
    --keys_;
    const std::size_t mask = places_.size() - 1;
    for (std::size_t place = (hole + 1) & mask; places_[place] != none;
         place = (place + 1) & mask) {
      const std::size_t home = home_of(entries_[places_[place]].hash);
      if (((place - home) & mask) < ((place - hole) & mask))
        continue;  // its home lies after the
                   // hole
      places_[hole] = places_[place];
      hole = place;
    }
    places_[hole] = none;
  }

  void grow() {
    const std::vector<std::uint32_t> before = std::exchange(places_, {});
    places_.assign(before.empty() ? least_places : before.size() * 2, none);
    for (const std::uint32_t head : before) {
      if (head != none) places_[place_of(entries_[head].key, entries_[head].hash)] = head;
    }
  }

  static constexpr std::size_t least_places = 16;  ///< a power of two, as every number of slots

  std::vector<entry> entries_;
  std::vector<std::uint32_t> places_;  ///< first entry of a key, by hash
  std::size_t keys_ = 0;
  std::size_t size_ = 0;
  std::uint32_t unused_ = none;
  std::uint32_t first_of_all_ = none;
  std::uint32_t last_of_all_ = none;
};

}  // namespace upwash
