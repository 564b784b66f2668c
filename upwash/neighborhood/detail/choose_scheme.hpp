// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scheme for a graph and a size of blocks: members estimate their own plans' rounds, and agree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "upwash/core/job.hpp"
#include "upwash/neighborhood/install.hpp"
#include "upwash/neighborhood/relay/router.hpp"

namespace upwash::neighborhoods::detail {

class neighborhood_state;

/// What the job was installed with.
class costs final : public service_base {
 public:
  explicit costs(job& /*here*/) {}
  machine_by_name* on = nullptr;
};

/// Sizes of blocks that are looked at; a size goes by the nearest of them.
inline constexpr std::array<std::uint64_t, 5> looked_at{8, 128, 2048, 32768, 524288};
[[nodiscard]] std::size_t class_of(std::uint64_t bytes) noexcept;

/// By class of sizes. Makes the plans of all schemes worth a look, which the state keeps; two
/// reductions. Collective, blocking.
[[nodiscard]] std::array<std::string, looked_at.size()> choose_schemes(neighborhood_state& of,
                                                                       contents what);

}  // namespace upwash::neighborhoods::detail
