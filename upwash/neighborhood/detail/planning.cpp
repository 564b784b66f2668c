// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What members tell each other while a neighborhood is made and planned.
#include <algorithm>
#include <cstring>
#include <optional>

#include "upwash/collective/many_to_many.hpp"
#include "upwash/neighborhood/detail/mailboxes.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"

namespace upwash::neighborhoods::detail {
namespace {

using letters = std::vector<letter>;

void take_letter(int source, std::span<const std::byte> bytes, void* into) {
  letter& came = static_cast<letters*>(into)->emplace_back();
  came.peer = source;
  came.words.resize(bytes.size() / sizeof(std::int32_t));
  if (!bytes.empty()) std::memcpy(came.words.data(), bytes.data(), bytes.size());
}

}  // namespace

std::vector<letter> exchange_letters(const team& among, std::vector<letter>&& going) {
  letters came;
  std::vector<std::int32_t> words;
  std::vector<std::uint64_t> destinations;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> offsets;
  for (letter& each : going) {
    if (each.peer == among.rank()) {  // does not travel
      came.push_back(std::move(each));
      continue;
    }
    destinations.push_back(static_cast<std::uint64_t>(each.peer));
    bytes.push_back(each.words.size() * sizeof(std::int32_t));
    offsets.push_back(words.size() * sizeof(std::int32_t));
    words.insert(words.end(), each.words.begin(), each.words.end());
  }
  many_to_many(among, blocking, std::as_bytes(std::span(words)), {destinations, bytes, offsets},
               {&take_letter, &came});
  std::sort(came.begin(), came.end(),
            [](const letter& a, const letter& b) { return a.peer < b.peer; });
  return came;
}

relay_plan plan_together(const team& among, router& at, routing goes, agree_by by) {
  std::optional<mailboxes> boxes;
  if (by == agree_by::puts) boxes.emplace(among);
  while (goes.resume()) {
    std::vector<letter> going = at.take_letters();
    at.take_in(boxes ? boxes->exchange(std::move(going))
                     : exchange_letters(among, std::move(going)));
  }
  if (boxes) boxes->close();
  return at.finish();
}

relay_plan plan_straight(router& at, routing goes, std::span<const letter> edges_here) {
  while (goes.resume()) {
    static_cast<void>(at.take_letters());
    at.take_in(at.letters_of_sources(edges_here));
  }
  relay_plan made = at.finish();
  made.straight = true;
  return made;
}

}  // namespace upwash::neighborhoods::detail
