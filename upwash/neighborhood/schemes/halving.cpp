// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {
namespace {

/// Parts first .. end - 1: ranks, or nodes.
struct parts {
  int first;
  int end;
  [[nodiscard]] int size() const noexcept { return end - first; }
  [[nodiscard]] int middle() const noexcept { return first + (size() + 1) / 2; }
  [[nodiscard]] bool in_upper(int part) const noexcept { return part >= middle(); }
  [[nodiscard]] parts half(bool upper) const noexcept {
    return upper ? parts{middle(), end} : parts{first, middle()};
  }
  /// Whom a part exchanges with: the same place in the other half; where that has one part less,
  /// its last.
  [[nodiscard]] int partner(int part) const noexcept {
    if (in_upper(part)) return part - middle() + first;
    return std::min(part - first + middle(), end - 1);
  }
};

class halving_of {
 public:
  halving_of(router& at, bool down_to_ranks) : at_(at), by_ranks_(down_to_ranks) {}

  [[nodiscard]] int part_of(int rank) const { return by_ranks_ ? rank : at_.nodes().node_of(rank); }
  [[nodiscard]] parts all() const { return {0, by_ranks_ ? at_.ranks() : at_.nodes().nodes()}; }
  /// The rank of a part that this one sends to.
  [[nodiscard]] int rank_in(int part) const {
    if (by_ranks_) return part;
    const auto ranks = at_.nodes().ranks_of(part);
    return ranks[static_cast<std::size_t>(at_.nodes().place_of(at_.rank())) % ranks.size()];
  }
  /// What is for the other half goes there; the rest stays.
  void exchange(const parts& now) const {
    const int mine = part_of(at_.rank());
    const bool upper = now.in_upper(mine);
    const int partner = rank_in(now.partner(mine));
    const parcel_list held = at_.take();
    std::vector<int> far;
    std::vector<int> near;
    for (std::size_t i = 0; i < held.size(); ++i) {
      far.clear();
      near.clear();
      for (const int to : held[i].destinations) {
        (now.in_upper(part_of(to)) != upper ? far : near).push_back(to);
      }
      at_.keep(held[i], near);
      at_.pass(held[i], far, partner);
    }
  }

 private:
  router& at_;
  bool by_ranks_;
};

}  // namespace

routing halving(router& at, const model::values& with) {
  const halving_of it(at, with[0] == 1);
  // A part may be alone a round before others are.
  parts now = it.all();
  for (int most = now.size(); most > 1; most = (most + 1) / 2) {
    if (now.size() > 1) it.exchange(now);
    co_await at.next_round();
    if (now.size() > 1) now = now.half(now.in_upper(it.part_of(at.rank())));
  }
  const parcel_list left = at.take();
  for (std::size_t i = 0; i < left.size(); ++i) {
    const parcel one = left[i];
    for (const int& to : one.destinations) at.pass(one, std::span(&to, 1), to);
  }
  co_await at.next_round();
}

}  // namespace upwash::neighborhoods
