// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Geometry of spanning trees of any shape, with any number of ranks and any root. Positions count
// from the root in preorder, so a subtree is a range of consecutive positions in every shape.
// Source: Nishtala et al. 2009, trees.
#pragma once

#include <cstdint>
#include <limits>

namespace upwash::model {

struct tree_shape {
  enum class family : std::uint8_t {
    kary,     ///< k children each; subtrees differ by at most one rank
    knomial,  ///< the parent of p is p with its last non-zero digit, base k, cleared
    fork,     ///< k chains below the root
  };
  family of = family::knomial;
  int k = 2;  ///< at least 1; k-nomial: at least 2
  friend constexpr bool operator==(const tree_shape&, const tree_shape&) = default;
};

[[nodiscard]] constexpr tree_shape kary_tree(int k) { return {tree_shape::family::kary, k}; }
[[nodiscard]] constexpr tree_shape knomial_tree(int k) { return {tree_shape::family::knomial, k}; }
[[nodiscard]] constexpr tree_shape fork_tree(int k) { return {tree_shape::family::fork, k}; }
[[nodiscard]] constexpr tree_shape chain_tree() { return kary_tree(1); }
[[nodiscard]] constexpr tree_shape binary_tree() { return kary_tree(2); }
[[nodiscard]] constexpr tree_shape binomial_tree() { return knomial_tree(2); }
/// All directly below the root.
[[nodiscard]] constexpr tree_shape flat_tree() {
  return kary_tree(std::numeric_limits<int>::max());
}

/// The position of one rank in a tree. Construction is O(depth) (chains: O(1)); queries are at most
/// O(log ranks).
class tree_place {
 public:
  tree_place(const tree_shape& shape, int ranks, int root, int rank);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int root() const noexcept { return root_; }
  [[nodiscard]] int position() const noexcept { return position_; }
  [[nodiscard]] bool is_root() const noexcept { return position_ == 0; }
  [[nodiscard]] bool is_leaf() const noexcept { return size_ == 1; }
  [[nodiscard]] int rank_of(int position) const noexcept {
    return static_cast<int>((std::int64_t{position} + root_) % ranks_);
  }

  /// Returns the number of ranks in the subtree, which has the positions from position() on.
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int parent() const noexcept { return rank_of(parent_); }  ///< not for the root
  [[nodiscard]] int index() const noexcept {
    return index_;
  }  ///< index among the parent's
     ///< children

  struct subtree {
    int position = 0;  ///< of the child at its head
    int size = 0;
  };
  [[nodiscard]] int children() const noexcept { return children_; }
  /// Returns a child's subtree, by rising position. The last ones are the largest, or the deepest.
  [[nodiscard]] subtree child(int index) const noexcept;

  /// Returns the largest number of children of a rank: the root's.
  [[nodiscard]] static int widest(const tree_shape& shape, int ranks);

 private:
  void find_in_knomial() noexcept;
  void find_below(int first, int size) noexcept;

  tree_shape shape_;
  int ranks_;
  int root_;
  int position_;
  int parent_ = 0;
  int size_ = 1;
  int index_ = 0;
  int children_ = 0;
};

}  // namespace upwash::model
