// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Entries by key, the entries of one key in the order of arrival: open addressing, one slot a key,
// linear probing, no tombstones. All operations are O(1) expected, for any number of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/matching/engines/engine.hpp"

namespace upwash::matching::detail {

/// The table. The entries of one key form a ring through the links that `Links` finds in an entry:
/// the head is the earliest, its predecessor the latest. The key is the envelope projected to
/// `Wild`. `Wild` is a constant because compilers spilled dependent values, and loads of just
/// spilled values stall.
template <class Links, unsigned Wild>
class key_table {
 public:
  [[nodiscard]] bool empty() const noexcept { return keys_ == 0; }
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.capacity() * sizeof(slot); }

  void insert(entry& e) {
    if ((keys_ + 1) * 2 > slots_.size()) grow();
    const envelope key = project(e.what, Wild);
    const std::uint64_t h = mixed(key);
    const std::size_t at = place_of(key, h);
    slot& s = slots_[at];
    if (s.head == nullptr) {
      s = {h, &e};
      ++keys_;
      Links::of(e, Wild) = {&e, &e, static_cast<std::uint32_t>(at)};
      return;
    }
    entry_links& head = Links::of(*s.head, Wild);
    Links::of(e, Wild) = {s.head, head.previous, 0};
    Links::of(*head.previous, Wild).next = &e;
    head.previous = &e;
  }

  /// Returns the earliest entry of the key that `wanted` has in this table.
  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) const noexcept {
    if (keys_ == 0) return nullptr;
    ++spent.traversals;
    const envelope key = project(wanted, Wild);
    return slots_[place_of(key, mixed(key))].head;
  }

  /// Returns the earliest entry as `find` does, and erases it.
  entry* take(const envelope& wanted, costs& spent) noexcept {
    if (keys_ == 0) return nullptr;
    ++spent.traversals;
    const envelope key = project(wanted, Wild);
    const std::size_t at = place_of(key, mixed(key));
    entry* const e = slots_[at].head;
    if (e == nullptr) return nullptr;
    const entry_links around = Links::of(*e, Wild);
    if (around.next == e) {
      close(at);
      return e;
    }
    Links::of(*around.previous, Wild).next = around.next;
    entry_links& after = Links::of(*around.next, Wild);
    after.previous = around.previous;
    after.place = static_cast<std::uint32_t>(at);
    slots_[at].head = around.next;
    return e;
  }

  void erase(entry& e) noexcept {
    const entry_links around = Links::of(e, Wild);
    if (around.next == &e) return close(place_of_head(e, around.place));
    Links::of(*around.previous, Wild).next = around.next;
    entry_links& after = Links::of(*around.next, Wild);
    after.previous = around.previous;
    if (around.previous->sequence < e.sequence) return;  // not the head
    const std::size_t at = place_of_head(e, around.place);
    slots_[at].head = around.next;
    after.place = static_cast<std::uint32_t>(at);
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (const slot& s : slots_) {
      if (s.head == nullptr) continue;
      entry* e = s.head;
      do {
        entry* next = Links::of(*e, Wild).next;
        visit(*e);
        e = next;
      } while (e != s.head);
    }
  }

 private:
  struct slot {
    std::uint64_t hash = 0;
    entry* head = nullptr;
  };

  /// Returns the slot of the key, or the free slot for it. There is always an empty slot.
  [[nodiscard]] std::size_t place_of(const envelope& key, std::uint64_t h) const noexcept {
    for (std::size_t at = h & mask_;; at = (at + 1) & mask_) {
      const slot& s = slots_[at];
      if (s.head == nullptr) return at;
      if (s.hash != h) continue;
      const envelope held = project(s.head->what, Wild);
      if (held.context == key.context && held.source == key.source && held.tag == key.tag) {
        return at;
      }
    }
  }

  /// Returns the slot of a head. The slot was noted when the entry became the head; a slot that
  /// moved since is searched.
  [[nodiscard]] std::size_t place_of_head(const entry& e, std::size_t noted) const noexcept {
    if (slots_[noted & mask_].head == &e) return noted & mask_;
    const envelope key = project(e.what, Wild);
    return place_of(key, mixed(key));
  }

  /// Empties a slot and moves later entries of its run back, so that no search stops too early.
  void close(std::size_t at) noexcept {
    --keys_;
    for (std::size_t next = (at + 1) & mask_; slots_[next].head != nullptr;
         next = (next + 1) & mask_) {
      const std::size_t from_home = (next - slots_[next].hash) & mask_;
      if (from_home < ((next - at) & mask_)) continue;  // must not move before its home slot
      slots_[at] = slots_[next];
      at = next;
    }
    slots_[at].head = nullptr;
  }

  [[gnu::noinline]] void grow() {
    std::vector<slot> old(slots_.empty() ? 32 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const slot& s : old) {
      if (s.head == nullptr) continue;
      std::size_t at = s.hash & mask_;
      while (slots_[at].head != nullptr) at = (at + 1) & mask_;
      slots_[at] = s;
    }
  }

  std::size_t keys_ = 0;
  std::size_t mask_ = 0;  ///< slots - 1; the number of slots is a power of two
  std::vector<slot> slots_;
};

}  // namespace upwash::matching::detail
