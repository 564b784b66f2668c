// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that nobody received: when their team is released, and at the end of a checked run.
#include <fmt/format.h>

#include "upwash/base/error.hpp"
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

/// As if it had been kept, and dropped with its team.
void messenger::drop_late(int sender_rank, const label& with, std::size_t bytes, bool eager) {
  if (eager) return_room(sender_rank, bytes);
  if (with.sender != 0) tell_sender(sender_rank, with.sender);
}

void messenger::on_team_free(const team& going) { forget(going.id(), here_.options().checked); }

/// What came for the team and was not received goes, and its senders' room is returned. The number
/// of its context is free again, but while receives are posted on it: they may still be taken back.
/// A recording names contexts by their numbers, and so does a profile: then none is used again.
void messenger::forget(std::uint64_t team, bool complains) {
  contexts_.leave(team);
  for (const std::uint32_t context : contexts_.of_team(team)) {
    const envelope all{context, any_source, any_tag, 0};
    if (complains) complain_of(all, "when its team was released");
    drop_kept(all);
    for (const std::uint32_t kind : contexts_.take_kept_kinds(context)) {
      drop_kept({context, any_source, any_tag, kind});
    }
    listed_.forget(context);
    if (listed_.inquires_in(context) || posted_->find(all) != nullptr) continue;
    contexts_.give_back(team, context, options_.trace.empty() && options_.profile.empty());
  }
}

void messenger::drop_early() {
  for (const std::uint64_t team : contexts_.take_vain()) forget(team, false);
}

void messenger::check() const {
  for (std::uint32_t c = 0; c < contexts_.end(); ++c) {
    complain_of({c, any_source, any_tag, 0}, "before the job ended");
  }
}

}  // namespace upwash::matching::detail
