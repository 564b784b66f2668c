// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers what a generator emits, so that algorithms name earlier steps and not distances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

/// Where a step was emitted; `never` is a dependency that is always met.
using mark = std::uint32_t;
inline constexpr mark never = 0;

class tape {
 public:
  /// Completes `s`: it waits for the steps marked. Returns its own mark.
  template <class... Marks>
  mark emit(step& s, Marks... after) {
    static_assert(sizeof...(Marks) <= step::most_dependencies);
    ++emitted_;
    std::size_t i = 0;
    [[maybe_unused]] const auto wait_for = [&](mark earlier) {
      if (earlier != never) s.after[i++] = emitted_ - earlier;
    };
    (wait_for(after), ...);
    return emitted_;
  }

 private:
  std::uint32_t emitted_ = 0;
};

}  // namespace upwash::schedule
