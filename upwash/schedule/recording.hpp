// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of schedules that ask at run time, as a run makes them: the headers of all ranks'
// messages flow, without data and without time. So they can be shown, counted, priced and replayed
// like others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule {

/// Emits steps that are kept elsewhere, as they are.
[[nodiscard]] generator emit_recorded(std::span<const step> kept, const needs& wants);

class recording {
 public:
  /// `facts_of` gives the caller's arrays; slots are the recording's. All steps of all ranks are
  /// kept. Throws `error`: argument for more than `most_steps`, fault for headers that never come.
  recording(int ranks, function_ref<generator(int rank)> schedule_of,
            function_ref<facts(int rank)> facts_of, std::uint64_t most_steps = 20'000'000);

  /// Emits the steps of a rank; what came in messages stands in them as if it had been known.
  /// The recording outlives it.
  [[nodiscard]] generator steps_of(int rank) const;

 private:
  struct track {
    std::vector<step> steps;
    needs wants;
  };
  class flow;

  std::vector<track> tracks_;
};

}  // namespace upwash::schedule
