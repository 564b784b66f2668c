// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the members of a team share for small collectives: for each of the last operations
// that use it (an epoch) some lines, each for one edge with its tag, some counters, shared scratch,
// and where its buffers lie. Its places are used again: so at every half of them the members
// settle. A rank tells the others, by dissemination, that its earlier operations are complete; it
// uses a place again once all others have told it the same.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"
#include "upwash/core/team_memory.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective::detail {

/// A cache line: written by one peer, read by the owner.
struct alignas(64) board_line {
  static constexpr std::size_t payload_bytes = 56;
  std::uint64_t tag = 0;
  std::array<std::byte, payload_bytes> payload;

  /// For the owner of the line's memory only after `came(tag)`.
  [[nodiscard]] bool came(std::uint64_t with) noexcept {
    return std::atomic_ref(tag).load(std::memory_order_acquire) == with;
  }
  void write(std::uint64_t with, const std::byte* from, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(payload.data(), from, bytes);
    std::atomic_ref(tag).store(with, std::memory_order_release);
  }
};

/// Shared scratch that is small enough lies behind the first counter: one line brings both.
struct alignas(64) board_counter {
  static constexpr std::size_t scratch_bytes = 48;
  std::uint64_t value = 0;
  alignas(std::max_align_t) std::array<std::byte, scratch_bytes> scratch;
};

/// Where a member's buffer lies: written by that member, read by the others.
struct alignas(64) board_exposure {
  std::uint64_t tag = 0;
  exposed_memory memory;

  void write(std::uint64_t with, const exposed_memory& where) noexcept {
    memory.copy_from(where);
    std::atomic_ref(tag).store(with, std::memory_order_release);
  }
};

/// How much of it each member has. Where many share a process it is less: memory counts there, and
/// settling is cheap.
struct board_size {
  std::uint64_t epochs = 128;  ///< a power of two
  std::uint64_t half_scratch_bytes = 0;
  std::uint64_t price_bytes = 0;  ///< for what members tell each other of prices
};

/// Memory: for an epoch 1 KiB, the scratch (twice half_scratch_bytes) and what is told of prices
/// (2 to 128 KiB, the world's only) a rank and team; a pointer a member and process.
class board {
 public:
  /// Who has a part in it.
  enum class spans : std::uint8_t {
    team,  ///< all members
    node,  ///< those of this rank's node; the others are settled with by messages
  };
  static constexpr std::uint32_t lines = 6;  ///< edges below this number have one
  static constexpr std::uint32_t counters = 2;
  /// A note: a short piece of shared scratch, and behind it the tag that says that it is there.
  /// Those of epochs that follow each other share a line: who is ahead of who reads hands over
  /// several operations in one. In bytes:
  static constexpr std::uint32_t short_note = 16;  ///< four share a line
  static constexpr std::uint32_t long_note = 32;   ///< two
  static constexpr std::uint32_t note_tag = 8;     ///< of these
  /// The note for a schedule's counter and shared scratch, in bytes; 0: they lie elsewhere. The
  /// same at all members.
  [[nodiscard]] static std::uint32_t note_for(const schedule::needs& wants) noexcept {
    if (!wants.announces || wants.shared_bytes > long_note - note_tag) return 0;
    return wants.shared_bytes <= short_note - note_tag ? short_note : long_note;
  }

  /// Whether members tell each other of prices there.
  enum class prices : std::uint8_t { none, told };
  /// Collective, blocking. `scratch_bytes`: half_scratch_bytes where few ranks share a process.
  board(const team& among, std::uint64_t scratch_bytes, prices are = prices::none);
  /// The same with places for so many epochs: of a team that has had operations before.
  board(const team& among, std::uint64_t scratch_bytes, std::uint64_t epochs);
  /// A board for each node of the team. `scratch_bytes` as above. Collective over the whole team,
  /// blocking.
  [[nodiscard]] static std::unique_ptr<board> of_nodes(const team& among,
                                                       std::uint64_t scratch_bytes,
                                                       prices are = prices::none);
  /// The same with places for so many epochs, as above.
  [[nodiscard]] static std::unique_ptr<board> of_nodes(const team& among,
                                                       std::uint64_t scratch_bytes,
                                                       std::uint64_t epochs);
  /// The half_scratch_bytes of the largest of these. O(members).
  [[nodiscard]] static std::uint64_t scratch_inside_nodes(const team& among);
  [[nodiscard]] bool is_whole() const noexcept { return spans_ == spans::team; }

