// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Items travel as bytes.
// expect: items must be trivially copyable: they travel as bytes
#include <string>
#include <vector>

#include "upwash/upwash.hpp"

#ifdef MISUSE
using item = std::string;
#else
using item = char;
#endif

void call(const upwash::team& world, const std::vector<item>& items) {
  upwash::send(world, 1, 5, items).wait();
}
