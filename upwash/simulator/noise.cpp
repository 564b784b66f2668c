// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/noise.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/random.hpp"

namespace upwash::simulator {

duration noise::done(int node, duration start, duration cost) const noexcept {
  if (period == duration() || cost == duration()) return start + cost;
  const std::int64_t whole = period.ps();
  random_stream random(seed, together ? 0 : static_cast<std::uint64_t>(node) + 1);
  const auto phase = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(whole)));
  // From the beginning of the daemons' period that `start` is in.
  std::int64_t position = (start.ps() % whole + whole - phase) % whole;
  const std::int64_t begin = start.ps() - position;
  position = position > length.ps() ? position - length.ps() : 0;  // work done in it so far
  const std::int64_t free = whole - length.ps();
  const std::int64_t work = position + cost.ps();
  const std::int64_t periods = (work - 1) / free;
  return duration::from_ps(begin + periods * whole + length.ps() + work - periods * free);
}

void check(const noise& what) {
  if (what.period < duration() || what.length < duration() ||
      (what.period > duration() && what.length >= what.period)) {
    throw error(error_kind::argument,
                fmt::format("noise: daemons of {} us in every {} us leave no time to work; the "
                            "period must be longer",
                            what.length.us(), what.period.us()));
  }
}

noise parse_noise(std::string_view text, std::string_view where, std::uint64_t seed) {
  noise daemons;
  daemons.seed = seed;
  if (text.empty()) return daemons;
  constexpr std::string_view at_once = ",together";
  std::string_view rest = text;
  daemons.together = rest.ends_with(at_once);
  if (daemons.together) rest.remove_suffix(at_once.size());
  const std::size_t comma = rest.find(',');
  if (comma == std::string_view::npos || rest.find(',', comma + 1) != std::string_view::npos) {
    throw error(error_kind::argument,
                fmt::format("{} {}: expected period,length or period,length,together as in "
                            "10ms,250us",
                            where, text));
  }
  daemons.period = parse_duration(rest.substr(0, comma), fmt::format("{}, period", where));
  daemons.length = parse_duration(rest.substr(comma + 1), fmt::format("{}, length", where));
  check(daemons);
  return daemons;
}

}  // namespace upwash::simulator
