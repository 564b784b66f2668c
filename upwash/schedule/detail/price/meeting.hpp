// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where messages and those who wait for them meet: whoever comes first is kept, first in first out.
// A table without allocations of its own for each: millions meet.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace upwash::schedule::detail {

struct meeting_key {
  int at = 0;
  int from = 0;
  std::uint32_t edge = 0;
  bool invitation = false;
  friend bool operator==(const meeting_key&, const meeting_key&) = default;
};

class meetings {
 public:
  enum class side : std::uint8_t { nobody, message, waiting };

  meetings() : places_(16) {}

  /// Whom `who` meets; nobody: `who` is kept.
  std::optional<std::uint64_t> meet(const meeting_key& key, side from, std::uint64_t who) {
    std::size_t i = find(key);
    place& here = places_[i];
    if (here.of == side::nobody) {
      here = {key, from, false, who};
      if (++used_ * 2 > places_.size()) grow();
      return std::nullopt;
    }
    if (here.of == from) {
      here.more = true;
      more_[i].push_back(who);
      return std::nullopt;
    }
    return take_first(i);
  }

  /// Takes all messages kept at `at` of this edge, of any source. O(all that is kept).
  [[nodiscard]] std::vector<std::uint64_t> take_messages(int at, std::uint32_t edge) {
    std::vector<meeting_key> keys;
    for (const place& each : places_) {
      if (each.of == side::message && each.key.at == at && each.key.edge == edge &&
          !each.key.invitation) {
        keys.push_back(each.key);
      }
    }
    std::vector<std::uint64_t> taken;
    for (const meeting_key& key : keys) {
      for (bool more = true; more;) {
        const std::size_t i = find(key);
        more = places_[i].more;
        taken.push_back(take_first(i));
      }
    }
    return taken;
  }

  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }

 private:
  struct place {
    meeting_key key;
    side of = side::nobody;
    bool more = false;
    std::uint64_t first = 0;
  };

  [[nodiscard]] std::size_t home(const meeting_key& key) const noexcept {
    std::uint64_t x = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.at)) << 32U |
                      static_cast<std::uint32_t>(key.from);
    x = x * 0x9e3779b97f4a7c15U ^ (key.edge + (key.invitation ? 0x85ebca6bU : 0U));
    x *= 0xff51afd7ed558ccdU;
    return static_cast<std::size_t>(x ^ x >> 32U) & (places_.size() - 1);
  }

  /// Where the key is, or would be.
  [[nodiscard]] std::size_t find(const meeting_key& key) const noexcept {
    std::size_t i = home(key);
    while (places_[i].of != side::nobody && !(places_[i].key == key)) i = next(i);
    return i;
  }
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept {
    return (i + 1) & (places_.size() - 1);
  }

  std::uint64_t take_first(std::size_t i) {
    const std::uint64_t met = places_[i].first;
    if (!places_[i].more) {
      remove(i);
      return met;
    }
    const auto found = more_.find(i);
    places_[i].first = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) {
      places_[i].more = false;
      more_.erase(found);
    }
    return met;
  }

  /// Those behind move up, so that nobody is past a gap.
  void remove(std::size_t gap) {
    --used_;
    for (std::size_t i = next(gap); places_[i].of != side::nobody; i = next(i)) {
      const std::size_t wants = home(places_[i].key);
      const bool may_move =
          ((i - wants) & (places_.size() - 1)) >= ((i - gap) & (places_.size() - 1));
      if (!may_move) continue;
      move(i, gap);
      gap = i;
    }
    places_[gap] = {};
  }

  void move(std::size_t from, std::size_t to) {
    places_[to] = places_[from];
    if (!places_[to].more) return;
    auto others = more_.extract(from);
    others.key() = to;
    more_.insert(std::move(others));
  }

  void grow() {
    std::vector<place> old(places_.size() * 2);
    old.swap(places_);
    std::unordered_map<std::size_t, std::deque<std::uint64_t>> more;
    more.swap(more_);
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].of == side::nobody) continue;
      const std::size_t to = find(old[i].key);
      places_[to] = old[i];
      if (old[i].more) more_[to] = std::move(more[i]);
    }
  }

  std::vector<place> places_;  ///< a power of two, at most half of them used
  std::size_t used_ = 0;
  std::unordered_map<std::size_t, std::deque<std::uint64_t>> more_;  ///< behind the first, by place
};

}  // namespace upwash::schedule::detail
