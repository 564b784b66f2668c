// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sees the ranks of a process take turns, for checks of what they do to each other.
#pragma once

namespace upwash::conduit {

class switch_watch {
 public:
  /// The rank runs from now on, until its turn ends.
  virtual void turn_begins(int rank) noexcept = 0;
  /// It waits, gives way or has ended. `others`: how many of the process could run meanwhile; 0
  /// where time is simulated.
  virtual void turn_ends(int rank, int others) noexcept = 0;

 protected:
  ~switch_watch() = default;
};

}  // namespace upwash::conduit
