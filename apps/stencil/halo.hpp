// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the cells at a box's sides come to the ghosts of its neighbours: by collectives of
// neighbours, by puts with signals, or by tagged messages.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "apps/stencil/cells.hpp"
#include "upwash/core/job.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace stencil {

/// The exchanges beside the schemes of neighbours.
constexpr std::string_view puts = "puts";
constexpr std::string_view messages = "messages";

/// How many cells go in each direction, and the ranks on a periodic grid.
struct halo_shape {
  upwash::grid on;
  std::vector<direction> ways;
  std::vector<std::size_t> counts;  ///< by direction; as many come from the other side
};

class halo {
 public:
  halo() = default;
  halo(halo&&) = delete;
  virtual ~halo() = default;

  /// For what goes in direction `way` in the next exchange.
  [[nodiscard]] virtual std::span<double> outgoing(std::size_t way) = 0;
  /// Sends that, and waits for what the neighbours send. Collective, blocking.
  virtual void exchange() = 0;
  /// What came in that direction: from the neighbour at the other side. Good until the next
  /// exchange.
  [[nodiscard]] virtual std::span<const double> incoming(std::size_t way) = 0;
  /// Collective, at the end.
  virtual void release() {}
};

/// `by`: puts, messages, or a scheme of neighbours, whose plan is made here. Collective, blocking.
/// Throws `error` (argument) at all ranks for a scheme that is unknown.
[[nodiscard]] std::unique_ptr<halo> make_halo(upwash::job& here, const halo_shape& shape,
                                              std::string_view by);

}  // namespace stencil