  /// The line of an edge in a member's part, at an epoch.
  [[nodiscard]] board_line& line(int member, std::uint64_t epoch, std::uint32_t edge) {
    return place_of(member, epoch).edges[edge];
  }
  /// Shared scratch of all operations of half the epochs together. The world's takes large vectors;
  /// other teams are made while programs run, and must be quick to make.
  static constexpr std::uint64_t world_scratch_bytes = std::uint64_t{1} << 20U;
  static constexpr std::uint64_t team_scratch_bytes = std::uint64_t{32} << 10U;
  static constexpr std::uint64_t node_scratch_bytes = std::uint64_t{256} << 10U;
  [[nodiscard]] std::uint64_t half_scratch_bytes() const noexcept {
    return size_of_.half_scratch_bytes;
  }
  [[nodiscard]] std::uint64_t epochs() const noexcept { return size_of_.epochs; }

  /// Where the shared scratch of an operation lies at each member.
  struct scratch_place {
    static constexpr std::uint32_t at_counter = 0xffffffff;
    std::uint64_t epoch = 0;
    std::uint32_t at = at_counter;
    std::uint32_t note_bytes = 0;  ///< of the note that it lies in, with the counter; 0: in none
  };
  [[nodiscard]] std::byte* scratch(int member, const scratch_place& of) {
    if (of.note_bytes != 0) return note_of(places_of(member), of);
    if (of.at == scratch_place::at_counter) {
      return place_of(member, of.epoch).counts[0].scratch.data();
    }
    const std::uint64_t half = (of.epoch & (epochs() / 2)) == 0 ? 0 : 1;
    return memory_.part(member) + scratch_at() + half * half_scratch_bytes() + of.at;
  }

  /// A member's piece of what is told of prices; empty: none of this node's. It may map memory.
  [[nodiscard]] std::span<std::uint64_t> price_words(int member) const {
    std::byte* const part = price_bytes() == 0 ? nullptr : memory_.part(member);
    if (part == nullptr) return {};
    return {reinterpret_cast<std::uint64_t*>(part + scratch_at() + 2 * half_scratch_bytes()),
            price_bytes() / sizeof(std::uint64_t)};
  }
  [[nodiscard]] std::uint64_t price_bytes() const noexcept { return size_of_.price_bytes; }

  /// Where this member's buffer lies, for the others to read at that epoch.
  void expose(std::uint64_t epoch, bool output, const exposed_memory& memory) {
    place_of(rank_, epoch).exposures[output ? 1 : 0].write(tag_of(epoch), memory);
  }
  /// Null: the member has not begun yet.
  [[nodiscard]] const exposed_memory* exposed(int member, std::uint64_t epoch, bool output) {
    board_exposure& of = place_of(member, epoch).exposures[output ? 1 : 0];
    const auto tag = std::atomic_ref(of.tag).load(std::memory_order_acquire);
    return tag == tag_of(epoch) ? &of.memory : nullptr;
  }

  /// The word that says so: the epoch's tag, or an older one.
  [[nodiscard]] const std::uint64_t& exposure_word(int member, std::uint64_t epoch, bool output) {
    return place_of(member, epoch).exposures[output ? 1 : 0].tag;
  }

  /// What an epoch has.
  struct place {
    std::array<board_line, lines> edges;
    std::array<board_counter, counters> counts;
    std::array<board_exposure, 2> exposures;  ///< of the input, of the output
  };
  /// A member's places, epoch modulo `epochs()`: valid as long as the board.
  [[nodiscard]] place* places_of(int member) {
    return reinterpret_cast<place*>(memory_.part(member));
  }

  /// Counts up a counter of the member that has the places.
  void count_up(place* of, const scratch_place& at, std::uint32_t counter) const noexcept {
    if (at.note_bytes != 0) {
      std::atomic_ref(tag_of_note(of, at)).store(tag_of(at.epoch), std::memory_order_release);
      return;
    }
    std::atomic_ref(of[at.epoch & (epochs() - 1)].counts[counter].value).fetch_add(1);
  }
  /// A word that peers write: what waits for it may go on once it is at least `value`.
  struct awaited {
    const std::uint64_t* word = nullptr;  ///< null: at once
    std::uint64_t value = 0;

    /// Acquire: what the peer wrote before the word is here with it.
    [[nodiscard]] bool is_there() const noexcept {
      return word == nullptr || __atomic_load_n(word, __ATOMIC_ACQUIRE) >= value;
    }
  };
  /// A counter of the member that has the places, counted up so often.
  [[nodiscard]] awaited counted_up(place* of, const scratch_place& at, std::uint32_t counter,
                                   std::uint64_t times) const noexcept {
    if (at.note_bytes == 0) {
      return {&of[at.epoch & (epochs() - 1)].counts[counter].value, times};
    }
    return {&tag_of_note(of, at), times == 0 ? 0 : tag_of(at.epoch)};
  }

  /// What a line of the epoch carries as its tag.
  [[nodiscard]] static std::uint64_t tag_of(std::uint64_t epoch) noexcept { return epoch + 1; }

