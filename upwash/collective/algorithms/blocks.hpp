// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of the blocks of a team's members in a vector: all equal, or as given by the caller,
// or as given by the enclosing schedule of a part.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/schedule/script.hpp"

namespace upwash::collective {

class blocks {
 public:
  /// Consecutive blocks of `bytes` bytes each.
  [[nodiscard]] static constexpr blocks alike(int members, std::uint64_t bytes) noexcept {
    return {members, bytes, false};
  }
  /// given(0): a number of elements for each member. given(1): the offset of each block, in
  /// elements; empty: consecutive blocks.
  [[nodiscard]] static constexpr blocks as_given(int members,
                                                 std::uint32_t element_bytes) noexcept {
    return {members, element_bytes, true};
  }

  /// Consecutive blocks: that of member i has begins[i + 1] - begins[i] units of `unit` bytes.
  /// `begins` outlives the schedule.
  [[nodiscard]] static constexpr blocks between(int members, const std::uint64_t* begins,
                                                std::uint64_t unit) noexcept {
    blocks made(members, unit, false);
    made.begins_ = begins;
    return made;
  }

  /// The same, by words of the run: from word `first` on, the offset of each block in bytes, and
  /// the end of the last one. At most `most` bytes in total.
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
  /// Returns the bytes of a block if all are equal. Otherwise 0: lengths are known only in a run,
  /// or for each block.
  [[nodiscard]] constexpr std::uint64_t alike_bytes() const noexcept {
    return all_alike() ? unit_ : 0;
  }
  /// Returns the bytes of all blocks, or their maximum; 0 if known only in a run.
  [[nodiscard]] constexpr std::uint64_t all_bytes() const noexcept {
    if (given_) return 0;
    if (noted_) return most_;
    const auto count = static_cast<std::uint64_t>(members_);
    return (begins_ != nullptr ? begins_[members_] : count) * unit_;
  }

  [[nodiscard]] std::uint64_t bytes(const schedule::script& in, int member) const;
  /// Returns the piece of a member's block. O(1); if lengths are given without offsets, as many
  /// steps as from the previously requested member.
  [[nodiscard]] schedule::piece at(const schedule::script& in, schedule::buffer of, int member);
  /// Returns the bytes of `count` blocks from `first` on, wrapping around. O(count); O(1) if all
  /// are equal.
  [[nodiscard]] std::uint64_t bytes_from(const schedule::script& in, int first,
                                         std::int64_t count) const;
  /// Returns the bytes of the largest block. O(members); O(1) if all are equal.
  [[nodiscard]] std::uint64_t largest(const schedule::script& in) const;
  /// Returns whether the blocks are consecutive.
  [[nodiscard]] bool packed(const schedule::script& in) const;

 private:
  constexpr blocks(int members, std::uint64_t unit, bool given) noexcept
      : members_(members), given_(given), unit_(unit) {}
  /// Throws `error` (argument) unless there is one for each member.
  [[nodiscard]] std::span<const std::uint64_t> elements(const schedule::script& in) const;
  [[nodiscard]] std::uint64_t offset(const schedule::script& in, int member) const;
  /// Returns the offset of each block, in units, and the end of the last one; empty: equal, or
  /// given.
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

/// Returns `number` modulo `members`, at least 0.
[[nodiscard]] constexpr int wrapped(std::int64_t number, int members) noexcept {
  const auto rest = static_cast<int>(number % members);
  return rest < 0 ? rest + members : rest;
}

}  // namespace upwash::collective
