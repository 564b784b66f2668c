// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/router.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::neighborhoods {

void grid_reach::include(int from, int to) {
  for (int i = 0; i < on.dimensions(); ++i) {
    along[static_cast<std::size_t>(i)].include(on.way(from, to, i));
  }
}

void parcel_list::add(const parcel& from, std::span<const int> destinations) {
  if (heads_.empty() || heads_.back().slot != from.slot) {
    heads_.push_back(
        {from.slot, from.origin, from.number, static_cast<std::uint32_t>(destinations_.size()), 0});
  }
  heads_.back().count += static_cast<std::uint32_t>(destinations.size());
  destinations_.insert(destinations_.end(), destinations.begin(), destinations.end());
}

router::router(int rank, const surroundings& in, std::span<const int> destinations,
               std::span<const int> sources, contents of)
    : rank_(rank), in_(in), of_(of), destinations_(destinations.begin(), destinations.end()) {
  for (const int source : sources) {
    sorted_sources_.emplace_back(source, static_cast<std::uint32_t>(sorted_sources_.size()));
  }
  std::sort(sorted_sources_.begin(), sorted_sources_.end());
  for (const auto& [source, index] : sorted_sources_) {
    if (source == rank) continue;
    if (distinct_sources_.empty() || distinct_sources_.back() != source) {
      distinct_sources_.push_back(source);
    }
  }
  std::sort(destinations_.begin(), destinations_.end());
  plan_.own_slots =
      of == contents::same_for_all ? 1 : static_cast<std::uint32_t>(destinations.size());
  plan_.slots = plan_.own_slots;
  plan_.hands_over = in.hands_over;
  plan_.places_used = plan_.own_slots;
  if (of == contents::one_each) {
    // Edges between the same two ranks are told apart by their order.
    std::vector<std::pair<int, std::uint32_t>> edges;
    for (const int to : destinations) {
      edges.emplace_back(to, static_cast<std::uint32_t>(edges.size()));
    }
    std::sort(edges.begin(), edges.end());
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      number = i > 0 && edges[i].first == edges[i - 1].first ? number + 1 : 0;
      const parcel own{edges[i].second, rank, number, {}};
      if (edges[i].first == rank) {
        deliver(own.slot, rank, number);
      } else {
        keep(own, std::span(&edges[i].first, 1));
      }
    }
  } else if (std::binary_search(destinations_.begin(), destinations_.end(), rank)) {
    deliver(0, rank, 0);
  }
  destinations_.erase(std::unique(destinations_.begin(), destinations_.end()), destinations_.end());
  std::erase(destinations_, rank);
  if (of == contents::same_for_all) keep({0, rank, 0, {}}, destinations_);
}

/// A rank may write to few or to all others: a table of their places that doubles.
router::outgoing& router::letter_to(int to) {
  if (outgoing_index_.size() < 2 * (outgoing_.size() + 1)) {
    outgoing_index_.assign(std::max<std::size_t>(16, 4 * (outgoing_.size() + 1)), 0);
    for (std::size_t i = 0; i < outgoing_.size(); ++i) {
      std::size_t at = static_cast<std::size_t>(outgoing_[i].to) % outgoing_index_.size();
      while (outgoing_index_[at] != 0) at = (at + 1) % outgoing_index_.size();
      outgoing_index_[at] = static_cast<std::uint32_t>(i) + 1;
    }
  }
  std::size_t at = static_cast<std::size_t>(to) % outgoing_index_.size();
  for (; outgoing_index_[at] != 0; at = (at + 1) % outgoing_index_.size()) {
    outgoing& found = outgoing_[outgoing_index_[at] - 1];
    if (found.to == to) return found;
  }
  outgoing_.push_back({to, {}, {}});
  outgoing_index_[at] = static_cast<std::uint32_t>(outgoing_.size());
  return outgoing_.back();
}

void router::pass(const parcel& one, std::span<const int> destinations, int to) {
  if (to == rank_) {
    keep(one, destinations);
  } else if (!destinations.empty()) {
    letter_to(to).parcels.add(one, destinations);
  }
}

void router::share() noexcept {
  if (in_.hands_over) return;  // between nodes blocks travel
  plan_.shared_slots =
      of_ == contents::same_for_all ? 1 : static_cast<std::uint32_t>(in_.most_destinations);
}

