// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How often the program has called each function, and what became of it. Of several threads some
// calls may be missing: an exact count would cost each call more than it takes.
#pragma once

#include <array>
#include <cstdint>

#include <functions.hpp>  // generated

namespace upwash::mpi {

/// What became of a call. All but the first: the MPI library had it, and why.
enum class fate : std::uint8_t {
  taken,
  not_ours,      ///< no function that upwash has
  left_out,      ///< by a knob
  no_job,        ///< before MPI_Init, behind MPI_Finalize, or no job could be made
  sampled,       ///< its turn, by the knob mpi_sample
  one_member,    ///< a communicator of one
  several_jobs,  ///< an intercommunicator, or ranks that were not started together
  no_team_yet,   ///< nonblocking, and no call that may wait has made the team
  no_progress,   ///< nonblocking, and the library does not let upwash go on while it waits
  no_neighbors,  ///< no topology, or one whose edges are not known at both ends
  no_place,      ///< persistent, and as many as there are teams for are there
  operation,     ///< a type or operator that upwash does not combine
  no_peer,       ///< a message to or from MPI_PROC_NULL
  bad_call,      ///< arguments that the MPI library is to refuse
};
inline constexpr int number_of_fates = 14;
extern const char* const fate_texts[number_of_fates];

/// Of one function, by fate.
using fates = std::array<std::uint64_t, number_of_fates>;

/// Constant once the library is loaded: `function_names[i]` is "MPI_Send" for `of_MPI_Send`.
extern const char* const function_names[number_of_functions];
/// Of this process.
extern std::array<fates, number_of_functions> call_counts;

/// Nonblocking, any thread. A load and a store.
inline void count(function which, fate what) noexcept {
  std::uint64_t& word =
      call_counts[static_cast<std::size_t>(which)][static_cast<std::size_t>(what)];
  __atomic_store_n(&word, __atomic_load_n(&word, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}
inline void passed(function which) noexcept { count(which, fate::not_ours); }

}  // namespace upwash::mpi
