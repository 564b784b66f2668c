// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block for each rank, all of different lengths. Idea: as mesh_all_to_all.
// Those in between do not know the lengths, so a message tells in its header where its blocks end.
// One longer than `inline_bytes` sends its data behind, once the receiver has made room. Cost: as
// mesh_all_to_all, a second message for each long one, and 8 bytes a block, but for the last phase,
// where both ends know the lengths. Restrictions: not in place. Source: Kumar 2005, 3.1.2.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/mesh_exchange.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Takes four arrays with a word a rank, of bytes: given(0): lengths of the blocks for each rank,
/// given(1): their offsets in the input, given(2): lengths of those from each rank, given(3): their
/// offsets in the output. `next` throws `error`: argument, without them; fault, where it sees that
/// a pair's ends do not agree on the length.
class mesh_all_to_all_v : public detail::mesh_exchange {
 public:
  struct parameters {
    int dimensions = 3;  ///< 1 to 4; of small teams fewer (grid::near_cube)
    std::uint32_t inline_bytes = 4096;
  };

  mesh_all_to_all_v(int ranks, int rank, parameters chosen);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return room_at_; }
  /// Where the lengths are alike; for the pricer, which is told them.
  [[nodiscard]] std::uint32_t rank_class() const noexcept { return turn_.rank_class(); }
  /// About three words a rank.
  [[nodiscard]] std::uint32_t slot_count() const noexcept { return sent_headers_ + sent_words(); }

 private:
  enum class part : std::uint8_t {
    pack,
    receive,
    receive_for_hole,
    send,
    end_turn,
    settle,  ///< all headers of a phase are here: makes room
    send_rest,
    receive_rest,
    receive_rest_for_hole,
    end_turn_of_rest,
    unpack,
    end,
  };
  /// Data to be copied, and where its blocks' ends are.
  struct run {
    schedule::piece from;
    std::uint32_t ends = 0;
    std::uint64_t starts = 0;  ///< the end before the first
  };

  bool emit_part(schedule::step& out, schedule::tape& on);
  bool pack(schedule::step& out, schedule::tape& on);
  bool send(schedule::step& out, schedule::tape& on);
  bool receive(schedule::step& out, schedule::tape& on, bool for_hole);
  bool receive_known(schedule::step& out, schedule::tape& on, int index);
  bool settle(schedule::step& out, schedule::tape& on);
  bool send_rest(schedule::step& out, schedule::tape& on);
  bool receive_rest(schedule::step& out, schedule::tape& on, bool for_hole);
  bool unpack(schedule::step& out, schedule::tape& on);
  void end_turn();
  void end_turn_of_rest();

  void check_facts(const schedule::tape& on) const;
  void check_length(std::uint64_t came, int source, const schedule::tape& on) const;
  [[nodiscard]] run current_run(const schedule::tape& on) const;
  void note_ends(const run& of, const schedule::tape& on);
  /// Says where each bundle of the phase lies or will lie. Returns their bytes.
  std::uint64_t place_bundles(const schedule::tape& on);
  void grow(std::uint64_t capacity, schedule::step& out, schedule::tape& on);
  /// Grows scratch if it has no room for `bytes` more at its top; by half, so that it is rare.
  bool grows_for(std::uint64_t bytes, schedule::step& out, schedule::tape& on);

  [[nodiscard]] std::uint32_t sent_words() const noexcept;
  [[nodiscard]] std::uint32_t place_slot(int bundle) const noexcept;
  /// Ends that come with a sender's bundle.
  [[nodiscard]] std::uint32_t ends_from(int sender) const noexcept;
  /// The last of them.
  [[nodiscard]] std::uint64_t bytes_from(int bundle, const schedule::tape& on) const noexcept;

  std::uint32_t inline_bytes_;
  part part_ = part::pack;
  bool has_run_ = false;  ///< taken, but not copied yet
  bool settled_ = false;
  int sources_ = 1;  ///< held in this phase

  /// Slots: for each phase and bundle its place in scratch and the ends of its blocks (the last
  /// phase: its place); then the headers to be sent.
  std::uint32_t held_slots_ = 0;  ///< bundles that came in the phase before
  std::uint32_t held_words_ = 0;  ///< slots of each
  std::uint32_t into_slots_ = 0;  ///< bundles of this phase
  std::uint32_t into_words_ = 0;
  std::uint32_t sent_headers_ = 0;
  std::uint32_t header_ = 0;  ///< this turn's, from there
  std::uint32_t header_words_ = 0;

  /// Scratch: room for short messages by phase and bundle; from room_at_ on what is live: the
  /// bundles held, the rank's own, the messages to be sent; then the long messages that come.
  std::uint64_t inline_at_ = 0;  ///< of this phase
  std::uint64_t room_at_ = 0;
  std::uint64_t begin_ = 0;       ///< of what this phase packs; the rank's own bundle comes first
  std::uint64_t next_begin_ = 0;  ///< the same of the next phase
  std::uint64_t top_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint64_t message_at_ = 0;     ///< this turn's
  std::uint64_t message_bytes_ = 0;  ///< packed so far
};

}  // namespace upwash::collective
