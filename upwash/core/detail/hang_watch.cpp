// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/hang_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "upwash/base/signal_text.hpp"
#include "upwash/conduit/standing.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/job.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::detail {
namespace {

std::string pending_of(const job_state& state) {
  std::string all;
  if (state.messages.deferred() != 0) {
    all = fmt::format("{} messages of handlers wait for credit", state.messages.deferred());
  }
  for (const auto& [tag, service] : state.services) {
    const std::string one = service->describe_pending();
    if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

std::uint64_t begun(const job_state& state, std::uint64_t team, observe::series which) {
  std::uint64_t most = 0;
  for (const auto& [tag, service] : state.services) {
    most = std::max(most, service->begun_on(team, which));
  }
  return most;
}

/// The world's counts, those of the team that the rank waits on, and others as far as there is
/// room.
void add_teams(observe::standing& is, const job_state& state) {
  const auto add = [&](const team_state& one) {
    if (is.teams_known == is.teams.size()) return;
    // Those of `finish` are nothing that the program has called.
    const std::uint64_t controls =
        one.id == 0 ? state.called_before_end.value_or(one.control_number) : one.control_number;
    is.teams[is.teams_known++] = {one.id, one.barrier_epoch, controls,
                                  begun(state, one.id, observe::series::collectives),
                                  begun(state, one.id, observe::series::epochs)};
  };
  const auto& teams = state.teams->all();
  if (const auto mine = teams.find(is.team); mine != teams.end()) {
    const team_state& one = *mine->second;
    add(one);
    is.members_known = one.here.size() <= observe::standing::most_named_members;
    for (int m = 0; is.members_known && m < one.map().size(); ++m)
      is.add_member(one.map().world_rank(m));
  }
  for (const auto& [id, one] : teams) {
    if (id != is.team) add(*one);
  }
}

}  // namespace

observe::standing standing_of(const job& here) {
  const job_state& state = job_access::state(here);
  static constexpr conduit::wait_reason polls{.operation = "a loop over progress"};
  conduit::wait_reason why = state.waiting.reason();
  std::int64_t since = state.waiting.since_ps.load(std::memory_order_relaxed);
  const bool polling = why.operation == nullptr && state.hang.polling_since_ps != 0;
  if (polling) {
    why = polls;
    since = state.hang.polling_since_ps;
  }
  observe::standing is;
  is.rank = here.rank();
  is.done = here.counters();
  if (why.operation == nullptr) return is;
  is = conduit::standing_of(here.rank(), why);
  is.done = here.counters();
  is.waited_ps = since == 0 ? 0 : steady_now().ps() - since;
  is.pending = pending_of(state);
  add_teams(is, state);
  return is;
}

void tell_of_wait(job& here, duration waited) {
  hang_watch& hang = job_access::state(here).hang;
  const duration limit = here.options().hang_report;
  const bool too_long = limit > duration() && waited > limit && !hang.reported;
  if (hang.board == nullptr) {
    if (!too_long) return;
    hang.reported = true;
    const observe::standing mine = standing_of(here);
    const std::string text = observe::hang_report(
        fmt::format("upwash: rank {} of {} waits in {} for {:.1f} s", here.rank(), here.size(),
                    mine.operation.view(), waited.seconds()),
        std::span(&mine, 1));
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    return;
  }
  if (hang.asked()) {
    hang.answered = hang.board->question().load();
    hang.board->answer(standing_of(here), hang.answered);
  }
  if (too_long) {
    hang.reported = true;
    hang.board->tell_of_hang();
  }
  hang.board->look();
}

std::size_t describe_wait(const void* job_address, char* text, std::size_t size) {
  const auto& here = *static_cast<const job*>(job_address);
  const job_state& state = job_access::state(here);
  const conduit::wait_reason why = state.waiting.reason();
  signal_text line(std::span(text, size));
  line << "upwash: rank " << here.rank() << " of " << here.size();
  if (why.operation == nullptr) {
    line << " computes; " << state.messages.deferred() << " deferred";
    return line.view().size();
  }
  const std::int64_t since = state.waiting.since_ps.load(std::memory_order_relaxed);
  const std::int64_t tenths = since == 0 ? 0 : (steady_now().ps() - since) / 100'000'000'000;
  line << " waits in " << why.operation;
  if (why.site.line != 0) line << " at " << why.site.name() << ":" << why.site.line;
  line << " (";
  if (why.peer >= 0) line << "peer " << why.peer << ", ";
  if (why.tag >= 0) line << "tag " << why.tag << ", ";
  (line << why.bytes << " bytes, team ").hex(why.team)
      << ", number " << why.number << ") for " << tenths / 10 << "." << tenths % 10 << " s; "
      << state.messages.deferred() << " deferred";
  return line.view().size();
}

}  // namespace upwash::detail
