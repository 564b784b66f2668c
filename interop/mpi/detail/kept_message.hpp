// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A persistent message's arguments.
#pragma once

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// MPI's send modes.
enum class sending : std::uint8_t { standard, buffered, synchronous, ready };

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
};

}  // namespace upwash::mpi
