// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One value is its bytes: a view of items elsewhere is none.
// expect: (a view is no value|trivially.copyable|no matching function)
#include <string>

#include "upwash/upwash.hpp"

#ifdef MISUSE
using value = std::string;
#else
using value = double;
#endif

void call(const upwash::team& world, std::span<value> data) {
  upwash::broadcast(world, 0, data).wait();
}
