// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/chunk_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace upwash::conduit::ucx {
namespace {

constexpr std::size_t shared_chunk = std::size_t{1} << 20U;
constexpr std::size_t line = 64;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

chunk_store::~chunk_store() {
  for (const auto& each : chunks_) unmap(*each);
}

memory_block chunk_store::allocate(std::size_t bytes, std::string& why) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t alignment = bytes >= page ? page : line;
  // At least one byte, so that each block has an address of its own.
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), alignment);
  memory_block block;
  chunk* from = chunk_for(size, alignment, why);
  if (from == nullptr) return block;
  const std::size_t offset = round_up(from->used, alignment);
  from->used = offset + size;
  ++from->live;
  block.base = from->base + offset;
  block.size = bytes;
  std::memset(block.base, 0, size);  // also so that it is there: what is lacking shows now
  block.key = from->key;
  auto front = value_of<segment_key>(block.key);
  front.address += offset;
  std::memcpy(block.key.bytes.data(), &front, sizeof front);
  return block;
}

chunk_store::chunk* chunk_store::chunk_for(std::size_t bytes, std::size_t alignment,
                                           std::string& why) {
  const bool whole = bytes > shared_chunk / 4;
  if (!whole) {
    for (const auto& one : chunks_) {
      if (!one->whole && round_up(one->used, alignment) + bytes <= one->size) return one.get();
    }
  }
  const std::size_t size = whole ? bytes : shared_chunk;
  std::unique_ptr<chunk> made;
  if (in_file_) {
    made = map_file(size, why);
  } else {
    ucp_mem_map_params_t wanted{};
    wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    wanted.length = size;
    wanted.flags = UCP_MEM_MAP_ALLOCATE;
    made = map(wanted, {}, why);
  }
  if (made == nullptr) return nullptr;
  made->whole = whole;
  chunks_.push_back(std::move(made));
  return chunks_.back().get();
}

std::unique_ptr<chunk_store::chunk> chunk_store::map_file(std::size_t bytes, std::string& why) {
  file_part part;
  std::byte* base = file_.append(bytes, part, why);
  if (base == nullptr) return nullptr;
  ucp_mem_map_params_t wanted{};
  wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  wanted.address = base;
  wanted.length = part.bytes;
  std::unique_ptr<chunk> made = map(wanted, part, why);
  if (made == nullptr) file_.remove(base, part);
  return made;
}

void chunk_store::unmap(const chunk& one) noexcept {
  ucp_mem_unmap(context_, one.handle);
  if (one.part.fd >= 0) file_.remove(one.base, one.part);
}

std::unique_ptr<chunk_store::chunk> chunk_store::map(const ucp_mem_map_params_t& wanted,
                                                     const file_part& part, std::string& why) {
  auto made = std::make_unique<chunk>();
  made->part = part;
  ucs_status_t status = ucp_mem_map(context_, &wanted, &made->handle);
  if (status != UCS_OK) {
    why = std::string("UCX does not map it: ") + ucs_status_string(status);
    return nullptr;
  }
  ucp_mem_attr_t is{};
  is.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH;
  status = ucp_mem_query(made->handle, &is);
  made->base = static_cast<std::byte*>(is.address);
  made->size = is.length;
  made->number = ++made_;
  if (status != UCS_OK || !pack_key(*made, why)) {
    if (why.empty())
      why = std::string("UCX does not say where it is: ") + ucs_status_string(status);
    ucp_mem_unmap(context_, made->handle);
    return nullptr;
  }
  return made;
}

bool chunk_store::pack_key(chunk& made, std::string& why) {
  void* packed = nullptr;
  std::size_t bytes = 0;
  const ucs_status_t status = ucp_rkey_pack(context_, made.handle, &packed, &bytes);
  if (status != UCS_OK) {
    why = std::string("UCX gives no key of it: ") + ucs_status_string(status);
    return false;
  }
  made.key =
      key_of(segment_key{reinterpret_cast<std::uintptr_t>(made.base),
                         reinterpret_cast<std::uintptr_t>(made.base), made.number, made.part});
  const std::size_t room = memory_key::capacity - made.key.size;
  if (bytes <= room) {
    std::memcpy(made.key.bytes.data() + made.key.size, packed, bytes);
    made.key.size += static_cast<std::uint32_t>(bytes);
  } else {
    why = "UCX's key of it has " + std::to_string(bytes) + " bytes, " + std::to_string(room) +
          " have room: use fewer devices (UCX_NET_DEVICES, UCX_TLS)";
  }
  ucp_rkey_buffer_release(packed);
  return bytes <= room;
}

void chunk_store::remove(std::uint32_t number) noexcept {
  const auto at = std::find_if(chunks_.begin(), chunks_.end(),
                               [number](const auto& one) { return one->number == number; });
  if (at == chunks_.end() || --(*at)->live != 0) return;
  if (!(*at)->whole) {
    (*at)->used = 0;
    return;
  }
  unmap(**at);
  chunks_.erase(at);
}

void chunk_store::release(const memory_block& block) noexcept {
  remove(value_of<segment_key>(block.key).chunk);
}

bool chunk_store::expose(std::span<const std::byte> span, memory_key& key, std::string& why) {
  ucp_mem_map_params_t wanted{};
  wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  wanted.address = const_cast<std::byte*>(span.data());
  wanted.length = span.size();
  std::unique_ptr<chunk> made = map(wanted, {}, why);
  if (made == nullptr) return false;
  made->whole = true;
  made->live = 1;
  key = made->key;
  chunks_.push_back(std::move(made));
  return true;
}

void chunk_store::conceal(const memory_key& key) noexcept {
  remove(value_of<segment_key>(key).chunk);
}

}  // namespace upwash::conduit::ucx
