// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proves an algorithm for a call: the definition of each collective, for the validator of schedules
// (schedule/validate.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "upwash/collective/registry.hpp"

namespace upwash::collective {

/// Runs the schedules of all ranks of `call` abstractly, in random interleavings drawn from `seed`,
/// also step by step and with sends that wait for their receives, and compares what each element
/// of each buffer holds with what the collective is. Returns the first thing that is wrong, with
/// the rank and the step, or an empty string. Time and memory grow with the square of all ranks'
/// steps: for small teams and few elements. Where lengths are known in a run only (those with _v,
/// many_to_many) they are drawn from `seed` too, about `call.bytes` long, in whole elements where
/// they are counted so; one draw proves little, so go through several seeds. Throws `error`
/// (argument) for a family of one's own with such lengths, and where the selection does not serve
/// the call.
[[nodiscard]] std::string validate(const selection& one, const problem& call,
                                   std::uint64_t seed = 0);

}  // namespace upwash::collective
