// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of `bytes` for each rank; input and output hold one for, and from,
// each in order. Restrictions: not in place. Any P. Others: direct_exchange.hpp,
// mesh_all_to_all.hpp, one_round.hpp; of different lengths: all_to_alls_v.hpp.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: a block that is to go x ranks ahead goes there digit by digit of x, base k: in round r all
/// with digit j go j k^r ranks in one message. Cost: (k-1) ceil(log_k P) messages at most; for k =
/// 2 and a power of two P/2 m bytes each; each byte sent is copied twice, and 2 P m bytes for
/// turning. Source: Bruck et al. 1997.
[[nodiscard]] schedule::generator bruck_all_to_all(int ranks, int rank, std::uint64_t bytes,
                                                   int radix);

/// Idea: in each stage exchange with the vertex in the other half of what is left of the cube all
/// that is for ranks there; ranks beyond the cube work through a vertex. Cost: log2 P messages of
/// P/2 m bytes, copied before, and P m to their places; beyond a cube about twice as long, and one
/// of P m bytes more. Source: Kumar 2005, 3.1.3, equations 3.10 and 3.12.
[[nodiscard]] schedule::generator hypercube_all_to_all(int ranks, int rank, std::uint64_t bytes);

}  // namespace upwash::collective
