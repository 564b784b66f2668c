// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes that come and go: given back to a free list, memory kept until the pool goes. At most
// `most_at_once` nodes beyond those that were needed at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace upwash::matching {

/// `Node` has a member `next_free`. Pointers stay valid until `give_back`.
template <class Node>
class node_pool {
 public:
  [[nodiscard]] Node* take() {
    if (free_ == nullptr) grow();
    Node* n = free_;
    free_ = n->next_free;
    return n;
  }
  void give_back(Node* n) noexcept {
    n->next_free = free_;
    free_ = n;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return nodes_ * sizeof(Node); }

  static constexpr std::size_t most_at_once = 256;

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t more = nodes_ == 0 ? 16 : std::min(nodes_, most_at_once);
    chunks_.push_back(std::make_unique<Node[]>(more));
    for (std::size_t i = 0; i < more; ++i) give_back(&chunks_.back()[i]);
    nodes_ += more;
  }

  std::vector<std::unique_ptr<Node[]>> chunks_;
  Node* free_ = nullptr;
  std::size_t nodes_ = 0;
};

}  // namespace upwash::matching
