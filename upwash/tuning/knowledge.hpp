// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What measurements have taught: which algorithms were tried in a situation, and what they took.
// Plain values; tuning_file.hpp keeps them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/collective/problem.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/tuning/placement.hpp"

namespace upwash::tuning {

/// What a result depends on: the key of what is remembered.
struct situation {
  collective::kind what = collective::kind::barrier;
  int ranks = 1;
  int ranks_per_node = 1;
  int processes = 0;  ///< in which ranks take turns; 0: each has its own
  address_mode addresses = address_mode::local;
  sync_mode entry = sync_mode::mine;
  sync_mode exit = sync_mode::mine;
  bool commutative = true;
  bool overlapped = false;
  placement where = placement::near;
  std::uint64_t bytes = 0;
  friend auto operator<=>(const situation&, const situation&) = default;
};

/// The situation of a call, as its team sees it.
[[nodiscard]] situation situation_of(const collective::problem& call, placement where) noexcept;
/// The same call, elsewhere: `call` with the ranks, layout and bytes of the situation.
[[nodiscard]] collective::problem moved_to(const situation& there, collective::problem call);

/// How far apart two situations are, in doublings of bytes (ranks count double); infinite where
/// they differ in anything else but placement.
[[nodiscard]] double distance(const situation& a, const situation& b) noexcept;

/// What one algorithm took.
struct result {
  std::string algorithm;      ///< NAME[:key=value,...]
  std::uint32_t samples = 0;  ///< the effort: more replaces less
  std::int64_t when = 0;      ///< seconds of the Unix clock; of equal effort the later counts
  double ns = 0;              ///< of a call: the least of the samples, what disturbs only adds
  friend bool operator==(const result&, const result&) = default;
};

/// All that is known of a situation.
struct finding {
  situation at;
  double seconds = 0;                        ///< that the longest search of it took
  std::uint32_t candidates = 0;              ///< that the largest search could have measured
  std::vector<result> results;               ///< by algorithm
  [[nodiscard]] const result& best() const;  ///< there is at least one result
  friend bool operator==(const finding&, const finding&) = default;
};

/// What streams of one kind found out; `when`, in seconds of the Unix clock, the later counts.
struct stream_note {
  streaming::stream_kind kind;
  streaming::stream_finding found;
  std::int64_t when = 0;
  friend bool operator==(const stream_note&, const stream_note&) = default;
};

/// What the candidates of a class of calls should take, as a build of a program has priced them.
struct price_note {
  struct candidate {
    std::string algorithm;           ///< NAME[:key=value,...]
    std::optional<std::int64_t> ps;  ///< none: not priced
    friend auto operator<=>(const candidate&, const candidate&) = default;
  };
  std::uint64_t build = 0;  ///< build_fingerprint
  std::string collective;
  std::vector<std::uint64_t> key;  ///< of the class: collective/price_words.hpp
  std::vector<candidate> candidates;
  friend bool operator==(const price_note&, const price_note&) = default;
};

/// Findings of one machine and conduit. Merging is commutative, associative and idempotent:
/// whoever merges what in which order, the same is known, and of each algorithm the result with
/// most effort. Memory: some 100 bytes a result.
class knowledge {
 public:
  void add(const finding& one);
  void add(const stream_note& one);
  void merge(const knowledge& other);

  /// By situation, sorted.
  [[nodiscard]] std::span<const finding> findings() const noexcept { return findings_; }
  [[nodiscard]] const finding* find(const situation& at) const noexcept;
  /// The nearest finding within `reach` (see distance), whatever its placement: of equals the
  /// first placement of the enumeration. Null: none. O(findings).
  [[nodiscard]] const finding* nearest(const situation& to, double reach) const noexcept;

  /// By kind, sorted.
  [[nodiscard]] std::span<const stream_note> streams() const noexcept { return streams_; }
  /// Of the same label and item size, with the nearest number of ranks within a factor of two.
  /// Null: none. O(streams).
  [[nodiscard]] const stream_note* nearest(const streaming::stream_kind& to) const noexcept;

  /// Of a build and a class the greater candidates: they are the same, unless somebody wrote them
  /// by hand.
  void add(const price_note& one);
  /// By build and class, sorted.
  [[nodiscard]] std::span<const price_note> prices() const noexcept { return prices_; }
  /// Drops those of other builds; nothing: all.
  void keep_prices_of(std::optional<std::uint64_t> build);

  [[nodiscard]] bool empty() const noexcept {
    return findings_.empty() && streams_.empty() && prices_.empty();
  }
  friend bool operator==(const knowledge&, const knowledge&) = default;

 private:
  std::vector<finding> findings_;
  std::vector<stream_note> streams_;
  std::vector<price_note> prices_;
};

}  // namespace upwash::tuning
