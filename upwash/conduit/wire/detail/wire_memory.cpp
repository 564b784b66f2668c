// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the endpoint: segments, which the engine may reach at peers, and private spans, which
// are read by asking their owner. What is this process's own is loaded and stored.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/group_limits.hpp"
#include "upwash/base/word_copy.hpp"
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

namespace upwash::conduit::wire {
namespace {

enum class memory_kind : std::uint64_t { segment, span };

/// The front of a key; behind it that of the engine, where it reaches the memory.
struct key_front {
  std::uint64_t name = 0;  ///< at the owner
  std::uint64_t size = 0;
  memory_kind kind = memory_kind::segment;
};

/// Of a handle: the rest is the name of a span. Engines' handles have not this bit.
constexpr std::uint64_t is_span = std::uint64_t{1} << 63U;

memory_key with_front(const key_front& front, const memory_key& engines) {
  memory_key key = key_of(front);
  if (key.size + engines.size > memory_key::capacity) {
    throw error(error_kind::fault,
                fmt::format("the engine's key of a segment has {} bytes, {} have room; enlarge "
                            "memory_key",
                            engines.size, memory_key::capacity - key.size));
  }
  std::memcpy(key.bytes.data() + key.size, engines.bytes.data(), engines.size);
  key.size += engines.size;
  return key;
}

memory_key behind_front(const memory_key& key) {
  memory_key engines;
  if (key.size <= sizeof(key_front)) return engines;
  engines.size = key.size - static_cast<std::uint32_t>(sizeof(key_front));
  std::memcpy(engines.bytes.data(), key.bytes.data() + sizeof(key_front), engines.size);
  return engines;
}

std::align_val_t alignment_of(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::align_val_t{bytes >= page ? page : 64};
}

[[noreturn]] void lacking(std::string_view conduit, std::size_t bytes, const std::string& why) {
  throw error(error_kind::system,
              fmt::format("{}: a segment of {} bytes cannot be had: {}", conduit, bytes, why));
}

}  // namespace

memory_block wire_endpoint::allocate(int /*rank*/, std::size_t bytes) {
  // Before anything is tried: engines find out by filling what there is.
  if (const std::size_t most = available_memory(); bytes > most) {
    lacking(options_.name, bytes, fmt::format("{} are available", most));
  }
  memory_block block;
  if (remote_access* engine = over_->memory()) {
    std::string why;
    block = engine->allocate(bytes, why);
    if (block.base == nullptr) lacking(options_.name, bytes, why);
  } else {
    // At least one byte, so that each block has an address of its own. Zeroed, and so backed.
    const std::size_t least = bytes == 0 ? 1 : bytes;
    block.base = static_cast<std::byte*>(::operator new(least, alignment_of(bytes)));
    std::memset(block.base, 0, least);
    block.size = bytes;
  }
  block.key =
      with_front({segments_.add({block.base, bytes}), bytes, memory_kind::segment}, block.key);
  return block;
}

void wire_endpoint::release(int /*rank*/, const memory_block& block) {
  segments_.remove(value_of<key_front>(block.key).name);
  if (remote_access* engine = over_->memory()) {
    return engine->release({block.base, block.size, behind_front(block.key)});
  }
  ::operator delete(block.base, alignment_of(block.size));
}

memory_key wire_endpoint::register_span(int /*rank*/, std::span<const std::byte> span) {
  return with_front({reads_.spans().add(span), span.size(), memory_kind::span}, {});
}

void wire_endpoint::deregister(int /*rank*/, const memory_key& key) {
  reads_.spans().remove(value_of<key_front>(key).name);
}

const peer_capabilities& wire_endpoint::towards(int rank) const noexcept {
  const location there = place(rank);
  const location here = place(first_rank_);
  return can_.of(there.process == here.process ? nearness::process
                 : there.node == here.node     ? nearness::node
                                               : nearness::remote);
}

remote_memory wire_endpoint::import(int /*rank*/, int owner, const memory_key& key) {
  const auto front = value_of<key_front>(key);
  remote_memory memory{owner, nullptr, front.size, front.name};
  if (front.kind == memory_kind::span) {
    memory.handle |= is_span;
    return memory;
  }
  const int process = process_of(owner);
  if (remote_access* engine = over_->memory()) {
    std::string why;
    look_for_deaths();  // memory goes with its owner, and UCX 1.13 does not bear looking for it
    if (!engine->import(process, behind_front(key), memory, why)) {
      throw error(error_kind::system, fmt::format("{}: memory of rank {} cannot be reached: {}",
                                                  options_.name, owner, why));
    }
    // On what passes for another node as well: of that nothing is promised.
    if (!towards(owner).direct_access) memory.direct = nullptr;
  }
  if (process == self_) {
    const std::span<const std::byte>* own = segments_.find(front.name);
    if (own != nullptr) memory.direct = const_cast<std::byte*>(own->data());
  }
  return memory;
}

void wire_endpoint::forget(int /*rank*/, const remote_memory& memory) {
  if ((memory.handle & is_span) != 0) return;
  if (remote_access* engine = over_->memory()) engine->forget(memory);
}

injection wire_endpoint::put(int rank, const remote_memory& to, std::size_t offset,
                             std::span<const std::byte> from, completions when,
                             const put_signal* signal) {
  if (to.direct != nullptr && signal == nullptr) {
    store_words(to.direct + offset, from.data(), from.size());
    return injection::done();
  }
  remote_access* engine = over_->memory();
  if (engine == nullptr || signal != nullptr) {
    return endpoint::put(rank, to, offset, from, when, signal);
  }
  return engine->put(process_of(to.owner), to, offset, from, when.local);
}

injection wire_endpoint::get(int rank, const remote_memory& from, std::size_t offset,
                             std::span<std::byte> to, completion* local) {
  const int process = process_of(from.owner);
  if (to.empty()) return injection::done();
  if (from.direct != nullptr) {
    load_words(to.data(), from.direct + offset, to.size());
    return injection::done();
  }
  if ((from.handle & is_span) != 0) {
    const std::uint64_t name = from.handle & ~is_span;
    if (process != self_) return reads_.read(process, name, offset, to, local);
    const std::span<const std::byte>* own = reads_.spans().find(name);
    ensure(own != nullptr, "a span that is read is registered", name);
    std::memcpy(to.data(), own->data() + offset, to.size());
    return injection::done();
  }
  remote_access* engine = over_->memory();
  if (engine == nullptr) return endpoint::get(rank, from, offset, to, local);
  return engine->get(process, from, offset, to, local);
}

injection wire_endpoint::atomic(int rank, const remote_memory& at, std::size_t offset,
                                const atomic_operation& operation, std::uint64_t* old,
                                completions when) {
  remote_access* engine = over_->memory();
  if (engine == nullptr) return endpoint::atomic(rank, at, offset, operation, old, when);
  return engine->atomic(process_of(at.owner), at, offset, operation, old, when.local);
}

injection wire_endpoint::flush(int /*rank*/, int peer, completion* when) {
  remote_access* engine = over_->memory();
  // What this process does to its own memory is done at once, by messages nothing is done here.
  if (engine == nullptr) return injection::done();
  return engine->flush(peer < 0 ? -1 : process_of(peer), when);
}

}  // namespace upwash::conduit::wire
