// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The reason of a wait, which every wait of the library states.
#pragma once

#include <cstdint>

#include "upwash/base/call_site.hpp"
#include "upwash/observe/series.hpp"

namespace upwash {

/// The reason of a wait, for the stall report, the hand-over of a core and the simulator.
/// `operation` is a literal.
struct wait_reason {
  const char* operation = "wait";
  int peer = -1;  ///< world rank, or -1
  int tag = -1;   ///< of a tagged message, or -1
  std::uint64_t bytes = 0;
  std::uint64_t team = 0;
  std::uint64_t number = 0;  ///< of the operation on its team
  /// `team` names a team even if it is 0, nothing is counted and there is no tag.
  bool on_team = false;
  observe::series counted = observe::series::none;  ///< series of `number`
  call_site site{};                                 ///< of the waiting call, if known
};

}  // namespace upwash