  /// Goes on with settling from `round` on, as far as it comes; true when all members have
  /// completed everything before `epoch`. Called once this rank has. Or they settle otherwise.
  [[nodiscard]] bool settle(std::uint64_t epoch, std::uint32_t& round);
  /// Once settled: the counters of the epochs after the next settling are zero again.
  void clear_counters(std::uint64_t epoch);
  /// The word that the next round of settling waits for.
  [[nodiscard]] const std::uint64_t& settle_word(std::uint32_t round) {
    return settled(rank_, round / 2).tag;
  }

  /// Frees the memory. Collective.
  void release() { memory_.release(); }

 private:
  board(const team& among, const board_size& size, spans over);

  static constexpr std::uint64_t most_rounds = 31;  ///< of settling
  // A part: its places, a line for each round of settling, short notes, long notes, the shared
  // scratch of either half, what is told of prices.

  [[nodiscard]] place& place_of(int member, std::uint64_t epoch) {
    return places_of(member)[epoch & (epochs() - 1)];
  }
  [[nodiscard]] board_line& settled(int member, std::uint32_t round) {
    return reinterpret_cast<board_line*>(places_of(member) + epochs())[round];
  }
  [[nodiscard]] std::byte* note_of(place* of, const scratch_place& at) const noexcept {
    const std::uint64_t first =
        notes_at() + (at.note_bytes == short_note ? 0 : epochs() * short_note);
    return reinterpret_cast<std::byte*>(of) + first + (at.epoch & (epochs() - 1)) * at.note_bytes;
  }
  [[nodiscard]] std::uint64_t& tag_of_note(place* of, const scratch_place& at) const noexcept {
    return *reinterpret_cast<std::uint64_t*>(note_of(of, at) + at.note_bytes - note_tag);
  }
  [[nodiscard]] std::uint64_t notes_at() const noexcept {
    return epochs() * sizeof(place) + most_rounds * sizeof(board_line);
  }
  [[nodiscard]] std::uint64_t scratch_at() const noexcept {
    return (notes_at() + epochs() * (short_note + long_note) + 63) / 64 * 64;
  }
  [[nodiscard]] std::uint64_t part_bytes() const noexcept {
    return scratch_at() + 2 * half_scratch_bytes() + price_bytes();
  }

  board_size size_of_;
  spans spans_ = spans::team;
  int rank_;
  int size_;
  team_memory memory_;
};

/// Gives the operations of a team their epochs and their shared scratch: the same at all members.
class board_sequence {
 public:
  /// Once, before the first: how many have places at the same time, a power of two.
  void set_epochs(std::uint64_t epochs) noexcept { half_bits_ = std::countr_zero(epochs / 2); }
  [[nodiscard]] std::uint64_t epochs() const noexcept { return 2 * half(); }
  /// Whether an operation of this epoch must settle before it begins.
  [[nodiscard]] bool settles(std::uint64_t epoch) const noexcept {
    return epoch != 0 && !is_within_half(epoch);
  }
  /// Epochs of one half may begin once the one that settles for them has.
  [[nodiscard]] std::uint64_t half_of(std::uint64_t epoch) const noexcept {
    return epoch >> half_bits_;
  }

  /// What the next operation gets. If the scratch of this half is used up, it begins the next.
  [[nodiscard]] board::scratch_place next(std::uint64_t scratch_bytes, std::uint32_t note_bytes,
                                          std::uint64_t half_scratch_bytes) const noexcept {
    const bool small = scratch_bytes <= board_counter::scratch_bytes;
    const bool fits = used_in(epoch_) + scratch_bytes <= half_scratch_bytes;
    const std::uint64_t epoch = small || fits ? epoch_ : (half_of(epoch_) + 1) << half_bits_;
    return {epoch,
            small ? board::scratch_place::at_counter : static_cast<std::uint32_t>(used_in(epoch)),
            note_bytes};
  }
  /// `taken` is what `next` said for so many bytes.
  void take(const board::scratch_place& taken, std::uint64_t scratch_bytes) noexcept {
    used_ = used_in(taken.epoch);
    if (taken.at != board::scratch_place::at_counter) used_ += (scratch_bytes + 63) / 64 * 64;
    epoch_ = taken.epoch + 1;
  }

 private:
  [[nodiscard]] std::uint64_t used_in(std::uint64_t epoch) const noexcept {
    return epoch == epoch_ && is_within_half(epoch) ? used_ : 0;
  }
  [[nodiscard]] std::uint64_t half() const noexcept { return std::uint64_t{1} << half_bits_; }
  /// Not the first of it.
  [[nodiscard]] bool is_within_half(std::uint64_t epoch) const noexcept {
    return (epoch & (half() - 1)) != 0;
  }

  int half_bits_ = 6;
  std::uint64_t epoch_ = 0;  ///< of the next operation
  std::uint64_t used_ = 0;   ///< of the shared scratch, in its half
};

}  // namespace upwash::collective::detail
