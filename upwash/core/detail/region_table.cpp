// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/region_table.hpp"

#include "upwash/core/detail/footing.hpp"

namespace upwash::detail {

region_table::region_table(footing& below, int rank) noexcept
    : below_(below), rank_(rank), traced_(below.endpoint.trace(rank) != nullptr) {}

region_table::~region_table() {
  for (auto& [bits, region] : by_id_) {
    forget_all(*region);
    below_.endpoint.release(rank_, region->own);
  }
}

region_state& region_table::add(std::uint64_t bits, const memory_block& own) {
  auto made = std::make_unique<region_state>();
  made->bits = bits;
  made->rank = rank_;
  made->own = own;
  made->parts.resize(first_slots);
  region_state& region = *made;
  by_id_[bits] = std::move(made);
  if (own.size != 0) by_address_[own.base] = &region;  // an empty one may share its address
  part& mine = slot(region, rank_);
  mine = {rank_, own.base, own.size, below_.endpoint.import(rank_, rank_, own.key)};
  return region;
}

void region_table::remove(std::uint64_t bits) {
  const auto it = by_id_.find(bits);
  if (it == by_id_.end()) return;
  region_state& region = *it->second;
  if (last_ == &region) last_ = nullptr;
  if (region.own.size != 0) by_address_.erase(region.own.base);
  forget_all(region);
  below_.endpoint.release(rank_, region.own);
  by_id_.erase(it);
}

region_state* region_table::find(std::uint64_t bits) noexcept {
  const auto it = by_id_.find(bits);
  return it == by_id_.end() ? nullptr : it->second.get();
}

region_state* region_table::containing(const void* local) noexcept {
  const auto* address = static_cast<const std::byte*>(local);
  auto it = by_address_.upper_bound(address);
  if (it == by_address_.begin()) return nullptr;
  --it;
  region_state* region = it->second;
  return address < region->own.base + region->own.size ? region : nullptr;
}

part& region_table::enter(region_state& region, int rank, const memory_key& key, std::size_t size) {
  if (part* const known = fetched(region, rank)) return *known;
  const remote_memory memory = below_.endpoint.import(rank_, rank, key);
  while (slot(region, rank).rank >= 0 && region.parts.size() < max_slots) grow(region);
  part& peer = slot(region, rank);
  if (peer.pinned) {
    region.kept.push_back(peer.memory);
  } else if (peer.rank >= 0) {
    below_.endpoint.forget(rank_, peer.memory);
  }
  peer = {rank, memory.direct, size, memory};
  return peer;
}

void region_table::grow(region_state& region) {
  std::vector<part> before(2 * region.parts.size());
  before.swap(region.parts);
  for (const part& each : before) {
    if (each.rank >= 0) slot(region, each.rank) = each;
  }
}

void region_table::forget_all(region_state& region) {
  for (part& peer : region.parts) {
    if (peer.rank >= 0) below_.endpoint.forget(rank_, peer.memory);
    peer = {};
  }
  for (const remote_memory& memory : region.kept) below_.endpoint.forget(rank_, memory);
  region.kept.clear();
}

}  // namespace upwash::detail
