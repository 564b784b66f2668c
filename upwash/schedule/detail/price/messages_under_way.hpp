// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of a run: what a wire step is in virtual time, and where it is kept until it is
// taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/schedule/detail/price/rank_window.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::schedule::detail {

enum class message_kind : std::uint8_t {
  data,
  offer,
  invitation,
  acknowledgement,
  request,
  reply,
  stored,
  signal
};

struct message {
  message_kind what = message_kind::data;
  mechanism how = mechanism::eager;
  int from = 0;  ///< as walked
  int to = 0;    ///< as walked
  std::size_t level = 0;
  std::uint32_t edge = 0;
  std::uint64_t bytes = 0;
  std::uint64_t asked = 0;         ///< bytes of the edge that an offer or a request is about
  step_number sender = no_step;    ///< who waits for an acknowledgement
  step_number receiver = no_step;  ///< who waits for this answer
  std::uint32_t chain = 0;         ///< of messages, one because of the other, up to this one
  bool from_nic = false;
  duration arrived;
};

/// Owns the messages, by number, and by rank the longest chain of messages that it has waited for.
/// Memory: most messages ever under way, 88 bytes each, and 4 bytes a rank walked. Used against
/// nothing.
class messages_under_way {
 public:
  explicit messages_under_way(int ranks)
      : walked_(ranks), chains_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] message& operator[](std::uint64_t which) { return all_[which]; }

  [[nodiscard]] std::uint64_t keep(const message& what) {
    if (free_.empty()) {
      all_.push_back(what);
      return all_.size() - 1;
    }
    const std::uint64_t which = free_.back();
    free_.pop_back();
    all_[which] = what;
    return which;
  }
  /// One that its sender sends because of what has come to it.
  [[nodiscard]] std::uint64_t keep_sent(const message& what) {
    const std::uint64_t which = keep(what);
    all_[which].chain = chain(what.from) + 1;
    return which;
  }
  /// Its receiver has it.
  [[nodiscard]] message take(std::uint64_t which) {
    forget(which);
    const message& taken = all_[which];
    lengthen_chain(taken.to, taken.chain);
    return taken;
  }
  /// It was for the NIC, not for the rank.
  void forget(std::uint64_t which) { free_.push_back(which); }

  [[nodiscard]] std::uint32_t chain(int rank) const {
    return chains_[static_cast<std::size_t>(rank)];
  }
  void lengthen_chain(int rank, std::uint32_t to) {
    std::uint32_t& chain = chains_[static_cast<std::size_t>(rank)];
    chain = std::max(chain, to);
    longest_ = std::max(longest_, to);
  }
  /// That any rank has waited for so far.
  [[nodiscard]] std::uint32_t longest_chain() const noexcept { return longest_; }

  /// Puts off what has arrived, by the rank that it is at.
  void shift(const std::vector<duration>& by_rank) {
    for (message& m : all_) m.arrived += by_rank[static_cast<std::size_t>(m.to)];
  }

  /// The subject of an event: of messages that reach the port of `here` at the same time the one
  /// goes first whose other end is nearest upwards: alike ranks do it alike.
  [[nodiscard]] std::uint64_t subject_of(std::uint64_t which, int here, int other) const noexcept {
    const int up = other >= here ? other - here : other - here + walked_;
    return static_cast<std::uint64_t>(up) << message_bits | which;
  }
  /// The same, of what a NIC answers: that leaves behind what the processor sends at the same time,
  /// and takes its turn among what comes.
  [[nodiscard]] static std::uint64_t as_answer(std::uint64_t subject) noexcept {
    return subject | answer_bit;
  }
  [[nodiscard]] static bool is_answer(std::uint64_t subject) noexcept {
    return (subject & answer_bit) != 0;
  }
  [[nodiscard]] static std::uint64_t of_subject(std::uint64_t subject) noexcept {
    return subject & (answer_bit - 1);
  }

 private:
  static constexpr unsigned message_bits = 40;
  static constexpr std::uint64_t answer_bit = std::uint64_t{1} << (message_bits - 1);

  int walked_;
  std::vector<message> all_;
  std::vector<std::uint64_t> free_;
  std::vector<std::uint32_t> chains_;
  std::uint32_t longest_ = 0;
};

}  // namespace upwash::schedule::detail