void router::tell(int to, std::span<const std::int32_t> words) {
  auto& all = letter_to(to).words;
  all.insert(all.end(), words.begin(), words.end());
}

/// Gives a block a place where the others of the node read it; whether it had none. An own one has
/// that of its slot. What came in a message comes there with all of it, and is not copied.
bool router::lay_out(std::uint32_t slot) {
  if (plan_.place_of(slot) != relay_plan::nowhere) return false;
  if (plan_.places.size() < plan_.slots) plan_.places.resize(plan_.slots, relay_plan::nowhere);
  if (slot < plan_.own_slots) {
    plan_.places[slot] = slot;
    plan_.laid.push_back(slot);
    return true;
  }
  const auto behind = std::upper_bound(
      plan_.receives.begin(), plan_.receives.end(), slot,
      [](std::uint32_t of, const relay_plan::message& each) { return of < each.first; });
  const relay_plan::message& came = *(behind - 1);
  if (came.is_handed_over()) {
    plan_.places[slot] = plan_.places_used++;
    plan_.laid.push_back(slot);
    return true;
  }
  for (std::uint32_t i = 0; i < came.count; ++i) {
    plan_.places[came.first + i] = plan_.places_used++;
  }
  return true;
}

/// What the others of the node are to read after this round.
void router::lay_out_blocks() {
  bool any = false;
  for (const outgoing& each : outgoing_) {
    if (!hands_over_to(each.to)) continue;
    for (std::size_t i = 0; i < each.parcels.size(); ++i) {
      if (lay_out(each.parcels[i].slot)) any = true;
    }
  }
  if (any) ++signals_;
}

std::vector<letter> router::take_letters() {
  if (outgoing_.empty()) return {};
  // Each begins behind itself, so that not all send to the same few first.
  std::sort(outgoing_.begin(), outgoing_.end(), [this](const outgoing& a, const outgoing& b) {
    const bool a_is_behind = a.to > rank_;
    const bool b_is_behind = b.to > rank_;
    return a_is_behind != b_is_behind ? a_is_behind : a.to < b.to;
  });
  if (in_.hands_over) lay_out_blocks();
  std::vector<letter> all;
  all.reserve(outgoing_.size());
  for (const outgoing& each : outgoing_) {
    const bool handed = hands_over_to(each.to);
    letter& out = all.emplace_back();
    out.peer = each.to;
    out.words.reserve(letter::header_words + each.words.size() + 5 * each.parcels.size());
    out.words.push_back(static_cast<std::int32_t>(each.words.size()));
    out.words.push_back(handed ? static_cast<std::int32_t>(signals_) : 0);
    out.words.insert(out.words.end(), each.words.begin(), each.words.end());
    const auto first = static_cast<std::uint32_t>(plan_.slots_sent.size());
    for (std::size_t i = 0; i < each.parcels.size(); ++i) {
      const parcel one = each.parcels[i];
      const std::uint32_t lies_at = handed ? plan_.place_of(one.slot) : one.slot;
      plan_.slots_sent.push_back(one.slot);
      out.words.insert(out.words.end(), {static_cast<std::int32_t>(lies_at), one.origin,
                                         static_cast<std::int32_t>(one.number),
                                         static_cast<std::int32_t>(one.destinations.size())});
      out.words.insert(out.words.end(), one.destinations.begin(), one.destinations.end());
    }
    if (each.parcels.size() > 0) {
      plan_.sends.push_back({each.to, first,
                             static_cast<std::uint32_t>(plan_.slots_sent.size()) - first,
                             handed ? signals_ : 0});
    }
  }
  outgoing_.clear();
  std::fill(outgoing_index_.begin(), outgoing_index_.end(), 0U);
  return all;
}

void router::take_in(std::vector<letter>&& letters) {
  came_ = std::move(letters);
  heard_.clear();
  const std::size_t before = plan_.rounds.empty() ? 0 : plan_.rounds.back().sends_end;
  const std::size_t received = plan_.receives.size();
  for (const letter& each : came_) {
    const std::span<const std::int32_t> words(each.words);
    const auto told_words = static_cast<std::size_t>(words[0]);
    if (told_words > 0)
      heard_.push_back({each.peer, words.subspan(letter::header_words, told_words)});
    take_in_parcels(each.peer, static_cast<std::uint32_t>(words[1]),
                    words.subspan(letter::header_words + told_words));
  }
  if (plan_.sends.size() > before || plan_.receives.size() > received) {
    plan_.rounds.push_back({round_, static_cast<std::uint32_t>(plan_.sends.size()),
                            static_cast<std::uint32_t>(plan_.receives.size()),
                            static_cast<std::uint32_t>(plan_.laid.size()), signals_});
  }
  ++round_;
}

