// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's messages and the steps that wait for them, found in O(1) by (source, edge, whether it is
// an invitation), first in first out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "upwash/base/prefetch.hpp"

namespace upwash::simulator::detail {

class early_and_waiting {
 public:
  enum class side : std::uint32_t { nobody, message, step };

  struct key {
    int from = 0;
    std::uint32_t edge = 0;
    bool invitation = false;
    friend bool operator==(const key&, const key&) = default;
  };

  [[nodiscard]] bool has(side of) const noexcept { return count(of) != 0; }

  void keep(const key& where, side of, std::uint32_t who) {
    if (4 * (counts_[0] + counts_[1] + 1) > 3 * places_.size()) grow();
    put({word_of(where), who, of});
    ++count(of);
  }

  /// The first that was kept there by this side. The two sides are never kept in one place: whoever
  /// comes takes first.
  std::optional<std::uint32_t> take(const key& where, side of) {
    if (!has(of)) return std::nullopt;
    const std::uint64_t word = word_of(where);
    std::size_t i = home(word);
    while (places_[i].of != side::nobody && places_[i].word != word) i = next(i);
    if (places_[i].of != of) return std::nullopt;
    const std::uint32_t who = places_[i].who;
    remove(i);
    --count(of);
    return who;
  }

  /// Takes all messages of this edge that no step waits for, by their sources upwards.
  /// O(all that is kept).
  [[nodiscard]] std::vector<std::uint32_t> take_messages(std::uint32_t edge) {
    std::vector<std::pair<int, std::uint32_t>> found;
    std::vector<place> others;
    const std::size_t start = first_empty();
    for (std::size_t n = 0; n < places_.size(); ++n) {
      const place& each = places_[(start + n) % places_.size()];
      if (each.of == side::nobody) continue;
      const bool taken = each.of == side::message && (each.word & 0x1ffffffffU) == edge;
      if (taken) {
        found.emplace_back(static_cast<int>(each.word >> 33U), each.who);
      } else {
        others.push_back(each);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::fill(places_.begin(), places_.end(), place{});
    for (const place& each : others) put(each);
    count(side::message) -= found.size();
    std::vector<std::uint32_t> messages;
    for (const auto& each : found) messages.push_back(each.second);
    return messages;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return places_.capacity() * sizeof(place);
  }
  void prefetch(const key& where) const noexcept {
    if (!places_.empty()) upwash::prefetch(&places_[home(word_of(where))]);
  }

 private:
  struct place {
    std::uint64_t word = 0;
    std::uint32_t who = 0;
    side of = side::nobody;
  };

  [[nodiscard]] std::size_t& count(side of) noexcept { return counts_[of == side::step ? 1 : 0]; }
  [[nodiscard]] const std::size_t& count(side of) const noexcept {
    return counts_[of == side::step ? 1 : 0];
  }
  static std::uint64_t word_of(const key& of) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(of.from)) << 33U |
           static_cast<std::uint64_t>(of.invitation) << 32U | of.edge;
  }
  [[nodiscard]] std::size_t home(std::uint64_t word) const noexcept {
    const std::uint64_t mixed = (word ^ word >> 29U) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(mixed >> 40U) & (places_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept {
    return (i + 1) & (places_.size() - 1);
  }
  [[nodiscard]] std::size_t first_empty() const noexcept {
    std::size_t i = 0;
    while (i < places_.size() && places_[i].of != side::nobody) ++i;
    return i;
  }

  void put(const place& what) {
    std::size_t i = home(what.word);
    while (places_[i].of != side::nobody) i = next(i);
    places_[i] = what;
  }

  /// Closes the gap; those of one key stay in their order.
  void remove(std::size_t gap) {
    for (std::size_t i = next(gap); places_[i].of != side::nobody; i = next(i)) {
      const std::size_t from_home = (i - home(places_[i].word)) & (places_.size() - 1);
      if (from_home >= ((i - gap) & (places_.size() - 1))) {
        places_[gap] = places_[i];
        gap = i;
      }
    }
    places_[gap] = {};
  }

  void grow() {
    const std::size_t start = first_empty();
    std::vector<place> old(std::max<std::size_t>(8, 2 * places_.size()));
    old.swap(places_);
    for (std::size_t n = 0; n < old.size(); ++n) {
      const place& each = old[(start + n) % old.size()];
      if (each.of != side::nobody) put(each);
    }
  }

  std::vector<place> places_;
  std::array<std::size_t, 2> counts_{};
};

}  // namespace upwash::simulator::detail
