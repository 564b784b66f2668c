// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of `bytes` for each rank. Input and output hold one for, and from,
// each rank in order. Restrictions: not in place. Any P. Others: direct_exchange.hpp,
// mesh_all_to_all.hpp, one_round.hpp; of different lengths: all_to_alls_v.hpp.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: a block for the rank at distance x travels by the digits of x in base k. In round r all
/// blocks with digit j travel j k^r ranks in one message. Cost: (k-1) ceil(log_k P) messages at
/// most; for k = 2 and a power of two P/2 m bytes each. Each sent byte is copied twice, and 2 P m
/// bytes are copied for the rotation. Source: Bruck et al. 1997.
[[nodiscard]] schedule::generator bruck_all_to_all(int ranks, int rank, std::uint64_t bytes,
                                                   int radix);

/// Idea: in each stage a rank exchanges all blocks for the other half of the remaining cube with
/// its vertex there. Ranks beyond the cube work through a vertex. Cost: log2 P messages of P/2 m
/// bytes, copied before, and P m copied into place; beyond a cube about twice the time, and one
/// message of P m bytes more. Source: Kumar 2005, 3.1.3, equations 3.10 and 3.12.
[[nodiscard]] schedule::generator hypercube_all_to_all(int ranks, int rank, std::uint64_t bytes);

}  // namespace upwash::collective
