// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls as programs might make them, drawn by chance.
#pragma once

#include <cstdint>

#include "upwash/base/random.hpp"
#include "upwash/collective/problem.hpp"

namespace upwash::tests {

/// Any problem of a small team, of up to 4 MiB; often of a size near one that was asked before.
inline collective::problem random_problem(random_stream& from) {
  using namespace collective;
  constexpr std::uint32_t elements[] = {1, 4, 8, 24};
  problem call{.of = own_kinds()[from.below(own_kinds().size())]};
  call.ranks = 1 + static_cast<int>(from.below(9));
  call.element_bytes = elements[from.below(4)];
  const std::uint64_t most = std::uint64_t{1} << from.below(23);
  call.bytes = from.below(most + 1) / call.element_bytes * call.element_bytes;
  if (call.of == kind::barrier) call.bytes = 0;
  call.root = static_cast<int>(from.below(static_cast<std::uint64_t>(call.ranks)));
  call.degree = static_cast<int>(from.below(static_cast<std::uint64_t>(call.ranks)));
  call.known_senders = from.below(2) == 0;
  call.in_place = from.below(4) == 0;
  call.commutative = from.below(4) != 0;
  call.direct_access = from.below(2) == 0;
  call.ranks_per_node = from.below(2) == 0 ? 1 : call.ranks;
  call.shared_scratch = call.direct_access ? std::uint64_t{32768} << 5 * from.below(2) : 0;
  call.overlapped = from.below(4) == 0;
  call.eager_bytes = from.below(2) == 0 ? 512 : 4096;
  call.eager_limit = from.below(2) == 0 ? 0 : 16'384;
  if (from.below(8) == 0) call.transfer = static_cast<mechanism>(from.below(4));
  return call;
}

}  // namespace upwash::tests
