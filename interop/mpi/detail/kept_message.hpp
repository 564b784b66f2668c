// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A persistent message: its arguments, and what its last start gave.
#pragma once

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

/// MPI's send modes.
enum class sending : std::uint8_t { standard, buffered, synchronous, ready };

/// What MPI says of a message behind its receive.
struct outcome {
  matching::receipt got;
  int code = MPI_SUCCESS;
  bool of_nobody = false;  ///< from MPI_PROC_NULL
};

struct open_message;

/// Of a request that outlives its communicator `on` stays.
struct kept_message {
  membership* on;
  bool sends;
  sending how;
  elements what;
  int peer;  ///< as MPI says it
  int tag;
  kept_types types{};
  open_message* going = nullptr;  ///< of the start that is under way
  outcome end{};                  ///< of the last one
  bool is_told = true;            ///< the program knows it, or there is none
};

}  // namespace upwash::mpi
