// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Entries in order in a linked list of blocks: the common base of arrays, vectors and fingerprints.
// A taken entry leaves a hole. Holes at both ends of a block are released at once, an empty block
// is removed, and the last block is reused (Ghazimirsaeed 2019, 6.2, figure 6.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "upwash/matching/engines/engine.hpp"

namespace upwash::matching::detail {

/// The common head of every block. `Block` adds `held` (an array of entry*), a static `capacity` of
/// a side, `keep(index, entry, side)`, `clear(index, side)`, a needle made of (envelope, side), and
/// `first_fit(needle, costs)` over [begin, end).
template <class Block>
struct block_head {
  std::uint32_t begin = 0;  ///< first slot that may hold an entry
  std::uint32_t end = 0;    ///< one past the last
  std::uint32_t live = 0;
  Block* next = nullptr;
  Block* previous = nullptr;
};

template <class Block>
class block_chain {
 public:
  explicit block_chain(side which) : side_(which) {}
  block_chain(block_chain&& other) noexcept
      : side_(other.side_),
        head_(std::exchange(other.head_, nullptr)),
        tail_(std::exchange(other.tail_, nullptr)),
        spare_(std::exchange(other.spare_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        blocks_(std::exchange(other.blocks_, 0)) {}
  block_chain& operator=(block_chain&&) = delete;
  ~block_chain() {
    while (head_ != nullptr) delete std::exchange(head_, head_->next);
    delete spare_;
  }

  void insert(entry& e) {
    if (tail_ == nullptr || tail_->end == Block::capacity(side_)) append();
    e.home = tail_;
    e.near.place = tail_->end++;
    tail_->held[e.near.place] = &e;
    tail_->keep(e.near.place, e, side_);
    ++tail_->live;
    ++size_;
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) const noexcept {
    const typename Block::needle sought(wanted, side_);
    for (const Block* b = head_; b != nullptr; b = b->next) {
      if (entry* found = b->first_fit(sought, spent)) return found;
    }
    return nullptr;
  }

  void erase(entry& e) noexcept {
    Block& b = *static_cast<Block*>(e.home);
    b.held[e.near.place] = nullptr;
    b.clear(e.near.place, side_);
    --size_;
    if (--b.live == 0) return drop(b);
    while (b.held[b.begin] == nullptr) ++b.begin;
    while (b.held[b.end - 1] == nullptr) --b.end;
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (Block* b = head_; b != nullptr; b = b->next) {
      for (std::uint32_t i = b->begin; i < b->end; ++i) {
        if (b->held[i] != nullptr) visit(*b->held[i]);
      }
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof *this + blocks_ * sizeof(Block);
  }

 private:
  void append() {
    if (spare_ == nullptr) {
      spare_ = new Block;
      ++blocks_;
    }
    Block* b = std::exchange(spare_, nullptr);
    b->previous = tail_;
    (tail_ != nullptr ? tail_->next : head_) = b;
    tail_ = b;
  }

  /// Removes an empty block. The only block stays, and one more is kept for the next append.
  void drop(Block& b) noexcept {
    b.begin = b.end = 0;
    if (head_ == tail_) return;
    (b.previous != nullptr ? b.previous->next : head_) = b.next;
    (b.next != nullptr ? b.next->previous : tail_) = b.previous;
    b.next = b.previous = nullptr;
    if (spare_ == nullptr) {
      spare_ = &b;
      return;
    }
    --blocks_;
    delete &b;
  }

  side side_;
  Block* head_ = nullptr;
  Block* tail_ = nullptr;
  Block* spare_ = nullptr;
  std::size_t size_ = 0;
  std::size_t blocks_ = 0;
};

}  // namespace upwash::matching::detail
