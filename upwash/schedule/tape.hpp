// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a generator works on while it emits: numbers for its steps, so that algorithms name earlier
// steps and not distances (also across generators that run in sequence on one tape), and what is
// known of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule {

/// Where a step was emitted; `never` is a dependency that is always met.
using mark = std::uint64_t;
inline constexpr mark never = 0;

/// What is known at run time only. `given` are arrays of the caller's (counts, offsets), `slots`
/// words of the run, which receives and the generator itself write.
struct facts {
  std::array<std::span<const std::uint64_t>, 4> given{};
  std::span<std::uint64_t> slots{};
  std::uint64_t input_bytes = 0;   ///< of this rank's input, where ranks may differ
  std::uint64_t output_bytes = 0;  ///< of its output
};

class tape {
 public:
  explicit tape(mark emitted = never, const facts* known = nullptr)
      : emitted_(emitted), known_(known) {}

  /// Completes `s`: it waits for the steps marked. Returns its own mark.
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

  /// The mark of the latest step.
  [[nodiscard]] mark latest() const noexcept { return emitted_; }

  /// The caller's array `i`; of 0 words where the caller gave none.
  [[nodiscard]] std::span<const std::uint64_t> given(std::size_t i) const noexcept {
    return known_ == nullptr ? std::span<const std::uint64_t>() : known_->given[i];
  }
  [[nodiscard]] std::uint64_t input_bytes() const noexcept {
    return known_ == nullptr ? 0 : known_->input_bytes;
  }
  [[nodiscard]] std::uint64_t output_bytes() const noexcept {
    return known_ == nullptr ? 0 : known_->output_bytes;
  }
  /// Slots that a receive writes hold their words once a stage behind it is done. The generator
  /// may write slots for a header that it emits next, while no step that uses them is open.
  [[nodiscard]] std::span<std::uint64_t> slots() const noexcept {
    return known_ == nullptr ? std::span<std::uint64_t>() : known_->slots;
  }

 private:
  mark emitted_;
  const facts* known_;
};

}  // namespace upwash::schedule
