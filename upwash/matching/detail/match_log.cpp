// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/detail/match_log.hpp"

#include <fmt/format.h>

namespace upwash::matching::detail {
namespace {

using observe::trace_kind;

struct wording {
  trace_kind kind = trace_kind::tagged;
  const char* text = "";
  const char* of_edges = "";  ///< the same of a collective's
};

wording wording_of(trace_event::kind what) noexcept {
  switch (what) {
    case trace_event::kind::arrival:
      return {trace_kind::tagged, "tagged message", "tagged message of a collective"};
    case trace_event::kind::claim: return {trace_kind::receive, "claim", "claim"};
    default: return {trace_kind::receive, "receive", "receive of a collective"};
  }
}

}  // namespace

match_log::match_log(job& here, const std::string& recording, observe::trace_writer* trace)
    : here_(here), trace_(trace) {
  if (recording.empty()) return;
  recorder_ = std::make_unique<recorder>(fmt::format("{}.{}", recording, here.rank()), here.rank(),
                                         here.size());
}

std::uint64_t match_log::add(trace_event::kind what, const envelope& with, std::size_t bytes,
                             int team_size, int peer, const depths& before) {
  if (trace_ != nullptr && what != trace_event::kind::probe) {
    write_depths(before);
    write(what, with, bytes, peer);
  }
  return recorder_ ? recorder_->add(what, now_ns(), with, bytes, team_size) : 0;
}

void match_log::moved(const envelope& with, std::size_t bytes) {
  if (recorder_) recorder_->add(trace_event::kind::arrival, now_ns(), with, bytes, 0);
}

void match_log::cancel(std::uint64_t post, const depths& before) {
  if (trace_ != nullptr) write_depths(before);
  if (recorder_) recorder_->cancel(now_ns(), post);
}

void match_log::last(const depths& now) {
  if (trace_ != nullptr) write_depths(now);
}

/// Only where they are others than before.
void match_log::write_depths(const depths& now) {
  if (now == written_) return;
  written_ = now;
  trace_->next() = {.begin_ps = here_.now().ps(),
                    .bytes = now.posted,
                    .number = static_cast<std::uint32_t>(now.unexpected),
                    .name = trace_->name("queues of tagged messages", nullptr, {}),
                    .kind = trace_kind::queues};
}

void match_log::write(trace_event::kind what, const envelope& with, std::size_t bytes, int peer) {
  const wording says = wording_of(what);
  trace_->next() = {.begin_ps = here_.now().ps(),
                    .bytes = bytes,
                    .peer = peer,
                    .number = static_cast<std::uint32_t>(with.tag),
                    .name = trace_->name(with.kind == 0 ? says.text : says.of_edges, nullptr, {}),
                    .kind = says.kind};
}

}  // namespace upwash::matching::detail
