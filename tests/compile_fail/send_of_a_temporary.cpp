// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a nonblocking send reads must be there until it is complete.
// expect: a temporary is gone before the call is complete
#include <vector>

#include "upwash/upwash.hpp"

void call(const upwash::team& world) {
#ifdef MISUSE
  upwash::send(world, 1, 5, std::vector<int>{1, 2}).wait();
#else
  upwash::send(world, upwash::blocking, 1, 5, std::vector<int>{1, 2});
#endif
}
