// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation of segments and mapping of peers' segments.
#include "upwash/conduit/shm/detail/segments.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/conduit/shm/detail/line.hpp"
#include "upwash/conduit/shm/detail/mesh.hpp"

namespace upwash::conduit::shm_detail {
namespace {

constexpr std::size_t first_chunk = std::size_t{64} << 10U;
constexpr std::size_t later_chunk = std::size_t{1} << 20U;
constexpr const char* advice = "allocate less, or start fewer ranks";

}  // namespace

memory_block segment_store::allocate(std::size_t bytes) {
  const std::size_t alignment = bytes >= page_bytes() ? page_bytes() : line_bytes;
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), alignment);
  chunk& from = chunk_for(size, alignment);
  const std::size_t offset = round_up(from.used, alignment);
  from.used = offset + size;
  ++from.live;
  memory_block block;
  block.base = from.file.base() + offset;
  block.size = bytes;
  if (!from.whole) std::memset(block.base, 0, size);  // the chunk may have been used before
  segment_key key;
  key.fd = from.file.fd();
  key.serial = from.serial;
  key.file_pages = static_cast<std::uint32_t>(from.file.size() / page_bytes());
  key.offset = offset;
  key.bytes = bytes;
  block.key = key_of(key);
  return block;
}

segment_store::chunk& segment_store::chunk_for(std::size_t bytes, std::size_t alignment) {
  if (bytes > later_chunk / 4) {
    chunk& own = new_chunk(bytes);
    own.whole = true;
    return own;
  }
  for (const auto& one : chunks_) {
    if (!one->whole && round_up(one->used, alignment) + bytes <= one->file.size()) return *one;
  }
  const bool first =
      std::none_of(chunks_.begin(), chunks_.end(), [](const auto& one) { return !one->whole; });
  return new_chunk(first && bytes <= first_chunk / 4 ? first_chunk : later_chunk);
}

segment_store::chunk& segment_store::new_chunk(std::size_t bytes) {
  auto made = std::make_unique<chunk>();
  made->serial = new_serial();
  made->file = shared_memory::make(bytes, made->serial, "a segment", advice);
  chunks_.push_back(std::move(made));
  return *chunks_.back();
}

void segment_store::release(const memory_block& block) {
  const auto key = value_of<segment_key>(block.key);
  const auto at = std::find_if(chunks_.begin(), chunks_.end(),
                               [&](const auto& one) { return one->serial == key.serial; });
  if (at == chunks_.end() || --(*at)->live != 0) return;
  if ((*at)->whole) {
    chunks_.erase(at);
  } else {
    (*at)->used = 0;
  }
}

remote_memory import_table::import(int owner, int process, int pid, bool own,
                                   const memory_key& key) {
  imported record;
  record.process = process;
  record.kind = kind_of(key);
  remote_memory result;
  result.owner = owner;
  if (record.kind == key_kind::span) {
    const auto span = value_of<span_key>(key);
    record.huge = span.huge;
    record.span = span.name;
    record.address = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(span.address));
    record.bytes = static_cast<std::size_t>(span.bytes);
    if (own) result.direct = record.address;
  } else if (record.kind == key_kind::segment) {
    const auto segment = value_of<segment_key>(key);
    mapping& file = mappings_[{process, segment.serial}];
    if (!file.file) {
      file.file = shared_memory::open(pid, segment.fd, segment.serial, 0,
                                      std::size_t{segment.file_pages} * page_bytes());
    }
    ++file.uses;
    record.serial = segment.serial;
    record.address = file.file.base() + segment.offset;
    record.bytes = static_cast<std::size_t>(segment.bytes);
    result.direct = record.address;
  } else {
    throw error(error_kind::argument,
                fmt::format("import of memory of rank {}: the key is of no shm memory", owner));
  }
  result.size = record.bytes;
  result.handle = keep(record);
  return result;
}

std::uint64_t import_table::keep(const imported& record) {
  if (free_.empty()) {
    records_.push_back(record);
    return records_.size();
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  records_[place] = record;
  return place + 1;
}

void import_table::forget(const remote_memory& memory) {
  const auto place = static_cast<std::size_t>(memory.handle - 1);
  if (place >= records_.size() || records_[place].kind == key_kind::none) return;
  const imported record = std::exchange(records_[place], imported{});
  free_.push_back(place);
  if (record.kind != key_kind::segment) return;
  const auto file = mappings_.find({record.process, record.serial});
  if (file != mappings_.end() && --file->second.uses == 0) mappings_.erase(file);
}

}  // namespace upwash::conduit::shm_detail
