// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of most schedules: rounds of the same few parts, each of which emits a step, several,
// or none.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective::detail {

enum class emitted : std::uint8_t {
  nothing,  ///< the part has no step in this round, or no more
  one,      ///< and the part is over
  more,     ///< one, and the part goes on
};

/// `Derived` has `int rounds()` and `emitted act(int part, step&, tape&)`, where what
/// it wrote to the step is lost if it emits nothing.
template <class Derived, int Parts>
class in_rounds {
 public:
  bool next(schedule::step& out, schedule::tape& on) {
    auto& self = static_cast<Derived&>(*this);
    while (round_ < self.rounds()) {
      const emitted what = self.act(part_, out, on);
      if (what != emitted::more && ++part_ == Parts) {
        part_ = 0;
        ++round_;
      }
      if (what != emitted::nothing) return true;
      out = {};
    }
    return false;
  }

 protected:
  [[nodiscard]] int round() const noexcept { return round_; }
  [[nodiscard]] bool between_rounds() const noexcept { return part_ == 0; }
  void pass_over(int rounds) noexcept { round_ += rounds; }

 private:
  int round_ = 0;
  int part_ = 0;
};

}  // namespace upwash::collective::detail
