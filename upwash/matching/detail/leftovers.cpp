// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that nobody received: when their team is released, and at the end of a checked run.
#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/core/teams.hpp"
#include "upwash/matching/detail/messenger.hpp"

namespace upwash::matching::detail {

/// Throws when a message of the context was kept.
void messenger::complain_of(const envelope& of_context, const char* when) const {
  const entry* e = unexpected_->find(of_context);
  if (e == nullptr) return;
  throw error(error_kind::fault,
              fmt::format("rank {}: a message of {} bytes with tag {} from member {} was not "
                          "received {} ({} messages are kept); receive it, or claim and drop it",
                          here_.rank(), static_cast<const unexpected_message*>(e)->size,
                          e->what.tag, e->what.source, when, unexpected_->size()));
}

void messenger::drop_kept(const envelope& of_context) {
  while (entry* e = unexpected_->take(of_context)) drop(*static_cast<unexpected_message*>(e));
}

bool messenger::is_late(const label& with) const {
  const context_table& table = contexts_[with.kind == 0 ? 0 : 1];
  if (with.team == table.last_team || table.numbers.contains(with.team)) return false;
  const bool goes = std::find(going_.begin(), going_.end(), with.team) != going_.end();
  return goes || !team_exists(here_, with.team);
}

/// As if it had been kept, and dropped with its team.
void messenger::drop_late(int sender_rank, const label& with, std::size_t bytes, bool eager) {
  if (eager) return_room(sender_rank, bytes);
  if (with.sender != 0) tell_sender(sender_rank, with.sender);
}

/// What came for the team and was not received goes, and its senders' room is returned. The number
/// of its context is free again, but while receives are posted on it: they may still be taken back.
/// A recording names contexts by their numbers, and so does a profile: then none is used again.
void messenger::on_team_free(const team& going) {
  std::erase_if(going_, [this](std::uint64_t id) { return !team_exists(here_, id); });
  going_.push_back(going.id());
  for (context_table& table : contexts_) {
    const auto found = table.numbers.find(going.id());
    if (found == table.numbers.end()) continue;
    const envelope all{found->second, any_source, any_tag, 0};
    if (here_.options().checked) complain_of(all, "when its team was released");
    drop_kept(all);
    for (auto at = kept_kinds_.lower_bound({all.context, 0});
         at != kept_kinds_.end() && at->first == all.context; at = kept_kinds_.erase(at)) {
      drop_kept({all.context, any_source, any_tag, at->second});
    }
    std::erase_if(previews_, [&](const preview& p) { return p.wanted.context == all.context; });
    const bool asked = std::any_of(inquiries_.begin(), inquiries_.end(), [&](const inquiry& each) {
      return each.wanted.context == all.context;
    });
    if (asked || posted_->find(all) != nullptr) continue;
    if (all.context < hints_.size()) hints_[all.context] = {};
    if (!recorder_ && options_.profile.empty()) free_contexts_.push_back(all.context);
    if (table.last_team == going.id()) table.last_team = ~std::uint64_t{0};
    table.numbers.erase(found);
  }
}

void messenger::check() const {
  for (std::uint32_t c = 0; c < next_context_; ++c) {
    complain_of({c, any_source, any_tag, 0}, "before the job ended");
  }
}

}  // namespace upwash::matching::detail
