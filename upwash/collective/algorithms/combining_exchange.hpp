// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: messages, or one block, for some ranks; nobody knows who has something for it. Idea: in
// each phase the ranks of a line (of a grid, of a cube's edge) send each other one message, be it
// empty, of items that say where they come from and go to. Cost: a message a member of each line; a
// byte at most once a phase, a block once a hop; 16 bytes an item. Restrictions: none. Source:
// Kumar 2005, 3.3.1, equations 3.17 to 3.19 and 3.21 to 3.23.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/cube_route.hpp"
#include "upwash/collective/algorithms/detail/given_messages.hpp"
#include "upwash/collective/algorithms/detail/grid_route.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Takes the arrays of detail::given_messages. Hands each item over at its destination, as a
/// message from its origin, in the last phase. A message beyond `inline_bytes` sends its items
/// behind, once the receiver has made room. Scratch: what comes in all phases, and the most that
/// goes out in one. `next` throws `error` (argument) as given_messages does, and where nobody lets
/// its slots grow.
template <class Route>
class combining_exchange {
 public:
  struct parameters {
    detail::to_each what = detail::to_each::message_of_its_own;
    /// Of data; and of items as many as have 64 bytes each.
    std::uint32_t inline_bytes = 4096;
  };

  combining_exchange(const Route& way, parameters chosen)
      : route_(way), what_(chosen.what), inline_bytes_(chosen.inline_bytes) {}

  bool next(schedule::step& out, schedule::tape& on);
  /// Steps wait for one of the last few; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept {
    constexpr std::uint64_t most_open = 256;
    const auto of_all_phases = 8 + 4 * static_cast<std::uint64_t>(route_.ranks());
    return static_cast<std::uint32_t>(of_all_phases < most_open ? of_all_phases : most_open);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }

 private:
  enum class part : std::uint8_t {
    open,  ///< a phase: makes room for its words
    fill,  ///< the words say what goes where; makes room for data
    pack,
    send,
    receive,
    receive_second,
    end_turn,
    settle,     ///< all headers of the phase are here
    make_room,  ///< for what is long
    send_rest,
    receive_rest,
    receive_rest_second,
    end_turn_of_rest,
    settle_rest,
    gather,  ///< what came is what the next phase holds
    deliver,
    end,
  };

  bool emit_part(schedule::step& out, schedule::tape& on);
  bool pack(schedule::step& out, schedule::tape& on);
  bool send(schedule::step& out, schedule::tape& on);
  bool receive(schedule::step& out, schedule::tape& on, bool second);
  bool send_rest(schedule::step& out, schedule::tape& on);
  bool receive_rest(schedule::step& out, schedule::tape& on, bool second);
  bool deliver(schedule::step& out, schedule::tape& on);
  void end_turn();
  void end_turn_of_rest();
  /// A stage with so many slots, and the scratch that is used now.
  void grow(std::uint64_t slots, schedule::step& out, schedule::tape& on);

  // Words (combining_words.cpp). Slots: the items held and their places; what each target gets;
  // the messages for them and where their data lie; what comes from each sender; then, what comes
  // behind and the items of the next phase.
  struct target_words;
  struct words_wanted {
    std::uint64_t words = 0;
    std::uint64_t items = 0;
  };
  void measure_given(const schedule::tape& on);
  void hold_given(const schedule::tape& on);
  [[nodiscard]] words_wanted most_to_send(const schedule::tape& on) const;
  /// Lays out the phase's words. Returns how many slots there must be.
  std::uint64_t lay_out(const schedule::tape& on);
  void check_size(std::uint64_t slots) const;
  void check_room(const schedule::tape& on) const;
  void distribute(const schedule::tape& on);
  void add_to_target(const schedule::tape& on, std::uint64_t number, std::uint64_t at, bool counts);
  /// Says where the long bundles will be. Returns how many slots there must be.
  std::uint64_t place_long(const schedule::tape& on);
  void gather(const schedule::tape& on);
  void hold_bundle(const schedule::tape& on, std::uint64_t first, std::uint64_t words,
                   std::uint64_t data);

  [[nodiscard]] target_words target(int number, const schedule::tape& on) const;
  /// Of a bundle that comes: its length; then its header: how many words, those of items, bytes;
  /// then items, or of a long one where they and its data will be.
  [[nodiscard]] std::uint64_t bundle(int sender) const noexcept;
  [[nodiscard]] std::uint64_t inline_words() const noexcept { return 2 + inline_bytes_ / 32; }
  [[nodiscard]] std::uint64_t bundle_words() const noexcept;
  [[nodiscard]] bool is_long(std::uint64_t words, std::uint64_t bytes) const noexcept;
  [[nodiscard]] static schedule::piece piece_at(std::uint64_t place, std::uint64_t bytes) noexcept;

  Route route_;
  detail::to_each what_;
  std::uint32_t inline_bytes_;
  part part_ = part::open;
  bool is_first_ = true;
  bool sends_rest_ = false;

  std::uint64_t held_words_ = 0;  ///< from slot 0 on; behind them a place an item
  std::uint64_t held_items_ = 0;
  std::uint64_t targets_ = 0;  ///< slots ...
  std::uint64_t bundles_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_held_ = 0;
  std::uint64_t next_words_ = 0;  ///< items of the next phase, gathered so far
  std::uint64_t next_items_ = 0;
  std::uint64_t next_places_ = 0;

  std::uint64_t inline_at_ = 0;  ///< scratch: room for this phase's short bundles
  std::uint64_t out_at_ = 0;     ///< what goes out
  std::uint64_t out_room_ = 0;
  std::uint64_t top_ = 0;

  std::uint64_t message_at_ = 0;  ///< this turn's
  std::uint64_t item_ = 0;        ///< next to be packed, or delivered
  std::uint64_t word_ = 0;        ///< where its words are
  std::uint64_t copies_ = 0;      ///< bytes packed in this turn
  schedule::mark packed_ = schedule::never;
};

class mesh_many_to_many : public combining_exchange<detail::grid_route> {
 public:
  mesh_many_to_many(int ranks, int rank, int dimensions, parameters chosen)
      : combining_exchange(detail::grid_route(ranks, rank, dimensions), chosen) {}
};

class hypercube_many_to_many : public combining_exchange<detail::cube_route> {
 public:
  hypercube_many_to_many(int ranks, int rank, parameters chosen)
      : combining_exchange(detail::cube_route(ranks, rank), chosen) {}
};

}  // namespace upwash::collective
