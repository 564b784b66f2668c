// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The placement of a team's members on nodes: any number on each, in any order.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace upwash::model {

/// Nodes are numbered by their first members. The members of a node are numbered by rank; these
/// numbers are their places. Immutable. Memory: 16 bytes a member, 8 a node.
class node_map {
 public:
  /// `node_of`: a number for each member, equal for members of one node.
  explicit node_map(std::span<const int> node_of);
  /// Makes a map of consecutive ranks, `ranks_per_node` a node; the last node may have fewer.
  [[nodiscard]] static node_map in_blocks(int ranks, int ranks_per_node);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(node_of_.size()); }
  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(first_of_.size()) - 1; }
  [[nodiscard]] int node_of(int rank) const noexcept { return at(node_of_, rank); }
  [[nodiscard]] int place_of(int rank) const noexcept { return at(place_of_, rank); }
  [[nodiscard]] int size_of(int node) const noexcept {
    return static_cast<int>(at(first_of_, node + 1) - at(first_of_, node));
  }
  /// Returns the ranks of a node, ascending, by place.
  [[nodiscard]] std::span<const int> ranks_of(int node) const noexcept {
    return std::span(members_).subspan(at(first_of_, node),
                                       at(first_of_, node + 1) - at(first_of_, node));
  }
  [[nodiscard]] int rank_at(int node, int place) const noexcept {
    return ranks_of(node)[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] bool together(int a, int b) const noexcept { return node_of(a) == node_of(b); }
  /// Returns for each node the number of members on the nodes before it, and as a last element the
  /// number of all members.
  [[nodiscard]] std::span<const std::uint64_t> firsts() const noexcept { return first_of_; }
  /// Returns all members, node by node.
  [[nodiscard]] std::span<const int> members() const noexcept { return members_; }
  /// Returns the members with that place, node by node; for places that all nodes have.
  [[nodiscard]] const int* of_place(int place) const noexcept {
    return by_place_.data() + std::int64_t{place} * nodes();
  }
  [[nodiscard]] int least_size() const noexcept { return least_; }
  [[nodiscard]] int largest_size() const noexcept { return largest_; }
  /// Whether the nodes follow each other in the order of ranks.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  /// Whether there are several nodes and one of them has several members, so that levels can be
  /// used.
  [[nodiscard]] bool has_levels() const noexcept { return nodes() > 1 && largest_ > 1; }

  friend bool operator==(const node_map& a, const node_map& b) noexcept {
    return a.node_of_ == b.node_of_;
  }
  friend std::strong_ordering operator<=>(const node_map& a, const node_map& b) noexcept {
    return a.node_of_ <=> b.node_of_;
  }

 private:
  template <class T>
  [[nodiscard]] static T at(const std::vector<T>& of, int index) noexcept {
    return of[static_cast<std::size_t>(index)];
  }

  std::vector<int> node_of_;
  std::vector<int> place_of_;
  std::vector<std::uint64_t> first_of_;
  std::vector<int> members_;
  std::vector<int> by_place_;
  int least_ = 0;
  int largest_ = 0;
  bool in_order_ = true;
};

/// A shared pointer to a map, or none. Compares by content.
class shared_node_map {
 public:
  shared_node_map() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a pointer to a map is one to share.
  shared_node_map(std::shared_ptr<const model::node_map> of) noexcept : of_(std::move(of)) {}

  [[nodiscard]] const node_map* get() const noexcept { return of_.get(); }
  [[nodiscard]] const node_map* operator->() const noexcept { return of_.get(); }
  [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }

  friend bool operator==(const shared_node_map& a, const shared_node_map& b) noexcept {
    return (a <=> b) == 0;
  }
  friend std::strong_ordering operator<=>(const shared_node_map& a,
                                          const shared_node_map& b) noexcept {
    if (a.of_ == b.of_) return std::strong_ordering::equal;
    if (!a || !b) return a.operator bool() <=> b.operator bool();
    return *a.of_ <=> *b.of_;
  }

 private:
  std::shared_ptr<const model::node_map> of_;
};

}  // namespace upwash::model
