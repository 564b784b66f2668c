// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/address_book.hpp"

#include <iterator>
#include <utility>

namespace upwash::detail {

void address_book::enter(parts& into, const published_region& from, int rank) {
  const int member = from.members.member_of(rank);
  if (member < 0 || from.size_of(member) == 0) return;
  const std::uint64_t base = from.bases[static_cast<std::size_t>(member)];
  into[base] = {base, from.size_of(member), from.bits};
}

void address_book::add(published_region made) {
  const std::uint64_t bits = made.bits;
  const published_region& kept = regions_[bits] = std::move(made);
  for (auto& [rank, known] : by_rank_) enter(known, kept, rank);
}

void address_book::remove(std::uint64_t bits) {
  const auto going = regions_.find(bits);
  if (going == regions_.end()) return;
  for (auto& [rank, known] : by_rank_) {
    const int member = going->second.members.member_of(rank);
    if (member >= 0) known.erase(going->second.bases[static_cast<std::size_t>(member)]);
  }
  regions_.erase(going);
}

const address_book::part* address_book::find(int rank, std::uint64_t address) {
  const auto [asked, is_new] = by_rank_.try_emplace(rank);
  parts& known = asked->second;
  if (is_new) {
    for (const auto& [bits, each] : regions_) enter(known, each, rank);
  }
  const auto behind = known.upper_bound(address);
  if (behind == known.begin()) return nullptr;
  const part& found = std::prev(behind)->second;
  return address - found.base < found.size ? &found : nullptr;
}

const published_region* address_book::region(std::uint64_t bits) const noexcept {
  const auto found = regions_.find(bits);
  return found == regions_.end() ? nullptr : &found->second;
}

}  // namespace upwash::detail
