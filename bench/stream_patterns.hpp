// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communication patterns by which the papers measure streams (Kumar 2005, 5.8 and 5.10;
// Narayanan 2020, 5.1 to 5.3). Each is collective, moves items of raw bytes, checks that all of
// them came, and returns the time of the slowest member until the last one had come.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bench/stream_items.hpp"
#include "upwash/core/host.hpp"

namespace upwash::bench {

using raw_item = std::span<const std::byte>;

/// How many items of how many bytes go to each partner.
struct item_load {
  std::uint64_t count = 0;
  std::size_t bytes = 8;
};

/// Partners of a member: the one half a team away; the next; all others, from the next on.
[[nodiscard]] inline std::vector<int> facing(const team& among) {
  return {(among.rank() + among.size() / 2) % among.size()};
}
[[nodiscard]] inline std::vector<int> behind(const team& among) {
  return {(among.rank() + 1) % among.size()};
}
[[nodiscard]] inline std::vector<int> all_others(const team& among) {
  std::vector<int> all;
  for (int i = 1; i < among.size(); ++i) all.push_back((among.rank() + i) % among.size());
  return all;
}

/// The 26 neighbours in a cube of members that closes: with so many the cells of LeanMD speak at
/// least (Narayanan 2020, 5.5). Throws `error` (argument) for a team that is no cube of 3 or more.
[[nodiscard]] inline std::vector<int> cube_neighbours(const team& among) {
  int side = 1;
  while (side * side * side < among.size()) ++side;
  if (side < 3 || side * side * side != among.size()) {
    throw error(error_kind::argument, "neighbours in a cube of " + std::to_string(among.size()) +
                                          " ranks; 27, 64, 125 or another cube");
  }
  const int me = among.rank();
  const std::array<int, 3> at{me % side, me / side % side, me / (side * side)};
  std::vector<int> all;
  for (int i = 0; i < 27; ++i) {
    const std::array<int, 3> step{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    int to = 0;
    for (std::size_t d = 3; d-- > 0;) to = to * side + (at[d] + step[d] + side) % side;
    if (to != me) all.push_back(to);
  }
  return all;
}

/// With buffers of 20 kB that are sent at half, an effective buffer of 10 kB (Narayanan 2020, 5.2);
/// larger items than that go alone.
[[nodiscard]] inline stream_options paper_buffers(stream_options with) {
  with.buffer_bytes = 20'000;
  with.threshold = 0.5;
  with.cutoff = 0.5;
  return with;
}

/// The longest of the members' times. Collective.
[[nodiscard]] inline duration slowest(const team& among, duration mine) {
  std::array<std::uint64_t, 1> most{static_cast<std::uint64_t>(mine.ps())};
  control::all_reduce(among, most, control::fold::most);
  return duration::from_ps(static_cast<std::int64_t>(most[0]));
}

inline void wait_for(job& here, const std::uint64_t& counter, std::uint64_t value) {
  host(here).wait(conduit::wait_target::word(counter, conduit::comparison::greater_equal, value),
                  {.operation = "stream pattern"});
}

/// Throws `error` (fault) when a member got another number of items than it should.
inline void check_came(const team& among, std::uint64_t arrived, std::uint64_t expected) {
  if (arrived == expected) return;
  throw error(error_kind::fault, "rank " + std::to_string(among.here().rank()) + ": " +
                                     std::to_string(arrived) + " items came, " +
                                     std::to_string(expected) + " expected");
}

/// Every member pushes its items to its partners in turn, and waits for as many: a partner of
/// somebody has as many partners itself.
[[nodiscard]] inline duration one_way_time(const team& among, const item_setting& how,
                                           const std::vector<int>& partners, item_load load) {
  std::uint64_t arrived = 0;
  const std::vector<std::byte> item(load.bytes);
  duration spent;
  with_items<raw_item>(
      among, how, [&arrived](const raw_item& /*item*/) { ++arrived; },
      [&](auto& items) {
        control::barrier(among);
        const duration start = among.here().now();
        for (std::uint64_t i = 0; i < load.count; ++i) {
          for (const int to : partners) items.push(to, item);
        }
        items.flush();
        wait_for(among.here(), arrived, load.count * partners.size());
        spent = slowest(among, among.here().now() - start);
        items.finish();
        check_came(among, arrived, load.count * partners.size());
      });
  return spent;
}

/// As above in phases, each ended by the stream's finish; the time of one, of the last half: what
/// sets itself has learned by then.
[[nodiscard]] inline duration phase_time(const team& among, const item_setting& how,
                                         const std::vector<int>& partners, item_load load) {
  constexpr int phases = 8;
  const std::vector<std::byte> item(load.bytes);
  std::uint64_t arrived = 0;
  duration began;
  duration spent;
  with_items<raw_item>(
      among, how, [&arrived](const raw_item& /*item*/) { ++arrived; },
      [&](auto& items) {
        for (int phase = 0; phase < phases; ++phase) {
          if (phase == phases / 2) began = among.here().now();
          for (std::uint64_t i = 0; i < load.count; ++i) {
            for (const int to : partners) items.push(to, item);
          }
          items.finish();
        }
        spent = slowest(among, among.here().now() - began);
        check_came(among, arrived, phases * load.count * partners.size());
      });
  return duration::from_ps(spent.ps() / (phases / 2));
}

/// What a member of the acknowledged pattern knows; messages name its address.
struct acknowledged_state {
  static constexpr std::uint64_t batch = 100;  ///< items that one acknowledgement stands for
  std::vector<std::uint64_t> from;             ///< items that came, by source
  std::uint64_t arrived = 0;
  std::uint64_t acknowledged = 0;  ///< own items
};
struct acknowledged_address {
  acknowledged_state* at;
};
inline void acknowledge(incoming& /*in*/, acknowledged_address to) {
  to.at->acknowledged += acknowledged_state::batch;
}

/// As above, but a member goes on with 100 items to each partner only when all of the last have
/// been acknowledged: by one message for each 100 items of a source. Items are 4 bytes at least:
/// they name their source. `load.count` is a multiple of 100.
[[nodiscard]] inline duration acknowledged_time(const team& among, const item_setting& how,
                                                const std::vector<int>& partners, item_load load) {
  acknowledged_state mine;
  mine.from.resize(static_cast<std::size_t>(among.size()));
  std::vector<acknowledged_address> all(mine.from.size());
  control::all_gather_values(among, acknowledged_address{&mine}, std::span(all));
  std::vector<std::byte> item(std::max(load.bytes, sizeof(std::uint32_t)));
  const auto me = static_cast<std::uint32_t>(among.rank());
  std::memcpy(item.data(), &me, sizeof me);
  const auto take = [&](const raw_item& came) {
    std::uint32_t source = 0;
    std::memcpy(&source, came.data(), sizeof source);
    ++mine.arrived;
    if (++mine.from[source] % acknowledged_state::batch != 0) return;
    send<&acknowledge>(among.here(), among.world_rank(static_cast<int>(source)), all[source]);
  };
  duration spent;
  with_items<raw_item>(among, how, take, [&](auto& items) {
    control::barrier(among);
    const duration start = among.here().now();
    for (std::uint64_t done = 0; done < load.count; done += acknowledged_state::batch) {
      for (std::uint64_t i = 0; i < acknowledged_state::batch; ++i) {
        for (const int to : partners) items.push(to, item);
      }
      wait_for(among.here(), mine.acknowledged,
               (done + acknowledged_state::batch) * partners.size());
    }
    wait_for(among.here(), mine.arrived, load.count * partners.size());
    spent = slowest(among, among.here().now() - start);
    items.finish();
    check_came(among, mine.arrived, load.count * partners.size());
  });
  return spent;
}

}  // namespace upwash::bench
