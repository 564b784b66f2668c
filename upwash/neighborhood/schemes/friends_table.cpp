// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/friends_table.hpp"

#include <algorithm>
#include <bit>

#include "upwash/neighborhood/schemes/friends_bits.hpp"

namespace upwash::neighborhoods {

friend_table::friend_table(int rank, std::span<const int> destinations, std::size_t size,
                           int threshold)
    : rank_(rank),
      destinations_(destinations),
      size_(size),
      threshold_(threshold),
      words_((destinations.size() + 63) / 64),
      active_(words_) {
  for (std::size_t i = 0; i < destinations.size(); ++i) active_[i / 64] |= word{1} << (i % 64);
}

std::size_t friend_table::row_of(int rank) const {
  if (index_.empty()) return nobody;
  std::size_t at = static_cast<std::size_t>(rank) % index_.size();
  for (; index_[at] != 0; at = (at + 1) % index_.size()) {
    if (rows_[index_[at] - 1].rank == rank) return index_[at] - 1;
  }
  return nobody;
}

std::size_t friend_table::row_for(int rank) {
  if (const std::size_t found = row_of(rank); found != nobody) return found;
  rows_.push_back({rank});
  bits_.resize(rows_.size() * words_);
  const std::size_t first = index_.size() < 2 * rows_.size() ? 0 : rows_.size() - 1;
  if (first == 0) index_.assign(std::bit_ceil(std::max<std::size_t>(16, 4 * rows_.size())), 0);
  for (std::size_t i = first; i < rows_.size(); ++i) {
    std::size_t at = static_cast<std::size_t>(rows_[i].rank) % index_.size();
    while (index_[at] != 0) at = (at + 1) % index_.size();
    index_[at] = static_cast<std::uint32_t>(i) + 1;
  }
  return rows_.size() - 1;
}

void friend_table::learn(std::size_t place, std::span<const int> sources) {
  for (const int each : sources) {
    if (each != rank_) bits(row_for(each))[place / 64] |= word{1} << (place % 64);
  }
}

std::size_t friend_table::begin_stage() {
  const int base = friend_group::base_for(size_);
  candidates_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].here = true;
    const int weight = ones_in_both(bits(i), active_);
    if (weight <= threshold_) continue;
    const int pair[] = {rank_, rows_[i].rank};
    candidates_.push_back({i, weight, friend_group::spread_of(pair, base)});
  }
  std::ranges::sort(candidates_, [&](const candidate& a, const candidate& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    if (a.spread != b.spread) return a.spread < b.spread;
    return rows_[a.row].rank < rows_[b.row].rank;
  });
  return candidates_.size();
}

void friend_table::gone(int rank) {
  if (const std::size_t found = row_of(rank); found != nobody) rows_[found].here = false;
}

friend_group friend_table::known(std::span<const int> ranks) {
  if (ranks.size() != size_ || !std::ranges::is_sorted(ranks)) return {};
  set in_common = active_;
  bool here = false;
  for (const int each : ranks) {
    if (each == rank_) {
      here = true;
      continue;
    }
    const std::size_t found = row_of(each);
    if (found == nobody || !rows_[found].here) return {};
    keep_both(in_common, bits(found));
  }
  const int weight = ones_in_both(in_common, in_common);
  return here && weight > threshold_ ? friend_group(ranks, weight) : friend_group{};
}

friend_table::set friend_table::common(const friend_group& group) const {
  set in_common = active_;
  for (const int each : group.ranks()) {
    if (each != rank_) keep_both(in_common, bits(row_of(each)));
  }
  return in_common;
}

void friend_table::add_shared(std::vector<int>& to, int rank, const set& destinations) const {
  const auto theirs = bits(row_of(rank));
  for (std::size_t i = 0; i < words_; ++i) add_ranks(to, i, theirs[i] & destinations[i]);
}

void friend_table::include(set& in, int destination) const {
  const auto found = std::ranges::lower_bound(destinations_, destination);
  if (found == destinations_.end() || *found != destination) return;
  const auto place = static_cast<std::size_t>(found - destinations_.begin());
  in[place / 64] |= active_[place / 64] & (word{1} << (place % 64));
}

std::vector<int> friend_table::ranks_in(const set& some) const {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < words_; ++i) add_ranks(ranks, i, some[i]);
  return ranks;
}

void friend_table::add_ranks(std::vector<int>& to, std::size_t at, word some) const {
  for (; some != 0; some &= some - 1) {
    to.push_back(destinations_[at * 64 + static_cast<std::size_t>(std::countr_zero(some))]);
  }
}

void friend_table::give_up(const set& destinations) {
  for (std::size_t i = 0; i < words_; ++i) active_[i] &= ~destinations[i];
}

void friend_table::forget(int rank) {
  if (const std::size_t found = row_of(rank); found != nobody) std::ranges::fill(bits(found), 0);
}

void friend_table::given_up(int rank, std::span<const int> sorted) {
  const std::size_t found = row_of(rank);
  if (found == nobody || sorted.empty()) return;
  const auto row_bits = bits(found);
  auto at = destinations_.begin();
  for (const int each : sorted) {
    at = std::lower_bound(at, destinations_.end(), each);
    if (at == destinations_.end()) return;
    if (*at != each) continue;
    const auto place = static_cast<std::size_t>(at - destinations_.begin());
    row_bits[place / 64] &= ~(word{1} << (place % 64));
  }
}

}  // namespace upwash::neighborhoods
