// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the blocks of a team's members lie in a vector: all alike, or as the caller, or whoever
// goes through them as a part, says of this call.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/schedule/script.hpp"

namespace upwash::collective {

class blocks {
 public:
  /// One behind the other, each of so many bytes.
  [[nodiscard]] static constexpr blocks alike(int members, std::uint64_t bytes) noexcept {
    return {members, bytes, false};
  }
  /// given(0): a number of elements for each member. given(1): where each block begins, in
  /// elements; empty: one behind the other.
  [[nodiscard]] static constexpr blocks as_given(int members,
                                                 std::uint32_t element_bytes) noexcept {
    return {members, element_bytes, true};
  }

  /// One behind the other: that of member i has begins[i + 1] - begins[i] units of so many bytes.
  /// `begins` outlives the schedule.
  [[nodiscard]] static constexpr blocks between(int members, const std::uint64_t* begins,
                                                std::uint64_t unit) noexcept {
    blocks made(members, unit, false);
    made.begins_ = begins;
    return made;
  }

  /// The same, by words of the run: where each block begins, in bytes, from word `first` on, and
  /// where the last one ends. No more than `most` bytes in all.
  [[nodiscard]] static constexpr blocks noted(int members, std::uint32_t first,
                                              std::uint64_t most) noexcept {
    blocks made(members, 1, false);
    made.noted_ = true;
    made.first_word_ = first;
    made.most_ = most;
    return made;
  }

  [[nodiscard]] constexpr int members() const noexcept { return members_; }
  [[nodiscard]] constexpr bool given() const noexcept { return given_; }
  [[nodiscard]] constexpr bool all_alike() const noexcept {
    return !given_ && !noted_ && begins_ == nullptr;
  }
  /// Of a block where all are alike; else what is known in a run, or of each, only.
  [[nodiscard]] constexpr std::uint64_t alike_bytes() const noexcept {
    return all_alike() ? unit_ : 0;
  }
  /// Of all blocks, or the most that they can have; 0 where it is known in a run only.
  [[nodiscard]] constexpr std::uint64_t all_bytes() const noexcept {
    if (given_) return 0;
    if (noted_) return most_;
    const auto count = static_cast<std::uint64_t>(members_);
    return (begins_ != nullptr ? begins_[members_] : count) * unit_;
  }

  [[nodiscard]] std::uint64_t bytes(const schedule::script& in, int member) const;
  /// O(1); where lengths are given and offsets are not, as many steps as from the member that was
  /// asked for before.
  [[nodiscard]] schedule::piece at(const schedule::script& in, schedule::buffer of, int member);
  /// Of `count` blocks from that of `first` on, round and round. O(count), O(1) where all are
  /// alike.
  [[nodiscard]] std::uint64_t bytes_from(const schedule::script& in, int first,
                                         std::int64_t count) const;
  /// O(members), O(1) where all are alike.
  [[nodiscard]] std::uint64_t largest(const schedule::script& in) const;
  /// Whether they lie one behind the other.
  [[nodiscard]] bool packed(const schedule::script& in) const;

 private:
  constexpr blocks(int members, std::uint64_t unit, bool given) noexcept
      : members_(members), given_(given), unit_(unit) {}
  /// Throws `error` (argument) unless there is one for each member.
  [[nodiscard]] std::span<const std::uint64_t> elements(const schedule::script& in) const;
  [[nodiscard]] std::uint64_t offset(const schedule::script& in, int member) const;
  /// Where each block begins, in units, and the last one ends; empty: alike, or given.
  [[nodiscard]] std::span<const std::uint64_t> begins(const schedule::script& in) const;

  int members_;
  bool given_;
  bool noted_ = false;
  std::uint32_t first_word_ = 0;
  std::uint64_t unit_;  ///< bytes of a block, or of an element
  std::uint64_t most_ = 0;
  const std::uint64_t* begins_ = nullptr;
  std::size_t walked_to_ = 0;  ///< a member, and the elements before its block
  std::uint64_t before_ = 0;
};

/// `number`, counted round and round among `members`.
[[nodiscard]] constexpr int wrapped(std::int64_t number, int members) noexcept {
  const auto rest = static_cast<int>(number % members);
  return rest < 0 ? rest + members : rest;
}

}  // namespace upwash::collective