std::vector<letter> router::letters_of_sources(std::span<const letter> edges) const {
  std::vector<letter> all;
  for (const letter& each : edges) {
    if (each.peer == rank_) continue;
    letter& came = all.emplace_back();
    came.peer = each.peer;
    came.words = {0, hands_over_to(each.peer) ? 1 : 0};
    const std::size_t blocks = of_ == contents::same_for_all ? 1 : each.words.size();
    for (std::size_t number = 0; number < blocks; ++number) {
      const std::int32_t slot = of_ == contents::same_for_all ? 0 : each.words[number];
      came.words.insert(came.words.end(),
                        {slot, each.peer, static_cast<std::int32_t>(number), 1, rank_});
    }
  }
  return all;
}

void router::take_in_parcels(int from, std::uint32_t signals, std::span<const std::int32_t> words) {
  if (words.empty()) return;
  const std::uint32_t first = plan_.slots;
  while (!words.empty()) {
    const parcel one{plan_.slots++, words[1], static_cast<std::uint32_t>(words[2]),
                     words.subspan(4, static_cast<std::size_t>(words[3]))};
    if (plan_.shared_slots > 0 || plan_.hands_over) {
      plan_.slots_there.push_back(static_cast<std::uint32_t>(words[0]));
    }
    words = words.subspan(4 + one.destinations.size());
    const auto mine = std::find(one.destinations.begin(), one.destinations.end(), rank_);
    if (mine != one.destinations.end()) deliver(one.slot, one.origin, one.number);
    const auto before = static_cast<std::size_t>(mine - one.destinations.begin());
    keep(one, one.destinations.first(before));
    if (before < one.destinations.size()) keep(one, one.destinations.subspan(before + 1));
  }
  plan_.receives.push_back({from, first, plan_.slots - first, signals});
}

void router::deliver(std::uint32_t slot, int origin, std::uint32_t number) {
  auto at = std::lower_bound(sorted_sources_.begin(), sorted_sources_.end(),
                             std::pair{origin, std::uint32_t{0}});
  if (of_ == contents::one_each) at += std::min<std::ptrdiff_t>(number, sorted_sources_.end() - at);
  const auto end =
      of_ == contents::one_each && at != sorted_sources_.end() ? at + 1 : sorted_sources_.end();
  const std::size_t before = plan_.deliveries.size();
  for (; at != end && at->first == origin; ++at) plan_.deliveries.push_back({slot, at->second});
  if (plan_.deliveries.size() == before) {
    throw error(error_kind::argument,
                fmt::format("rank {}: neighborhood: rank {} names it as a destination, but is not "
                            "among its sources{}; name each edge at both ends",
                            rank_, origin, number > 0 ? " so often" : ""));
  }
}

relay_plan router::finish() {
  if (held_.size() > 0) {
    const parcel left = held_[0];
    throw error(error_kind::fault,
                fmt::format("rank {}: neighborhood: the block of rank {} for rank {} is left here",
                            rank_, left.origin, left.destinations[0]));
  }
  std::vector<bool> has(sorted_sources_.size());
  for (const relay_plan::delivery& each : plan_.deliveries) has[each.source] = true;
  for (const auto& [source, index] : sorted_sources_) {
    if (has[index]) continue;
    throw error(
        error_kind::argument,
        fmt::format("rank {}: neighborhood: rank {} is among its sources, but does not name "
                    "it as a destination{}; name each edge at both ends",
                    rank_, source, of_ == contents::one_each && index > 0 ? " so often" : ""));
  }
  std::sort(plan_.deliveries.begin(), plan_.deliveries.end(),
            [](const relay_plan::delivery& a, const relay_plan::delivery& b) {
              return a.slot != b.slot ? a.slot < b.slot : a.source < b.source;
            });
  return std::move(plan_);
}

}  // namespace upwash::neighborhoods
