// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/repeated_rounds.hpp"

#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"

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

void repeated_rounds::end_of_unit(int rank, std::uint32_t phase, duration at) {
  pace& here = pace_of(rank);
  if (phase != uses_.windows[rank].phase()) return;
  const bool counted = here.units() >= span_;
  if (phase != here.phase()) restart_pace(rank);
  here.see({at, uses_.at_work.busy(rank), std::max(at, uses_.wires.all_left(rank))});
  looked_ += static_cast<int>(here.units() >= span_) - static_cast<int>(counted);
  if (looked_ != ranks() || uses_.windows.steps() < least_steps_) return;
  if (is_steady()) return skip_rounds();
  span_ *= 2;
  looked_ = static_cast<int>(std::count_if(
      paces_.begin(), paces_.end(), [this](const pace& each) { return each.units() >= span_; }));
}

/// While windows fill, rounds do not take what they take later.
void repeated_rounds::restart_pace(int rank) {
  constexpr std::uint32_t transient_units = 1;
  pace_of(rank).restart(uses_.windows[rank].phase(), transient_units);
}

/// Single ranks may take turns in being late; together they keep the pace. Where one hands over
/// faster than a common port takes it, others behind it will be faster once it has ended.
bool repeated_rounds::is_steady() const {
  constexpr double most_apart = 0.01;
  double before = 0;
  double latest = 0;
  for (const pace& each : paces_) {
    before += ps_a_unit(each.before(), each);
    latest += ps_a_unit(each.latest().at, each);
  }
  if (std::abs(latest - before) > most_apart * latest) return false;
  return !uses_.wires.any_contended() ||
         std::all_of(paces_.begin(), paces_.end(), [](const pace& each) {
           return is_near(ps_a_unit(each.latest().port, each), ps_a_unit(each.latest().at, each));
         });
}

void repeated_rounds::skip_rounds() {
  std::uint64_t rounds = UINT64_MAX;
  double mean = 0;
  const std::uint32_t phase = paces_.front().phase();
  for (int rank = 0; rank < ranks(); ++rank) {
    const rank_window& window = uses_.windows[rank];
    // One may have begun since, one is to be left.
    const std::uint64_t left = window.repeated_rounds_left();
    rounds = std::min(rounds, window.phase() == phase && left > 2 ? left - 2 : 0);
    mean += ps_a_unit(pace_of(rank).latest().at, pace_of(rank)) / ranks();
  }
  const std::uint64_t units = rounds / rounds_in_unit_;
  if (units == 0) return;
  // Who is near the mean keeps it in the long run. Messages leave at the pace of their port, which
  // may be slower than that of the rank.
  const auto put_off = [&](double pace) { return times(is_near(pace, mean) ? mean : pace, units); };
  std::vector<duration> by_rank;
  std::vector<duration> by_port;
  for (int rank = 0; rank < ranks(); ++rank) {
    const pace& here = pace_of(rank);
    by_rank.push_back(put_off(ps_a_unit(here.latest().at, here)));
    by_port.push_back(put_off(ps_a_unit(here.latest().port, here)));
    uses_.at_work.pass_over(rank, by_rank.back(),
                            times(ps_a_unit(here.latest().processor, here), units));
    uses_.windows[rank].skip(units * rounds_in_unit_);
    restart_pace(rank);
  }
  span_ = 1;
  looked_ = 0;
  shift(by_rank, by_port);
}

void repeated_rounds::shift(const std::vector<duration>& by_rank,
                            const std::vector<duration>& by_port) {
  const auto of = [&](int rank) { return by_rank[static_cast<std::size_t>(rank)]; };
  for (int rank = 0; rank < ranks(); ++rank) uses_.windows[rank].shift(of(rank));
  uses_.wires.shift(by_port, by_rank);
  uses_.messages.shift(by_rank);
  // What is on its way has left by its sender's port.
  uses_.events.change([&](event& e) {
    if (e.what != happening::arrive) {
      e.at += of(e.rank);
      return;
    }
    const message& m = uses_.messages[messages_under_way::of_subject(e.subject)];
    e.at += by_port[static_cast<std::size_t>(m.from)];
  });
}

}  // namespace upwash::schedule::detail
