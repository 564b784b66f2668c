// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/counts.hpp"

namespace upwash::mpi {

constinit std::array<fates, number_of_functions> call_counts{};

const char* const fate_texts[number_of_fates] = {
    "taken over",
    "passed through",
    "left out by a knob",
    "outside the job",
    "sampled",
    "a communicator of one",
    "ranks of several jobs",
    "no team yet",
    "no progress",
    "no neighbours known at both ends",
    "too many persistent ones",
    "type or operator",
    "to or from nobody",
    "bad arguments",
};

}  // namespace upwash::mpi
