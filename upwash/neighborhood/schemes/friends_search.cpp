// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups with the most in common. All groups of k of F ranks are too many to look at where k and F
// are large: groups are grown from the best pairs by whoever fits best; then others are tried, as
// long as they may still be as good, for a bounded number of steps. Where that bound is not reached
// the result is exact.
#include <algorithm>
#include <array>

#include "upwash/neighborhood/schemes/friends_bits.hpp"
#include "upwash/neighborhood/schemes/friends_table.hpp"

namespace upwash::neighborhoods {
namespace {

constexpr int most_starts = 4;
constexpr std::uint64_t most_tries = 512;

}  // namespace

/// Groups being put together: after each rank, what they have in common.
class friend_table::search {
 public:
  explicit search(const friend_table& in)
      : in_(in), base_(friend_group::base_for(in.size_)), in_common_(in.size_ * in.words_) {
    std::ranges::copy(in.active_, at_level(0).begin());
    ranks_[0] = in.rank_;
  }

  [[nodiscard]] friend_group run() {
    int starts = 0;
    for (const candidate& each : in_.candidates_) {
      if (!in_.rows_[each.row].here) continue;
      // Pairs are sorted by weight, and a group weighs no more than any pair in it.
      if (each.weight < best_.weight() || ++starts > most_starts) break;
      grow_from(each);
    }
    if (in_.size_ > 2) try_all(1, 0);
    return best_;
  }

 private:
  [[nodiscard]] std::span<word> at_level(std::size_t members) {
    return std::span(in_common_).subspan(members * in_.words_, in_.words_);
  }
  [[nodiscard]] int floor() const { return std::max(in_.threshold_ + 1, best_.weight()); }

  /// With so many members the group is whole.
  void offer(int weight) {
    std::array<int, most_friends> sorted = ranks_;
    const std::span<int> members = std::span(sorted).first(std::min(in_.size_, most_friends));
    std::ranges::sort(members);
    const friend_group made(members, weight);
    if (made.before(best_)) best_ = made;
  }

  void grow_from(const candidate& start) {
    ranks_[1] = in_.rows_[start.row].rank;
    int weight = meet(at_level(1), at_level(0), in_.bits(start.row));
    for (std::size_t members = 2; members < in_.size_; ++members) {
      const candidate* const next = best_addition(members);
      if (next == nullptr) return;
      ranks_[members] = in_.rows_[next->row].rank;
      weight = meet(at_level(members), at_level(members - 1), in_.bits(next->row));
    }
    offer(weight);
  }

  [[nodiscard]] const candidate* best_addition(std::size_t members) {
    const std::span<const int> so_far(ranks_.data(), members + 1);
    const candidate* found = nullptr;
    int most = floor();
    std::uint64_t least_spread = ~std::uint64_t{0};
    for (const candidate& each : in_.candidates_) {
      if (each.weight < most) break;
      const int rank = in_.rows_[each.row].rank;
      if (!in_.rows_[each.row].here || std::ranges::count(so_far.first(members), rank) > 0)
        continue;
      const int weight = ones_in_both(at_level(members - 1), in_.bits(each.row));
      if (weight < most) continue;
      ranks_[members] = rank;
      const std::uint64_t spread = friend_group::spread_of(so_far, base_);
      if (weight > most || spread < least_spread) {
        most = weight;
        least_spread = spread;
        found = &each;
      }
    }
    return found;
  }

  /// All groups that begin with the members so far and go on with candidates from `first`.
  void try_all(std::size_t members, std::size_t first) {
    for (std::size_t i = first; i < in_.candidates_.size() && tries_ < most_tries; ++i) {
      const candidate& each = in_.candidates_[i];
      if (each.weight < floor()) return;
      if (!in_.rows_[each.row].here) continue;
      ++tries_;
      const int weight = meet(at_level(members), at_level(members - 1), in_.bits(each.row));
      if (weight < floor()) continue;
      ranks_[members] = in_.rows_[each.row].rank;
      if (members + 1 == in_.size_) {
        offer(weight);
      } else {
        try_all(members + 1, i + 1);
      }
    }
  }

  const friend_table& in_;
  int base_;
  set in_common_;
  std::array<int, most_friends> ranks_{};
  friend_group best_;
  std::uint64_t tries_ = 0;
};

friend_group friend_table::best() {
  if (size_ > 2) return search(*this).run();
  for (const candidate& each : candidates_) {
    const int other = rows_[each.row].rank;
    if (!rows_[each.row].here) continue;
    const int pair[] = {std::min(rank_, other), std::max(rank_, other)};
    return friend_group(pair, each.weight);
  }
  return {};
}

class friend_table::counter {
 public:
  counter(const friend_table& in, std::uint64_t most_steps)
      : in_(in), steps_(most_steps), in_common_(in.size_ * in.words_) {
    std::ranges::copy(in.active_, in_common_.begin());
  }

  [[nodiscard]] std::uint64_t groups(std::size_t members, std::size_t first) {
    std::uint64_t found = 0;
    const auto so_far = std::span(in_common_).subspan((members - 1) * in_.words_, in_.words_);
    const auto next = std::span(in_common_).subspan(members * in_.words_, in_.words_);
    for (std::size_t i = first; i < in_.candidates_.size() && steps_ > 0; ++i, --steps_) {
      if (meet(next, so_far, in_.bits(in_.candidates_[i].row)) <= in_.threshold_) continue;
      found += members + 1 == in_.size_ ? 1 : groups(members + 1, i + 1);
      if (steps_ == 0) break;
    }
    return found;
  }

 private:
  const friend_table& in_;
  std::uint64_t steps_;
  set in_common_;
};

std::uint64_t friend_table::count_groups(std::uint64_t most_steps) const {
  if (size_ == 2) return candidates_.size();
  return counter(*this, most_steps).groups(1, 0);
}

}  // namespace upwash::neighborhoods
