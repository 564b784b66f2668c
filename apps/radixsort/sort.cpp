// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radixsort/sort.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "apps/common/program.hpp"
#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/barrier.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/reduce.hpp"

namespace radixsort {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Of consecutive blocks of these lengths.
std::vector<std::uint64_t> offsets_of(std::span<const std::uint64_t> lengths) {
  std::vector<std::uint64_t> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), std::uint64_t{0});
  return offsets;
}

/// One exchange of a pass: some of a rank's keys, and what comes of the other ranks'. In bytes, by
/// rank; all of it is the library's until `done`.
struct part {
  std::span<const key> keys;
  std::span<key> grouped;
  std::vector<std::uint64_t> per_rank;  ///< in keys
  std::vector<std::uint64_t> to_bytes;
  std::vector<std::uint64_t> to_offsets;
  std::vector<std::uint64_t> from_bytes;
  std::vector<std::uint64_t> from_offsets;
  upwash::request done;
};

class sorter {
 public:
  sorter(upwash::job& here, const sort_options& how)
      : here_(here), world_(here.world()), how_(how), ranks_(index(here.size())) {}

  void pass(int which, std::vector<key>& keys) {
    const auto rank_of = agree_on_buckets(which, keys);
    grouped_.resize(keys.size());
    auto parts = divide_keys(which, keys, rank_of);
    arrived_.resize(exchange_lengths(parts));
    for (auto& each : parts) {
      group(each.keys, which, rank_of, each.per_rank, each.grouped);
      compute(each.keys.size());
      start(each);
    }
    const auto began = here_.now();
    for (auto& each : parts) each.done.wait();
    exchanging_ += here_.now() - began;
    order(arrived_, which, keys);
    compute(keys.size());
  }

  [[nodiscard]] upwash::duration exchanging() const { return exchanging_; }

 private:
  /// A third of a pass over so many keys: counting, grouping or ordering them.
  void compute(std::size_t keys) {
    here_.compute(upwash::duration::from_ns(how_.key_ns / 3 * static_cast<double>(keys)));
  }

  /// The rank that gets each bucket, the same at all ranks.
  std::vector<int> agree_on_buckets(int which, std::span<const key> keys) {
    std::vector<std::uint32_t> counts(buckets);
    std::vector<std::uint32_t> all(here_.rank() == 0 ? buckets : 0);
    count(keys, which, counts);
    compute(keys.size());
    upwash::reduce<upwash::sum>(world_, upwash::blocking, 0, counts, std::span(all));
    std::vector<std::uint32_t> first(ranks_ + 1);
    if (here_.rank() == 0) divide(all, first);
    upwash::broadcast(world_, upwash::blocking, 0, std::span(first));
    return rank_of_bucket(first);
  }

  std::vector<part> divide_keys(int which, std::span<const key> keys,
                                std::span<const int> rank_of) {
    std::vector<part> parts(index(how_.parts));
    std::size_t first = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t end = keys.size() * (i + 1) / parts.size();
      part& each = parts[i];
      each.keys = keys.subspan(first, end - first);
      each.grouped = std::span(grouped_).subspan(first, end - first);
      each.per_rank = count_by_rank(each.keys, which, rank_of, here_.size());
      for (const auto length : each.per_rank) each.to_bytes.push_back(length * sizeof(key));
      each.to_offsets = offsets_of(each.to_bytes);
      first = end;
    }
    return parts;
  }

  /// Tells every rank how much it gets, and where in `arrived_` each part of each rank goes: by
  /// rank, then part, so that equal digits keep their order. Returns the keys that come.
  std::size_t exchange_lengths(std::vector<part>& parts) {
    std::vector<std::uint64_t> mine;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      for (const auto& each : parts) mine.push_back(each.to_bytes[rank]);
    }
    std::vector<std::uint64_t> theirs(mine.size());
    upwash::all_to_all<std::uint64_t>(world_, upwash::blocking, mine, std::span(theirs));
    const auto offsets = offsets_of(theirs);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      parts[i % parts.size()].from_bytes.push_back(theirs[i]);
      parts[i % parts.size()].from_offsets.push_back(offsets[i]);
    }
    return (offsets.back() + theirs.back()) / sizeof(key);
  }

  void start(part& each) {
    const auto began = here_.now();
    const auto from = std::as_bytes(each.grouped);
    const auto to = std::as_writable_bytes(std::span(arrived_));
    const upwash::member_blocks sends{each.to_bytes, each.to_offsets};
    const upwash::member_blocks receives{each.from_bytes, each.from_offsets};
    const upwash::collective_options how{.algorithm = how_.algorithm};
    if (how_.parts == 1) {
      upwash::all_to_all_v(world_, upwash::blocking, from, sends, to, receives, how);
    } else {
      each.done = upwash::all_to_all_v(world_, from, sends, to, receives, how);
    }
    exchanging_ += here_.now() - began;
  }

  upwash::job& here_;
  upwash::team world_;
  const sort_options& how_;
  std::size_t ranks_;
  std::vector<key> grouped_;
  std::vector<key> arrived_;
  upwash::duration exchanging_;
};

/// The ends of a rank's keys.
struct ends {
  std::uint64_t keys = 0;
  key first = 0;
  key last = 0;
};

}  // namespace

outcome sort(upwash::job& here, std::vector<key>& keys, const sort_options& how) {
  sorter on_this_rank(here, how);
  upwash::barrier(here.world(), upwash::blocking);
  const auto began = here.now();
  for (int which = 0; which < passes; ++which) on_this_rank.pass(which, keys);
  upwash::barrier(here.world(), upwash::blocking);
  return {here.now() - began, on_this_rank.exchanging()};
}

bool verified(upwash::job& here, const std::vector<key>& keys, const fingerprint& before) {
  std::uint64_t wrong = std::is_sorted(keys.begin(), keys.end()) ? 0 : 1;
  const ends mine = keys.empty() ? ends{} : ends{keys.size(), keys.front(), keys.back()};
  std::vector<ends> all(index(here.size()));
  upwash::all_gather<ends>(here.world(), upwash::blocking, std::span(&mine, 1), std::span(all));
  key last = 0;
  for (const ends& each : all) {
    if (each.keys == 0) continue;
    if (each.first < last) ++wrong;
    last = each.last;
  }
  const auto after = fingerprint_of(keys);
  const fingerprint whole_before{apps::total(here, before.keys), apps::total(here, before.sum),
                                 apps::total(here, before.mixed)};
  const fingerprint whole_after{apps::total(here, after.keys), apps::total(here, after.sum),
                                apps::total(here, after.mixed)};
  return apps::total(here, wrong) == 0 && whole_before == whole_after;
}

}  // namespace radixsort
