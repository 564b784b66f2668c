// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a collective reads and what it writes are of one type.
// expect: the items of input and output must be of one type
#include <vector>

#include "upwash/upwash.hpp"

#ifdef MISUSE
using item = float;
#else
using item = double;
#endif

void call(const upwash::team& world, const std::vector<item>& mine, std::vector<double>& all) {
  upwash::all_gather(world, mine, all).wait();
}
