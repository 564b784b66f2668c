// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that the simulated network carries out. The network says when; what they compute is
// done here, in the order of the members, so that it depends on no time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "upwash/conduit/network_collective.hpp"
#include "upwash/conduit/sim/detail/simulation.hpp"

namespace upwash::conduit::sim {

/// Memory: of a collective under way what its members gave, and the result; of each team that had
/// one 4 bytes a rank, to the end of the world.
class switch_collectives {
 public:
  explicit switch_collectives(simulation& in);

  [[nodiscard]] injection join(int rank, const network_collective& part, completion* when);

  /// Tells the parts that are over, by the rank's processor; how many.
  int tell(int rank);

 private:
  struct meeting;
  /// A member in a collective: what the network will tell of.
  struct member : parcel {
    switch_collectives* home = nullptr;
    meeting* in = nullptr;
    int rank = 0;
    completion* when = nullptr;
    std::span<std::byte> into;
    std::vector<std::byte> gave;
    bool gets = false;
  };
  /// Team, run, step and kind.
  using name = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, network_collective::kind>;
  struct meeting {
    name key;
    simulator::carrier::part part;
    std::map<int, member> members;  ///< by place in the team; those that have joined
    int all = 0;
    int over = 0;
    std::vector<std::byte> result;
    std::vector<std::uint32_t> known;  ///< by its members, in runs that look for conflicts
  };

  [[nodiscard]] meeting& find(int rank, const network_collective& part);
  [[nodiscard]] int group_of(const network_collective& part);
  static void combine(meeting& all, const network_collective& part);
  static void set_off(void* member_, std::uint64_t);
  static void came(parcel& self, duration at);
  static void finish(void* member_, std::uint64_t);

  simulation& in_;
  std::map<std::uint64_t, int> groups_;  ///< of teams
  std::map<name, std::unique_ptr<meeting>> meetings_;
  std::uint32_t numbers_ = 0;
  std::vector<std::vector<completion*>> told_;  ///< by rank
};

}  // namespace upwash::conduit::sim
