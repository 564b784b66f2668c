// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conduit/wire/pretended_memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/base/word_copy.hpp"

namespace upwash::test {

using namespace conduit;

namespace {

constexpr std::size_t largest_segment = std::size_t{1} << 34U;  // a test wants no more

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= 4096U ? 4096U : 64U};
}

}  // namespace

memory_block pretended_memory::allocate(std::size_t bytes, std::string& why) noexcept {
  memory_block block;
  if (bytes > largest_segment) {
    why = fmt::format("a pretended segment has at most {} bytes", largest_segment);
    return block;
  }
  const std::size_t least = std::max<std::size_t>(bytes, 1);
  block.base = static_cast<std::byte*>(::operator new(least, alignment_of(bytes)));
  std::memset(block.base, 0, least);
  block.size = bytes;
  block.key = key_of(++network_.blocks_made);
  network_.blocks[network_.blocks_made] = {block.base, bytes, self_};
  return block;
}

void pretended_memory::release(const memory_block& block) noexcept {
  if (network_.blocks.erase(value_of<std::uint64_t>(block.key)) == 0) {
    ADD_FAILURE() << "process " << self_ << " releases a segment that it has not";
  }
  ::operator delete(block.base, alignment_of(block.size));
}

bool pretended_memory::expose(std::span<const std::byte> span, memory_key& key,
                              std::string& /*why*/) noexcept {
  key = key_of(++network_.blocks_made);
  network_.blocks[network_.blocks_made] = {const_cast<std::byte*>(span.data()), span.size(), self_};
  return true;
}

void pretended_memory::conceal(const memory_key& key) noexcept {
  if (network_.blocks.erase(value_of<std::uint64_t>(key)) == 0) {
    ADD_FAILURE() << "process " << self_ << " conceals a span that is not exposed";
  }
}

bool pretended_memory::import(int process, const memory_key& key, remote_memory& memory,
                              std::string& why) noexcept {
  memory.handle = value_of<std::uint64_t>(key);
  const auto found = network_.blocks.find(memory.handle);
  if (found == network_.blocks.end() || found->second.owner != process) {
    why = fmt::format("process {} has no memory of this key", process);
    return false;
  }
  memory.size = found->second.size;
  return true;
}

injection pretended_memory::begin(transfer one) {
  one.number = begun_++;
  one.polls = network_.some_polls();
  one.told_polls = network_.some_polls();
  ++network_.events;
  if (one.polls == 0 && network_.by_chance()) {
    carry_out(one);
    return injection::done();
  }
  under_way_.push_back(std::make_unique<transfer>(std::move(one)));
  return injection::pending();
}

injection pretended_memory::put(int process, const remote_memory& to, std::size_t offset,
                                std::span<const std::byte> from, completion* local) noexcept {
  return begin({.what = transfer::kind::put,
                .process = process,
                .block = to.handle,
                .offset = offset,
                .from = from,
                .local = local});
}

injection pretended_memory::get(int process, const remote_memory& from, std::size_t offset,
                                std::span<std::byte> to, completion* local) noexcept {
  return begin({.what = transfer::kind::get,
                .process = process,
                .block = from.handle,
                .offset = offset,
                .to = to,
                .local = local});
}

injection pretended_memory::atomic(int process, const remote_memory& at, std::size_t offset,
                                   const atomic_operation& operation, std::uint64_t* old,
                                   completion* local) noexcept {
  if (!network_.options.atomics.contains(operation.kind, operation.width)) {
    ADD_FAILURE() << "an atomic that the engine does not offer: " << to_string(operation.kind);
  }
  return begin({.what = transfer::kind::atomic,
                .process = process,
                .block = at.handle,
                .offset = offset,
                .operation = operation,
                .old = old,
                .local = local});
}

injection pretended_memory::flush(int process, completion* when) noexcept {
  if (is_complete(process, begun_)) return injection::done();
  flushes_.push_back({process, begun_, when, network_.some_polls()});
  return injection::pending();
}

bool pretended_memory::is_complete(int process, std::uint64_t before) const {
  return std::ranges::none_of(under_way_, [&](const auto& one) {
    return !one->carried_out && one->number < before && (process < 0 || one->process == process);
  });
}

void pretended_memory::carry_out(transfer& one) {
  one.carried_out = true;
  const auto found = network_.blocks.find(one.block);
  const std::size_t bytes = one.what == transfer::kind::put   ? one.from.size()
                            : one.what == transfer::kind::get ? one.to.size()
                                                              : one.operation.width;
  if (found == network_.blocks.end() || found->second.owner != one.process ||
      one.offset > found->second.size || bytes > found->second.size - one.offset) {
    ADD_FAILURE() << fmt::format(
        "process {} reaches {} bytes at {} of memory of process {} that is "
        "gone or smaller",
        self_, bytes, one.offset, one.process);
    return;
  }
  std::byte* const at = found->second.base + one.offset;
  switch (one.what) {
    case transfer::kind::put: store_words(at, one.from.data(), bytes); break;
    case transfer::kind::get: load_words(one.to.data(), at, bytes); break;
    case transfer::kind::atomic: {
      const std::uint64_t old = apply_atomic(at, one.operation);
      if (one.old != nullptr) *one.old = old;
      break;
    }
  }
}

/// Whether something happened.
bool pretended_memory::move(transfer& one) {
  bool happened = false;
  if (!one.carried_out && is_due(one.polls)) {
    carry_out(one);
    happened = true;
  }
  const bool may_tell = one.carried_out || one.what == transfer::kind::put;
  if (!one.told && may_tell && is_due(one.told_polls)) {
    if (!one.carried_out) {  // else a flush may have told already, and the source be gone
      one.copy.assign(one.from.begin(), one.from.end());
      one.from = one.copy;
    }
    one.told = true;
    tell(one.local);
    happened = true;
  }
  return happened;
}

int pretended_memory::poll() {
  for (std::size_t i = under_way_.size(); i > 1; --i) {
    std::swap(under_way_[i - 1], under_way_[network_.random.below(i)]);
  }
  int happened = 0;
  for (std::size_t i = 0, count = under_way_.size(); i < count; ++i) {
    happened += move(*under_way_[i]) ? 1 : 0;
  }
  std::erase_if(under_way_, [](const auto& one) { return one->carried_out && one->told; });
  std::vector<completion*> over;
  std::erase_if(flushes_, [&](waiting_flush& each) {
    if (!is_complete(each.process, each.before) || !is_due(each.polls)) return false;
    over.push_back(each.when);
    return true;
  });
  for (completion* each : over) tell(each);
  happened += static_cast<int>(over.size());
  network_.events += static_cast<std::uint64_t>(happened);
  return happened;
}

}  // namespace upwash::test
