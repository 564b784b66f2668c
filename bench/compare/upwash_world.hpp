// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every comparison asks of upwash beside its cells.
#pragma once

#include <upwash/upwash.hpp>

#include <span>

namespace compare {

class upwash_world {
 public:
  explicit upwash_world(upwash::job& here) : here_(here), world_(here.world()) {}
  int rank() const { return world_.rank(); }
  int size() const { return world_.size(); }
  /// Seconds, virtual where the machine is simulated.
  double now() const { return here_.now().seconds(); }
  double most(double mine) {
    double all = 0;
    upwash::all_reduce<upwash::most>(world_, upwash::blocking, std::span<const double>(&mine, 1),
                                     std::span(&all, 1));
    return all;
  }
  void barrier() { upwash::barrier(world_, upwash::blocking); }

 protected:
  upwash::job& here_;
  upwash::team world_;
};

}  // namespace compare
