// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

template <std::size_t Room>
void set_text(std::array<char, Room>& room, std::string_view text) noexcept {
  std::copy_n(text.data(), std::min(text.size(), Room - 1), room.data());
}

void compare(const stream_identity& own, const stream_identity& others) {
  if (own.agrees(others)) return;
  throw error(
      error_kind::argument,
      fmt::format("rank {}: stream {} of team {:#x}: {}, but {}; open the streams of a team "
                  "in the same order at all members",
                  own.world_rank, own.name.number, own.name.team, own.text(), others.text()));
}

}  // namespace

void stream_identity::set_texts(std::string_view item_type, std::string_view stream_label,
                                const call_site& opened_at) noexcept {
  set_text(item, item_type);
  set_text(label, stream_label);
  fmt::format_to_n(site.data(), site.size() - 1, "{}:{}", opened_at.name(), opened_at.line);
}

std::string stream_identity::text() const {
  return fmt::format(
      "member {} (rank {}) has opened a stream of {}{} at {}", member, world_rank, item.data(),
      label[0] == '\0' ? std::string() : fmt::format(" labelled {}", label.data()), site.data());
}

void stream_identities::opened(const stream_identity& own) {
  own_.insert_or_assign(own.name, own);
  const auto [first, last] = early_.equal_range(own.name);
  for (auto at = first; at != last; ++at) compare(own, at->second);
  early_.erase(first, last);
}

void stream_identities::told(const stream_identity& others) {
  const auto found = own_.find(others.name);
  if (found != own_.end()) return compare(found->second, others);
  early_.emplace(others.name, others);
}

void stream_identities::forget(std::uint64_t team) {
  const auto of_team = [team](const auto& each) { return each.first.team == team; };
  std::erase_if(own_, of_team);
  std::erase_if(early_, of_team);
}

void handle_identity(incoming& in) {
  stream_identity others;
  std::memcpy(static_cast<void*>(&others), in.payload().data(), sizeof others);
  job& here = in.here();
  try {
    here.service<service>().identities().told(others);
  } catch (const error&) {
    host(here).fail(std::current_exception());  // not the handler's own fault
  }
}

}  // namespace upwash::streaming
