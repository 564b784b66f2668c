// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/hang_inquiry.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "upwash/core/active_message.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {
namespace {

/// As long as a launcher gives them.
const duration time_to_answer = duration::from_seconds(2);
/// Within which another rank's question leads to a report, or not at all.
const duration time_to_report = duration::from_seconds(4);

}  // namespace

hang_inquiry* hang_inquiry::at(job& here) noexcept {
  job_state& state = job_access::state(here);
  ++state.inquired;
  return state.inquiry.get();
}

void hang_inquiry::take_question(incoming& from, std::uint32_t number) {
  if (hang_inquiry* const mine = at(from.here())) mine->hear({from.source(), number});
}

void hang_inquiry::take_answer(incoming& from, std::uint32_t number) {
  observe::standing one;
  std::memcpy(static_cast<void*>(&one), from.payload().data(), sizeof one);
  if (hang_inquiry* const mine = at(from.here())) mine->take(one, number);
}

/// Whoever asks again later need not say the same.
void hang_inquiry::take_reported(incoming& from, std::uint64_t state) {
  hang_inquiry* const mine = at(from.here());
  if (mine == nullptr) return;
  mine->reporter_.note_reported(state);
  mine->to_ask_ = false;
}

template <auto Handler, class Value>
void hang_inquiry::send_all(Value value) {
  // As a handler it never waits: this rank may hang for want of credit.
  host(here_).run_as_handler([&] {
    for (int rank = 0; rank < here_.size(); ++rank) {
      if (rank != here_.rank()) send<Handler>(here_, rank, value);
    }
  });
}

void hang_inquiry::hear(asker from) noexcept {
  unanswered_.push_back(from);
  heard_.fetch_add(1, std::memory_order_relaxed);
  if (from.rank == here_.rank()) return;
  heard_at_ = steady_now();
  if (from.rank >= here_.rank() || !now_) return;
  now_.reset();
  to_ask_ = true;  // later, where that one's wait ends before it has reported
}

void hang_inquiry::answer(const observe::standing& mine, std::uint32_t /*question*/) noexcept {
  observe::standing told = mine;
  told.process = getpid();
  for (const asker& each : std::exchange(unanswered_, {})) {
    if (each.rank == here_.rank()) {
      take(told, each.number);
      continue;
    }
    host(here_).run_as_handler([&] {  // as in send_all
      send_medium<&hang_inquiry::take_answer>(here_, each.rank, std::as_bytes(std::span(&told, 1)),
                                              each.number);
    });
  }
}

void hang_inquiry::tell_of_hang() noexcept { to_ask_ = true; }

void hang_inquiry::take(const observe::standing& one, std::uint32_t number) {
  if (!now_ || number != asked_ || one.rank < 0 || one.rank >= here_.size()) return;
  now_->all[static_cast<std::size_t>(one.rank)] = one;
  ++now_->answers;
}

void hang_inquiry::ask_all() {
  now_ = gathering{.asked_at = steady_now(),
                   .answers = 0,
                   .all = std::vector<observe::standing>(static_cast<std::size_t>(here_.size()))};
  for (int rank = 0; rank < here_.size(); ++rank) {
    now_->all[static_cast<std::size_t>(rank)].rank = rank;
  }
  hear({here_.rank(), ++asked_});
  send_all<&hang_inquiry::take_question>(asked_);
}

void hang_inquiry::look() {
  const hang_watch& mine = job_access::state(here_).hang;
  if (!mine.reported) {  // the wait that was told of is over
    to_ask_ = false;
    now_.reset();
  }
  if (to_ask_) {
    if (steady_now() - heard_at_ < time_to_report) return;  // that report covers this wait, too
    to_ask_ = false;
    ask_all();
    return;
  }
  if (!now_) return;
  if (now_->answers < here_.size() && steady_now() - now_->asked_at < time_to_answer) return;
  const auto text = reporter_.report(now_->all, false);
  now_.reset();
  if (!text) return;
  std::fprintf(stderr, "upwash: %s", text->c_str());
  send_all<&hang_inquiry::take_reported>(reporter_.reported());
}

}  // namespace upwash::detail
