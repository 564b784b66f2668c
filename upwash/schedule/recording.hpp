// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records the steps of schedules that depend on run-time facts, as a run would make them. The
// headers of all ranks' messages are passed on, without data and without time. The recorded steps
// can be shown, counted, priced and replayed like others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule {

/// Emits steps that are stored elsewhere, without changes.
[[nodiscard]] generator emit_recorded(std::span<const step> kept, const needs& wants);

class recording {
 public:
  /// Records all steps of all ranks. `facts_of` gives the caller's arrays; the slots belong to the
  /// recording. Throws `error`: argument for more than `most_steps`, fault for headers that never
  /// arrive.
  recording(int ranks, function_ref<generator(int rank)> schedule_of,
            function_ref<facts(int rank)> facts_of, std::uint64_t most_steps = 20'000'000);

  /// Returns a generator of a rank's steps, in which the contents of messages appear as known
  /// facts. The recording must outlive it.
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
