// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The results of measurements: the algorithms tried in a situation, and their times. Plain values;
// tuning_file.hpp stores them.
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

/// The facts on which a result depends; the key of a finding.
struct situation {
  collective::kind what = collective::kind::barrier;
  int ranks = 1;
  int ranks_per_node = 1;
  int processes = 0;  ///< that ranks share in turns; 0: each rank has its own
  address_mode addresses = address_mode::local;
  sync_mode entry = sync_mode::mine;
  sync_mode exit = sync_mode::mine;
  bool commutative = true;
  bool overlapped = false;
  placement where = placement::near;
  std::uint64_t bytes = 0;
  friend auto operator<=>(const situation&, const situation&) = default;
};

/// Returns the situation of a call, as its team sees it.
[[nodiscard]] situation situation_of(const collective::problem& call, placement where) noexcept;
/// Returns `call` with the ranks, layout and bytes of the situation.
[[nodiscard]] collective::problem moved_to(const situation& there, collective::problem call);

/// Returns the distance of two situations in doublings of bytes; doublings of ranks count twice.
/// Infinite if they differ in anything else except placement.
[[nodiscard]] double distance(const situation& a, const situation& b) noexcept;

/// The time of one algorithm.
struct result {
  std::string algorithm;      ///< NAME[:key=value,...]
  std::uint32_t samples = 0;  ///< the effort: more samples replace fewer
  std::int64_t when = 0;      ///< Unix time in seconds; of equal effort the later result counts
  double ns = 0;  ///< of a call: the least of the samples, because disturbances only add time
  friend bool operator==(const result&, const result&) = default;
};

/// All results of a situation.
struct finding {
  situation at;
  double seconds = 0;                        ///< duration of the longest search
  std::uint32_t candidates = 0;              ///< candidates of the largest search
  std::vector<result> results;               ///< by algorithm
  [[nodiscard]] const result& best() const;  ///< there is at least one result
  friend bool operator==(const finding&, const finding&) = default;
};

/// The finding of streams of one kind. `when`: Unix time in seconds; the later one counts.
struct stream_note {
  streaming::stream_kind kind;
  streaming::stream_finding found;
  std::int64_t when = 0;
  friend bool operator==(const stream_note&, const stream_note&) = default;
};

/// The predicted times of the candidates of a class of calls, as a build of a program priced them.
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

/// Findings of one machine and conduit. Merging is commutative, associative and idempotent, so the
/// result does not depend on the order of merges. For each algorithm the result with the most
/// effort is kept. Memory: about 100 bytes a result.
class knowledge {
 public:
  void add(const finding& one);
  void add(const stream_note& one);
  void merge(const knowledge& other);

  /// Returns the findings, sorted by situation.
  [[nodiscard]] std::span<const finding> findings() const noexcept { return findings_; }
  [[nodiscard]] const finding* find(const situation& at) const noexcept;
  /// Returns the nearest finding within `reach` (see distance), with any placement; among equals
  /// that with the first placement of the enumeration. Null if there is none. O(findings).
  [[nodiscard]] const finding* nearest(const situation& to, double reach) const noexcept;

  /// Returns the stream notes, sorted by kind.
  [[nodiscard]] std::span<const stream_note> streams() const noexcept { return streams_; }
  /// Returns the note with the same label and item size and the nearest number of ranks within a
  /// factor of two. Null if there is none. O(streams).
  [[nodiscard]] const stream_note* nearest(const streaming::stream_kind& to) const noexcept;

  /// Adds prices. If the build and class exist, the greater candidates are kept; they are equal
  /// unless written by hand.
  void add(const price_note& one);
  /// Returns the prices, sorted by build and class.
  [[nodiscard]] std::span<const price_note> prices() const noexcept { return prices_; }
  /// Drops the prices of other builds. No value: drops all.
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
