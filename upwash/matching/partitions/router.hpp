// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A partition decides in which of several queues an entry lives; each queue is an engine. This is
// its deciding half, the router; `partitioned` puts it together with an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "upwash/matching/engines/engine.hpp"

namespace upwash::matching {

/// The edge point above which a source is a partner (Ghazimirsaeed 2019, 4.2.1).
enum class edge_metric : std::uint8_t { average, median, upper_fence };

/// Entries of one source in one context that lay in a queue.
struct queued_of {
  std::uint32_t context = 0;
  std::int32_t source = 0;
  std::uint64_t entries = 0;
  bool operator==(const queued_of&) const = default;
};

/// What partitions may need to know. Each reads what it needs.
struct shape {
  int ranks = 1;                         ///< sources are 0 .. ranks-1
  std::vector<std::uint64_t> profile{};  ///< entries queued by source, of an earlier run
  /// The same by source and context, in the order in which contexts appeared; empty: all are of
  /// context 0.
  std::vector<queued_of> by_context{};
  std::uint32_t threshold = 100;  ///< t: length at which a queue is divided
  edge_metric metric = edge_metric::average;
  double alpha = 1;             ///< of the upper fence, Q3 + alpha (Q3 - Q1)
  std::uint32_t partners = 1;   ///< c: at most c sqrt(ranks) partners
  std::uint32_t queues = 16;    ///< k: at most k sqrt(ranks) queues for collectives
  std::uint32_t clusters = 16;  ///< of K-means
  std::uint32_t bins = 64;
};

/// What a partition has made so far.
struct division {
  std::size_t queues = 1;
  std::size_t levels = 0;
  std::size_t partners = 0;
  std::size_t bytes = 0;          ///< of its own tables
  std::uint64_t managing_ns = 0;  ///< spent on choosing partners or queues
};

/// Base of routers: hooks that most leave empty, and one queue for all.
struct router_base {
  /// Whether the first queue visited that has a fit has the earliest one.
  static constexpr bool oldest_first = true;

  /// Whether the envelope names its queues. A posted receive that does not lies in a queue for
  /// all such; a search that does not goes through every queue.
  [[nodiscard]] static bool decides(const envelope& e) noexcept { return e.source >= 0; }
  template <class Queues>
  void inserted(std::uint32_t /*queue*/, const entry& /*e*/, Queues& /*queues*/) {}
  void erased(std::uint32_t /*queue*/, const entry& /*e*/) {}
  void searched(const envelope& /*wanted*/, std::uint64_t /*traversals*/) {}
};

/// home: the queue of a new entry. visit: calls `f(queue)` for each queue that may hold entries
/// that the envelope fits, until it returns true.
template <class R>
concept router = requires(R r, const R& seen, const shape& s, const envelope& e) {
  R(s);
  { r.home(e) } -> std::same_as<std::uint32_t>;
  r.visit(e, [](std::uint32_t) { return true; });
  { seen.describe() } -> std::same_as<division>;
};

/// Numbers contexts as they come and makes the key of a source in a context (Ghazimirsaeed 2019,
/// equation 4.1).
class source_keys {
 public:
  explicit source_keys(int ranks) : ranks_(static_cast<std::uint64_t>(ranks)) {}

  [[nodiscard]] std::uint32_t context(std::uint32_t id) {
    if (contexts_.empty() || id != last_id_) {
      const auto found = contexts_.emplace(id, static_cast<std::uint32_t>(contexts_.size()));
      last_id_ = id;
      last_ = found.first->second;
    }
    return last_;
  }
  [[nodiscard]] std::uint64_t key(const envelope& e) {
    return static_cast<std::uint64_t>(e.source) + ranks_ * context(e.context);
  }
  /// How many keys there may be.
  [[nodiscard]] std::uint64_t population() const noexcept { return ranks_ * contexts_.size(); }

 private:
  std::uint64_t ranks_;
  std::unordered_map<std::uint32_t, std::uint32_t> contexts_;
  std::uint32_t last_id_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace upwash::matching
