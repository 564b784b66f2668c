// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one place where a collective calls the program's operator.
#pragma once

#include <cstddef>
#include <exception>

#include "upwash/collective/binding.hpp"

namespace upwash {
class job;
}

namespace upwash::collective::detail {

/// Ends the job: records an `error` (fault) with the text of the exception being handled, which
/// each later progress of this rank throws, and throws it. Rethrows the cancellation of a thread.
[[noreturn]] void operator_threw(job& here);

/// into = left op right over `bytes` bytes. The job ends if the operator throws, because the steps
/// of other members wait for this one.
inline void apply_operator(job& here, const reduction& combine, const std::byte* left,
                           const std::byte* right, std::byte* into, std::size_t bytes) {
  try {
    combine.combine(left, right, into, bytes);
  } catch (...) {
    operator_threw(here);
  }
}

}  // namespace upwash::collective::detail
