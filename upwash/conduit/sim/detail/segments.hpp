// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of simulated ranks that peers can reach: allocated blocks and registered spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/conduit/memory.hpp"

namespace upwash::conduit::sim {

class segments {
 public:
  /// `direct`: imported blocks can be loaded and stored.
  explicit segments(bool direct) : direct_(direct) {}
  ~segments();
  segments(const segments&) = delete;
  segments& operator=(const segments&) = delete;

  /// Zeroed; large ones are committed as they are touched. Throws `error` (system).
  [[nodiscard]] memory_block allocate(int rank, std::size_t bytes);
  void release(const memory_block& gone);
  [[nodiscard]] memory_key add_span(int rank, std::span<const std::byte> span);
  void remove_span(const memory_key& key);
  [[nodiscard]] remote_memory import(const memory_key& key) const;

  /// Where the memory is; null when it has been released.
  [[nodiscard]] std::byte* base(std::uint64_t handle) const noexcept;
  /// The block that holds the address; empty where none does. O(blocks): for reports.
  [[nodiscard]] std::span<const std::byte> around(const std::byte* address) const noexcept;

 private:
  enum class origin : std::uint8_t { none, heap, mapped, span };
  struct block {
    std::byte* base = nullptr;
    std::size_t size = 0;
    int owner = 0;
    std::uint32_t generation = 0;
    origin from = origin::none;
  };
  struct wire_key;

  [[nodiscard]] bool is_allocated(std::uint64_t handle) const noexcept;
  [[nodiscard]] memory_key enter(const block& made);
  void leave(std::uint64_t handle);

  bool direct_;
  std::vector<block> blocks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace upwash::conduit::sim
