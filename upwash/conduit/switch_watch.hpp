// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observes the turns of a process's ranks, for checks of their effects on each other.
#pragma once

namespace upwash::conduit {

class switch_watch {
 public:
  /// The rank runs from now on, until its turn ends.
  virtual void turn_begins(int rank) noexcept = 0;
  /// The rank waits, yields or has ended. `others`: the number of ranks of the process that could
  /// run meanwhile; 0 if time is simulated.
  virtual void turn_ends(int rank, int others) noexcept = 0;

 protected:
  ~switch_watch() = default;
};

}  // namespace upwash::conduit
