// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rounds that repeat: once all ranks together take as long for some rounds as for as many before,
// the rest is passed over. All that is under way is put off by what the rest takes.
#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"
#include "upwash/schedule/detail/price/event_run.hpp"

namespace upwash::schedule::detail {
namespace {

duration times(double ps_a_unit, std::uint64_t units) {
  const double all = ps_a_unit * static_cast<double>(units);
  if (all > static_cast<double>(duration::max().ps()) / 4) {
    throw error(error_kind::argument, "price: takes longer than 26 days");
  }
  return duration::from_ps(std::llround(all));
}

bool is_near(double pace, double mean) {
  constexpr double near = 0.1;
  return std::abs(pace - mean) <= near * mean;
}

double ps_a_unit(duration span, const pace& of) {
  return static_cast<double>(span.ps()) / of.units();
}

}  // namespace

void event_run::end_of_unit(int rank, std::uint32_t phase, duration at) {
  rank_state& r = state(rank);
  if (phase != r.window.phase()) return;
  const bool counted = r.at_pace.units() >= span_;
  if (phase != r.at_pace.phase()) restart_pace(r);
  r.at_pace.see({at, r.processor_busy, std::max(at, ports_.all_left(rank))});
  looked_ += static_cast<int>(r.at_pace.units() >= span_) - static_cast<int>(counted);
  if (looked_ != plan_.walked || steps_ < options_.steps_before_skipping) return;
  if (is_steady()) return skip_rounds();
  span_ *= 2;
  looked_ =
      static_cast<int>(std::count_if(ranks_.begin(), ranks_.end(), [this](const rank_state& each) {
        return each.at_pace.units() >= span_;
      }));
}

/// While windows fill, rounds do not take what they take later.
void event_run::restart_pace(rank_state& r) const {
  constexpr std::uint32_t transient_units = 1;
  r.at_pace.restart(r.window.phase(), transient_units);
}

/// Single ranks may take turns in being late; together they keep the pace. Where one hands over
/// faster than a common port takes it, others behind it will be faster once it has ended.
bool event_run::is_steady() const {
  constexpr double most_apart = 0.01;
  double before = 0;
  double latest = 0;
  for (const rank_state& r : ranks_) {
    before += ps_a_unit(r.at_pace.before(), r.at_pace);
    latest += ps_a_unit(r.at_pace.latest().at, r.at_pace);
  }
  if (std::abs(latest - before) > most_apart * latest) return false;
  return !ports_.any_contended() ||
         std::all_of(ranks_.begin(), ranks_.end(), [](const rank_state& r) {
           const double own = ps_a_unit(r.at_pace.latest().at, r.at_pace);
           return is_near(ps_a_unit(r.at_pace.latest().port, r.at_pace), own);
         });
}

void event_run::skip_rounds() {
  std::uint64_t rounds = UINT64_MAX;
  double mean = 0;
  const std::uint32_t phase = ranks_.front().at_pace.phase();
  for (const rank_state& r : ranks_) {
    // One may have begun since, one is to be left.
    const std::uint64_t left = r.window.repeated_rounds_left();
    rounds = std::min(rounds, r.window.phase() == phase && left > 2 ? left - 2 : 0);
    mean += ps_a_unit(r.at_pace.latest().at, r.at_pace) / plan_.walked;
  }
  const std::uint64_t units = rounds / plan_.rounds_in_unit;
  if (units == 0) return;
  // Who is near the mean keeps it in the long run. Messages leave at the pace of their port, which
  // may be slower than that of the rank.
  const auto put_off = [&](double pace) { return times(is_near(pace, mean) ? mean : pace, units); };
  std::vector<duration> by_rank;
  std::vector<duration> by_port;
  for (rank_state& r : ranks_) {
    by_rank.push_back(put_off(ps_a_unit(r.at_pace.latest().at, r.at_pace)));
    by_port.push_back(put_off(ps_a_unit(r.at_pace.latest().port, r.at_pace)));
    r.processor_busy += times(ps_a_unit(r.at_pace.latest().processor, r.at_pace), units);
    r.window.skip(units * plan_.rounds_in_unit);
    restart_pace(r);
  }
  span_ = 1;
  looked_ = 0;
  shift(by_rank, by_port);
}

void event_run::shift(const std::vector<duration>& by_rank, const std::vector<duration>& by_port) {
  const auto of = [&](int rank) { return by_rank[static_cast<std::size_t>(rank)]; };
  for (int rank = 0; rank < plan_.walked; ++rank) {
    state(rank).window.shift(of(rank));
    state(rank).processor_free += of(rank);
  }
  ports_.shift(by_port, by_rank);
  for (message& m : messages_) m.arrived += of(m.to);
  // What is on its way has left by its sender's port.
  events_.change([&](event& e) {
    e.at += e.what != happening::arrive
                ? of(e.rank)
                : by_port[static_cast<std::size_t>(messages_[message_of(e)].from)];
  });
}

}  // namespace upwash::schedule::detail
