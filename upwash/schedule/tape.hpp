// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tape of a generator: numbers of its steps, and the known facts of the run. Algorithms name
// earlier steps by number instead of distance, also across generators that run in sequence on one
// tape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

/// The number of an emitted step. `never` is a dependency that is always met.
using mark = std::uint64_t;
inline constexpr mark never = 0;

/// Facts known only at run time. `given`: arrays of the caller (counts, offsets). `slots`: words of
/// the run, written by receives and by the generator.
struct facts {
  std::array<std::span<const std::uint64_t>, 4> given{};
  std::span<std::uint64_t> slots{};
  std::uint64_t input_bytes = 0;   ///< of this rank, if ranks may differ
  std::uint64_t output_bytes = 0;  ///< of this rank
};

class tape {
 public:
  explicit tape(mark emitted = never, const facts* known = nullptr)
      : emitted_(emitted), known_(known) {}

  /// Completes `s`: sets its dependencies to the marked steps. Returns its mark.
  template <class... Marks>
  mark emit(step& s, Marks... after) {
    static_assert(sizeof...(Marks) <= step::most_dependencies);
    ++emitted_;
    std::size_t i = 0;
    [[maybe_unused]] const auto wait_for = [&](mark earlier) {
      if (earlier != never) s.after[i++] = static_cast<std::uint32_t>(emitted_ - earlier);
    };
    (wait_for(after), ...);
    return emitted_;
  }

  /// Returns the mark of the latest step.
  [[nodiscard]] mark latest() const noexcept { return emitted_; }

  /// Returns the caller's array `i`; empty if the caller gave none.
  [[nodiscard]] std::span<const std::uint64_t> given(std::size_t i) const noexcept {
    return known_ == nullptr ? std::span<const std::uint64_t>() : known_->given[i];
  }
  [[nodiscard]] std::uint64_t input_bytes() const noexcept {
    return known_ == nullptr ? 0 : known_->input_bytes;
  }
  [[nodiscard]] std::uint64_t output_bytes() const noexcept {
    return known_ == nullptr ? 0 : known_->output_bytes;
  }
  /// Returns the slots. Slots of a receive hold their words when a later stage is complete. The
  /// generator may write slots for a header that it emits next, while no open step uses them.
  [[nodiscard]] std::span<std::uint64_t> slots() const noexcept {
    return known_ == nullptr ? std::span<std::uint64_t>() : known_->slots;
  }

 private:
  mark emitted_;
  const facts* known_;
};

}  // namespace upwash::schedule
