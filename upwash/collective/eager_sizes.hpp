// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Up to which size edges should travel eagerly: where the copy out of an anonymous buffer begins to
// take longer than to ask for the data, or for their place.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/collective/install.hpp"
#include "upwash/collective/problem.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::collective {

/// The largest edge that travels eagerly where nobody names another size: the largest power of two
/// at which one message alone, between the two members that are furthest apart, is priced at most
/// as high eagerly as by what lower() does otherwise; at most `call.eager_limit`, and that where no
/// copy has a price or a mechanism is asked for. For an overlapped call by what it takes of the
/// processors. A function of the machine and the problem (but its bytes), so the same at all
/// members. Prices some 20 messages: 50 us.
[[nodiscard]] std::uint64_t usual_eager_bytes(const machine& on, const problem& call);

/// Other sizes worth a price: none at all, the usual one of each level of the machine that the team
/// spans (and of edges whose place is known), the limit. In rising order. Empty where the problem
/// leaves no choice.
[[nodiscard]] std::vector<std::uint64_t> eager_sizes_to_try(const machine& on, const problem& call);

/// Whether a schedule whose sends have those sizes (price_result::edge_sizes) travels otherwise
/// with the one than with the other.
[[nodiscard]] bool travels_otherwise(std::uint64_t edge_sizes, std::uint64_t one,
                                     std::uint64_t other) noexcept;

}  // namespace upwash::collective
