// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a combining exchange sorts its items by target: in words of the run (slots), without data.
// Slots: the items held and their places; what goes to each target; the messages for them and where
// their data lie; what comes from each sender; then what comes behind, and the items of the next
// phase.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/item.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::collective::detail {

/// A place is an offset in scratch, or one in the input with the highest bit set.
inline constexpr std::uint64_t in_input = std::uint64_t{1} << 63U;

[[nodiscard]] inline schedule::piece piece_at(std::uint64_t place, std::uint64_t bytes) noexcept {
  using schedule::buffer;
  return {(place & in_input) != 0 ? buffer::input : buffer::scratch, place & ~in_input, bytes};
}

/// What goes to one target of the phase: seven words that say where, and how much. Valid until the
/// next step.
class outgoing_words {
 public:
  static constexpr std::uint64_t count = 7;
  /// In front of the items: words of the header, words of the items, bytes.
  static constexpr std::uint64_t head = 3;

  explicit outgoing_words(std::uint64_t* at) noexcept : at_(at) {}

  [[nodiscard]] std::uint64_t& header_at() const noexcept { return at_[0]; }
  [[nodiscard]] std::uint64_t& words() const noexcept { return at_[1]; }
  [[nodiscard]] std::uint64_t& bytes() const noexcept { return at_[2]; }
  [[nodiscard]] std::uint64_t& places() const noexcept { return at_[3]; }
  [[nodiscard]] std::uint64_t& items() const noexcept { return at_[4]; }
  /// The latest item that was added: its number, from 1 on, and where it stands.
  [[nodiscard]] std::uint64_t& latest() const noexcept { return at_[5]; }
  [[nodiscard]] std::uint64_t& latest_at() const noexcept { return at_[6]; }

  [[nodiscard]] std::uint64_t first_item() const noexcept { return header_at() + head; }
  [[nodiscard]] schedule::slots item_slots() const noexcept {
    return {static_cast<std::uint32_t>(first_item()), static_cast<std::uint32_t>(words())};
  }
  /// Of the message, or of its first part.
  [[nodiscard]] schedule::slots header(const schedule::tape& on) const {
    return {static_cast<std::uint32_t>(header_at()),
            static_cast<std::uint32_t>(on.slots()[header_at()])};
  }

 private:
  std::uint64_t* at_;
};

/// What has come from one sender of the phase: its length; its header: how many words, those of
/// items, bytes; then the items, or of a long one where they and its data will be. Valid until the
/// next step.
class incoming_words {
 public:
  static constexpr std::uint64_t head = 1 + outgoing_words::head;

  explicit incoming_words(std::uint64_t* at) noexcept : at_(at) {}

  [[nodiscard]] std::uint64_t words() const noexcept { return at_[2]; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return at_[3]; }
  void place(std::uint64_t items_at, std::uint64_t data_at) const noexcept {
    at_[4] = items_at;
    at_[5] = data_at;
  }
  [[nodiscard]] schedule::slots long_items() const noexcept {
    return {static_cast<std::uint32_t>(at_[4]), static_cast<std::uint32_t>(words())};
  }
  [[nodiscard]] schedule::piece long_data() const noexcept {
    return {schedule::buffer::scratch, at_[5], bytes()};
  }

 private:
  std::uint64_t* at_;
};

/// A rank's items on their way. In each phase: lay_out, room for slots_end(); sort, room for
/// scratch_end(); once the words of all messages are here place_long, room for both; once all is
/// here gather.
template <class Route>
class combining_words {
 public:
  combining_words(const Route& way, to_each what, std::uint32_t inline_bytes) noexcept
      : route_(way), what_(what), inline_bytes_(inline_bytes) {}

  [[nodiscard]] Route& route() noexcept { return route_; }
  [[nodiscard]] const Route& route() const noexcept { return route_; }

  /// Before the first phase. Throws `error` (argument) as given_messages does.
  void measure_given(const schedule::tape& on);
  /// The phase's words, while only their number is known. Throws `error` (argument) if too many.
  void lay_out(const schedule::tape& on);
  /// What goes to each target, and where what comes lies. Throws `error` (argument) without the
  /// slots that lay_out asked for.
  void sort(const schedule::tape& on);
  /// Where the long messages will be.
  void place_long(const schedule::tape& on);
  /// What has come, and what has stayed, is what the next phase holds.
  void gather(const schedule::tape& on);

  [[nodiscard]] std::uint64_t scratch_end() const noexcept { return top_; }
  [[nodiscard]] std::uint32_t slots_end() const noexcept {
    return static_cast<std::uint32_t>(end_);
  }
  /// Scratch: where the messages of the phase are packed.
  [[nodiscard]] std::uint64_t packed_at() const noexcept { return out_at_; }

  [[nodiscard]] item at(std::uint64_t word, const schedule::tape& on) const {
    return {&on.slots()[word], what_};
  }
  [[nodiscard]] std::uint64_t held() const noexcept { return held_items_; }
  [[nodiscard]] schedule::piece held_data(std::uint64_t number, std::uint64_t bytes,
                                          const schedule::tape& on) const {
    return piece_at(on.slots()[held_words_ + number], bytes);
  }

  [[nodiscard]] outgoing_words going_to(int target, const schedule::tape& on) const {
    return outgoing_words(
        &on.slots()[targets_ + static_cast<std::uint64_t>(target) * outgoing_words::count]);
  }
  /// The slots of what comes from a sender.
  [[nodiscard]] std::uint64_t bundle(int sender) const noexcept {
    return bundles_ + static_cast<std::uint64_t>(sender) * bundle_words();
  }
  [[nodiscard]] std::uint64_t bundle_words() const noexcept {
    return incoming_words::head + inline_words();
  }
  [[nodiscard]] incoming_words came_from(int sender, const schedule::tape& on) const {
    return incoming_words(&on.slots()[bundle(sender)]);
  }
  [[nodiscard]] schedule::piece short_room(int sender) const noexcept {
    return {schedule::buffer::scratch,
            inline_at_ + static_cast<std::uint64_t>(sender) * inline_bytes_, inline_bytes_};
  }
  [[nodiscard]] bool is_long(std::uint64_t words, std::uint64_t bytes) const noexcept {
    return words > inline_words() || bytes > inline_bytes_;
  }

 private:
  struct words_wanted {
    std::uint64_t words = 0;
    std::uint64_t items = 0;
  };

  [[nodiscard]] bool in_first_phase() const noexcept { return route_.phase() == 0; }
  [[nodiscard]] std::uint64_t inline_words() const noexcept { return 2 + inline_bytes_ / 32; }
  [[nodiscard]] words_wanted most_to_send(const schedule::tape& on) const;
  void end_at(std::uint64_t slots);
  void check_room(const schedule::tape& on) const;
  void hold_given(const schedule::tape& on);
  void distribute(const schedule::tape& on);
  void add_to_target(const schedule::tape& on, std::uint64_t number, std::uint64_t at, bool counts);
  void hold_bundle(const schedule::tape& on, std::uint64_t first, std::uint64_t words,
                   std::uint64_t data);

  Route route_;
  to_each what_;
  std::uint32_t inline_bytes_;

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
};

}  // namespace upwash::collective::detail
