// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "upwash/schedule/tape.hpp"

namespace upwash::collective::detail {

/// The latest few steps of a kind, of which the next one waits for the oldest: so no more of them
/// are open at a time, and the window stays small; or, each uses one of a few places, which it may
/// not touch before the one so many before it is done with it.
template <std::size_t Most>
class latest_marks {
 public:
  explicit latest_marks(std::uint32_t kept = Most) noexcept : kept_(kept) {}

  [[nodiscard]] schedule::mark oldest() const noexcept { return of_[next_]; }
  /// In place of the oldest.
  void add(schedule::mark latest) noexcept {
    of_[next_] = latest;
    if (++next_ == kept_) next_ = 0;
  }
  /// Whatever comes next waits for this.
  void fill(schedule::mark all) noexcept { of_.fill(all); }

 private:
  std::array<schedule::mark, Most> of_{};
  std::uint32_t kept_;
  std::uint32_t next_ = 0;
};

}  // namespace upwash::collective::detail
