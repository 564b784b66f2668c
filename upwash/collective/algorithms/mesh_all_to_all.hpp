// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of m bytes for each rank. Idea: in phase k a rank of a grid sends
// to each rank of its line of dimension k, in one message, all it holds for that one's share of the
// destinations; the ranks below holes stand in for them. Cost: in three dimensions 3(cbrt P - 1)
// messages of cbrt(P)^2 m bytes and 3 P m bytes copied, for P-1 messages of m bytes; in one the
// direct exchange. Restrictions: not in place. Source: Kumar 2005, 3.1.2 and equation 3.6.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/mesh_exchange.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class mesh_all_to_all : public detail::mesh_exchange {
 public:
  struct parameters {
    int dimensions = 3;  ///< 1 to 4; of small teams fewer (grid::near_cube)
    /// What goes into a message is copied by one step, as if it lay together: for the time that a
    /// large team takes, not to be run.
    bool whole_messages = false;
  };

  /// Input and output hold `bytes` for, and from, each rank in order.
  mesh_all_to_all(int ranks, int rank, std::uint64_t bytes, parameters chosen);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept;
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept;
  [[nodiscard]] bool alike() const noexcept { return turn_.on().full(); }
  [[nodiscard]] std::uint32_t rank_class() const noexcept { return turn_.rank_class(); }

 private:
  enum class part : std::uint8_t { pack, receive, receive_for_hole, send, unpack, end };

  bool pack(schedule::step& out, schedule::tape& on);
  bool pack_whole(schedule::step& out, schedule::tape& on);
  bool send(schedule::step& out, schedule::tape& on);
  bool receive(schedule::step& out, schedule::tape& on, bool for_hole);
  bool unpack(schedule::step& out, schedule::tape& on);
  bool unpack_whole(schedule::step& out, schedule::tape& on);
  void next_turn();

  [[nodiscard]] schedule::piece run() const noexcept;
  /// Only on a full grid: what comes in the last phase is one piece of the output.
  [[nodiscard]] bool lands_in_output() const noexcept;
  /// Of a bundle that comes in this phase, at most.
  [[nodiscard]] std::uint64_t bundle_bytes() const noexcept;

  std::uint64_t bytes_;
  bool whole_;
  part part_ = part::pack;
  /// Scratch: the bundles of each phase one behind the other, then the messages to be sent.
  std::uint64_t held_at_ = 0;     ///< bundles that came in the phase before
  std::uint64_t held_bytes_ = 0;  ///< room of each
  std::uint64_t into_at_ = 0;     ///< bundles of this phase
  std::uint64_t messages_at_ = 0;
  std::uint64_t message_at_ = 0;     ///< this turn's
  std::uint64_t message_bytes_ = 0;  ///< packed so far
};

}  // namespace upwash::collective
