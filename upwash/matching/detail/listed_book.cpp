// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/detail/listed_book.hpp"

#include <algorithm>

namespace upwash::matching::detail {

void listed_book::note(int sender_rank, const envelope& what) {
  ++listed_at_[sender_rank];
  if (!inquiries_.empty() && fit(first().wanted, what)) first().again = true;
}

void listed_book::take(int sender_rank, std::uint64_t sender) {
  const auto at = listed_at_.find(sender_rank);
  if (--at->second == 0) listed_at_.erase(at);
  met(sender_rank, sender);  // a claim takes it while answers are on their way
  std::erase_if(previews_, [&](const preview& each) {
    return each.rank == sender_rank && each.with.sender == sender;
  });
}

bool listed_book::was_met(int sender_rank, std::uint64_t sender) const {
  return std::find(met_.begin(), met_.end(), std::pair(sender_rank, sender)) != met_.end();
}

inquiry& listed_book::add(const envelope& wanted, std::uint64_t team, int from, posted* receive) {
  inquiry& made = inquiries_.emplace_back();
  made.wanted = wanted;
  made.team = team;
  made.from = from;
  made.receive = receive;
  return made;
}

std::vector<int> listed_book::begin_asking() {
  inquiry& asks = first();
  std::vector<int> ranks;
  for (const auto& [rank, count] : listed_at_) {
    if (asks.from < 0 || asks.from == rank) ranks.push_back(rank);
  }
  asks.number = ++questions_;
  asks.missing = static_cast<int>(ranks.size());
  asks.again = false;
  met_.clear();
  return ranks;
}

bool listed_book::is_asked_for(const envelope& what) const {
  return std::any_of(inquiries_.begin(), inquiries_.end(), [&](const inquiry& each) {
    return each.receive != nullptr && fit(each.wanted, what);
  });
}

bool listed_book::inquires_in(std::uint32_t context) const {
  return std::any_of(inquiries_.begin(), inquiries_.end(),
                     [&](const inquiry& each) { return each.wanted.context == context; });
}

bool listed_book::is_probed(const envelope& wanted) const {
  return std::any_of(inquiries_.begin(), inquiries_.end(), [&](const inquiry& each) {
    return each.receive == nullptr && !each.cancelled && each.wanted == wanted;
  });
}

const preview* listed_book::find_preview(const envelope& wanted) const {
  for (const preview& each : previews_) {
    const envelope what{wanted.context, each.with.member, each.with.tag, 0};
    const bool first = each.wanted.tag == any_tag || each.wanted.tag == wanted.tag;
    const bool fits = each.wanted.context == wanted.context && fit(wanted, what);
    if (first && fits && !goes_to_earlier(what)) return &each;
  }
  return nullptr;
}

}  // namespace upwash::matching::detail
