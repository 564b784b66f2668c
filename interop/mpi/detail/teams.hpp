// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators get their teams where they are made.
#pragma once

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

class session;
struct membership;

/// Around a function of the library's that makes communicators. Which call of its parent's it is
/// names the team: so that is made without a message. The library's function waits for all members
/// of the new communicator; what they send there before this rank has made its team, is kept.
class communicator_call {
 public:
  /// `from`: what it is made from; MPI_COMM_NULL: of two, and the members agree on a team.
  communicator_call(function which, MPI_Comm from) noexcept;
  ~communicator_call();
  communicator_call(const communicator_call&) = delete;
  communicator_call& operator=(const communicator_call&) = delete;

  /// Gives it a team, at all who called: later calls that must not wait find it. Blocking only
  /// where it has a topology, and where it has no parent with a team. `hints`: what the program
  /// said of the new one, which may be MPI_COMM_NULL.
  void give_team(MPI_Comm comm, MPI_Info hints = MPI_INFO_NULL) noexcept;
  /// The same where the members of the new one alone called, with that tag.
  void give_team_to_some(int tag, MPI_Comm comm) noexcept;

 private:
  function which_;
  session* own_;
  membership* parent_ = nullptr;  ///< null: none with a team
};

/// What the program promises about its messages there (MPI 4.0, 7.4.4). Local.
void take_hints(function told_by, MPI_Comm comm, MPI_Info hints) noexcept;

}  // namespace upwash::mpi
