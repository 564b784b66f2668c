// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/segments.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "upwash/base/error.hpp"

namespace upwash::conduit::sim {
namespace {

constexpr std::size_t page_bytes = 4096;
/// Above it a mapping of its own, so that untouched pages cost nothing; below it the heap, as
/// the kernel limits the number of mappings.
constexpr std::size_t mapped_from_bytes = 64 * 1024;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

/// How a memory_key is laid out: | handle 8 | size 8 | owner 4 | unused 12 |.
struct segments::wire_key {
  std::uint64_t handle = 0;
  std::uint64_t size = 0;
  std::int32_t owner = 0;
};

segments::~segments() {
  for (block& each : blocks_) {
    if (each.from == origin::heap) std::free(each.base);
    if (each.from == origin::mapped) munmap(each.base, round_up(each.size, page_bytes));
  }
}

memory_block segments::allocate(int rank, std::size_t bytes) {
  block made{nullptr, bytes, rank, 0, origin::heap};
  if (bytes >= mapped_from_bytes) {
    made.from = origin::mapped;
    void* memory = mmap(nullptr, round_up(bytes, page_bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    made.base = memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
  } else {
    const std::size_t alignment = bytes >= page_bytes ? page_bytes : 64;
    const std::size_t rounded = std::max(alignment, round_up(bytes, alignment));
    made.base = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
    if (made.base != nullptr) std::memset(made.base, 0, rounded);
  }
  if (made.base == nullptr) {
    throw system_error("rank " + std::to_string(rank) + " cannot allocate a segment of " +
                           std::to_string(bytes) + " bytes",
                       errno);
  }
  return {made.base, bytes, enter(made)};
}

void segments::release(const memory_block& gone) { leave(value_of<wire_key>(gone.key).handle); }

memory_key segments::add_span(int rank, std::span<const std::byte> span) {
  // Only gets reach it: the conduit never writes through this pointer.
  return enter({const_cast<std::byte*>(span.data()), span.size(), rank, 0, origin::span});
}

void segments::remove_span(const memory_key& bytes) { leave(value_of<wire_key>(bytes).handle); }

remote_memory segments::import(const memory_key& bytes) const {
  const auto key = value_of<wire_key>(bytes);
  std::byte* const at = direct_ && is_allocated(key.handle) ? base(key.handle) : nullptr;
  return {key.owner, at, key.size, key.handle};
}

/// Spans are read by gets only, as other processes' private memory is.
bool segments::is_allocated(std::uint64_t handle) const noexcept {
  return base(handle) != nullptr &&
         blocks_[static_cast<std::uint32_t>(handle)].from != origin::span;
}

std::byte* segments::base(std::uint64_t handle) const noexcept {
  const auto index = static_cast<std::uint32_t>(handle);
  if (index >= blocks_.size()) return nullptr;
  const block& found = blocks_[index];
  return found.generation == handle >> 32U && found.from != origin::none ? found.base : nullptr;
}

std::span<const std::byte> segments::around(const std::byte* address) const noexcept {
  for (const block& each : blocks_) {
    if (each.from != origin::none && address >= each.base && address < each.base + each.size) {
      return {each.base, each.size};
    }
  }
  return {};
}

memory_key segments::enter(const block& made) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  const std::uint32_t generation = blocks_[index].generation;
  blocks_[index] = made;
  blocks_[index].generation = generation;
  return key_of(wire_key{std::uint64_t{generation} << 32U | index, made.size, made.owner});
}

void segments::leave(std::uint64_t handle) {
  if (base(handle) == nullptr) return;
  block& gone = blocks_[static_cast<std::uint32_t>(handle)];
  if (gone.from == origin::heap) std::free(gone.base);
  if (gone.from == origin::mapped) munmap(gone.base, round_up(gone.size, page_bytes));
  gone = {nullptr, 0, 0, gone.generation + 1, origin::none};
  free_.push_back(static_cast<std::uint32_t>(handle));
}

}  // namespace upwash::conduit::sim
