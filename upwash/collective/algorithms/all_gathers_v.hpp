// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks, of different lengths that all know. The input is the
// rank's block; in place it is in the output already. Any P.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: each block straight from its owner to every rank, to the next one first. Cost: P-1
/// messages a rank, the least bytes possible.
[[nodiscard]] schedule::generator direct_all_gather_v(const blocks& data, int rank, bool in_place);

/// Idea: in each of P-1 rounds what came goes on to the next rank. Cost: P-1 messages a rank, the
/// least bytes possible; as long as P-1 messages of the longest block. Source: Thakur, Rabenseifner
/// and Gropp 2005.
[[nodiscard]] schedule::generator ring_all_gather_v(const blocks& data, int rank, bool in_place);

/// Idea: in round r a rank has the blocks of the k^r ranks from itself on; those of as many further
/// come from the ranks 1 to k-1 times k^r further. Blocks lie from the rank's own on, and are
/// turned to their places at the end. Cost: (k-1) ceil(log_k P) messages at most, the least bytes
/// possible, all bytes copied once more. Source: Bruck et al. 1997.
[[nodiscard]] schedule::generator dissemination_all_gather_v(const blocks& data, int rank,
                                                             int radix, bool in_place);

}  // namespace upwash::collective
