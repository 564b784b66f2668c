// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the caller of a many-to-many gives: for each message its destination (given 0), its length
// (1) and its offset in the input (2); of a multicast only the destinations of the whole input.
#pragma once

#include <cstdint>

#include "upwash/schedule/tape.hpp"

namespace upwash::collective::detail {

enum class to_each : std::uint8_t { message_of_its_own, whole_input };

class given_messages {
 public:
  given_messages(const schedule::tape& on, to_each what) : on_(on), what_(what) {}

  [[nodiscard]] std::uint64_t count() const noexcept { return on_.given(0).size(); }
  [[nodiscard]] int destination(std::uint64_t i) const noexcept {
    return static_cast<int>(on_.given(0)[i]);
  }
  [[nodiscard]] schedule::piece data(std::uint64_t i) const noexcept {
    if (what_ == to_each::whole_input) return {schedule::buffer::input, 0, on_.input_bytes()};
    return {schedule::buffer::input, on_.given(2)[i], on_.given(1)[i]};
  }

  /// Throws `error` (argument) for arrays of unequal length.
  void check_arrays() const;
  /// Throws `error` (argument) for a destination outside the team.
  void check(std::uint64_t i, int ranks) const;

 private:
  const schedule::tape& on_;
  to_each what_;
};

}  // namespace upwash::collective::detail
