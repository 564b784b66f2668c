// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of schedules over shared memory: phases, each of which makes one step or none, perhaps
// several times over.
#pragma once

#include "upwash/schedule/generator.hpp"

namespace upwash::collective::detail {

/// `Derived` has an enumeration `phase` whose last is `end`, `bool act(step&)`, which goes on to
/// the next phase and says whether it made a step, and `void emit(phase, step&, tape&)` for those.
template <class Derived, class Phase>
class in_phases {
 public:
  bool next(schedule::step& out, schedule::tape& on) {
    auto& self = static_cast<Derived&>(*this);
    while (phase_ != Phase::end) {
      const Phase now = phase_;
      if (self.act(out)) {
        self.emit(now, out, on);
        return true;
      }
      out = {};
    }
    return false;
  }

 protected:
  Phase phase_{};
};

}  // namespace upwash::collective::detail
