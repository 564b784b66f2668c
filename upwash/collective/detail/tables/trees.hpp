// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the tables name trees: a row for each shape, with its parameters and, for those cut into
// segments, the bytes of one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "upwash/collective/detail/tables/tables.hpp"
#include "upwash/model/tree.hpp"

namespace upwash::collective::detail {

/// A row's parameters, read.
struct segmented_tree {
  model::tree_shape shape{};
  std::uint64_t segment_bytes = 0;  ///< 0: one segment
};

inline constexpr model::parameter at_once{
    "segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once", model::trial::sizes};
/// Of shapes that are worth nothing without segments.
inline constexpr model::parameter in_segments{
    "segment", 0, most_bytes, 8192, "bytes sent at a time; 0: all at once", model::trial::sizes};

struct knomial_row {
  static constexpr std::string_view name = "knomial";
  static constexpr std::string_view doc = "a tree of radix k";
  static constexpr model::parameter parameters[] = {{"k", 2, most_ranks, 2, "radix of the tree"},
                                                    at_once};
  static segmented_tree read(const model::values& with) {
    return {model::knomial_tree(static_cast<int>(with[0])), with[1]};
  }
};
struct kary_row {
  static constexpr std::string_view name = "kary";
  static constexpr std::string_view doc = "a tree of k children each";
  static constexpr model::parameter parameters[] = {{"k", 1, most_ranks, 2, "children of a rank"},
                                                    at_once};
  static segmented_tree read(const model::values& with) {
    return {model::kary_tree(static_cast<int>(with[0])), with[1]};
  }
};
struct flat_row {
  static constexpr std::string_view name = "flat";
  static constexpr std::string_view doc = "all directly below the root";
  static constexpr model::parameter parameters[] = {at_once};
  static segmented_tree read(const model::values& with) { return {model::flat_tree(), with[0]}; }
};
struct chain_row {
  static constexpr std::string_view name = "chain";
  static constexpr std::string_view doc = "one below the other";
  static constexpr model::parameter parameters[] = {in_segments};
  static segmented_tree read(const model::values& with) { return {model::chain_tree(), with[0]}; }
};
struct fork_row {
  static constexpr std::string_view name = "fork";
  static constexpr std::string_view doc = "k chains below the root";
  static constexpr model::parameter parameters[] = {{"k", 1, most_ranks, 2, "chains"}, in_segments};
  static segmented_tree read(const model::values& with) {
    return {model::fork_tree(static_cast<int>(with[0])), with[1]};
  }
};

/// Edges are numbered by segments, in 32 bits, and some algorithms need two a segment.
[[nodiscard]] inline std::string objection_to_segments(std::string_view name, const problem& call,
                                                       std::uint64_t segment_bytes) {
  constexpr std::uint64_t most_segments = std::uint64_t{1} << 30U;
  if (segment_bytes == 0) return {};
  const std::uint64_t whole = std::max<std::uint64_t>(
      segment_bytes - segment_bytes % call.element_bytes, call.element_bytes);
  if (call.bytes / whole < most_segments) return {};
  return fmt::format("{} cuts {} bytes into more than {} segments: choose larger ones", name,
                     call.bytes, most_segments);
}

/// Adds a row for a shape. `Make` has `make(call, tree, rank)`.
template <class Row, class Make>
void add_segmented_tree(registry& to, kind of) {
  to.add({.of = of,
          .is = {.name = Row::name,
                 .parameters = Row::parameters,
                 .doc = Row::doc,
                 .source = "Nishtala et al. 2009, trees"},
          .make = [](const problem& call, const model::values& with,
                     int rank) { return Make::make(call, Row::read(with), rank); },
          .objection =
              [](const problem& call, const model::values& with) {
                return objection_to_segments(Row::name, call, Row::read(with).segment_bytes);
              }});
}
template <class Make>
void add_segmented_trees(registry& to, kind of) {
  add_segmented_tree<knomial_row, Make>(to, of);
  add_segmented_tree<kary_row, Make>(to, of);
  add_segmented_tree<flat_row, Make>(to, of);
  add_segmented_tree<chain_row, Make>(to, of);
  add_segmented_tree<fork_row, Make>(to, of);
}

/// The same where nothing is cut into segments, so that chains are of no use.
template <class Row, class Make>
void add_whole_tree(registry& to, kind of) {
  to.add({.of = of,
          .is = {.name = Row::name,
                 .parameters = std::span(Row::parameters).first(std::size(Row::parameters) - 1),
                 .doc = Row::doc,
                 .source = "Nishtala et al. 2009, trees"},
          .make = [](const problem& call, const model::values& with, int rank) {
            return Make::make(call, Row::read(with), rank);
          }});
}
template <class Make>
void add_whole_trees(registry& to, kind of) {
  add_whole_tree<knomial_row, Make>(to, of);
  add_whole_tree<kary_row, Make>(to, of);
  add_whole_tree<flat_row, Make>(to, of);
}

}  // namespace upwash::collective::detail
