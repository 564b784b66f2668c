// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a message ended, and how MPI says it.
#pragma once

#include "interop/mpi/detail/mpi.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

/// Of what sends, and of collectives, as it is made: they have nothing to say but their code.
struct outcome {
  matching::receipt got;
  int code = MPI_SUCCESS;
  bool of_nobody = false;  ///< from MPI_PROC_NULL
};

/// Sets all but MPI_ERROR, which belongs to calls for several requests. Not of MPI_STATUS_IGNORE.
/// The library has functions for the two members without a name, which take as long as a message.
inline void fill(MPI_Status* status, const outcome& end) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  const matching::receipt& got = end.got;
  status->MPI_SOURCE = end.of_nobody                        ? MPI_PROC_NULL
                       : got.source == matching::any_source ? MPI_ANY_SOURCE
                                                            : got.source;
  status->MPI_TAG = got.tag == matching::any_tag ? MPI_ANY_TAG : got.tag;
#ifdef OPEN_MPI
  status->_ucount = got.bytes;
  status->_cancelled = got.cancelled ? 1 : 0;
#else
  // The lowest bit of the second word says whether it was cancelled.
  status->count_lo = static_cast<int>(got.bytes);
  status->count_hi_and_cancelled =
      static_cast<int>(got.bytes >> 32U << 1U) | (got.cancelled ? 1 : 0);
#endif
}

}  // namespace upwash::mpi
