// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proves an algorithm for a call, with the definition of each collective, in the validator of
// schedules (schedule/validate.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "upwash/collective/registry.hpp"

namespace upwash::collective {

/// Runs the schedules of all ranks of `call` abstractly, in random interleavings drawn from `seed`.
/// Runs them also step by step, and with sends that wait for their receives. Compares each element
/// of each buffer with the definition of the collective. Returns the first error, with rank and
/// step, or an empty string.
///
/// Lengths that are known only in a run (the v variants, many_to_many) are drawn from `seed` too.
/// They are about `call.bytes` long, and whole elements if they are counted in elements. One draw
/// proves little; use several seeds. Time and memory grow with the square of the number of steps of
/// all ranks: for small teams and few elements. Throws `error` (argument) for a program's own
/// family with lengths known only in a run, and if the selection does not serve the call.
[[nodiscard]] std::string validate(const selection& one, const problem& call,
                                   std::uint64_t seed = 0);

}  // namespace upwash::collective
