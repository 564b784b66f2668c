// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An address means nothing at another rank.
// expect: a pointer or view means nothing at another rank
#include <string>

#include "upwash/upwash.hpp"

#ifdef MISUSE
using item = const char*;
#else
using item = std::string;
#endif

void call(const upwash::team& world, const item& what) {
  auto items = upwash::open_stream<item>(world, [](const item& /*came*/) {});
  items.push(1, what);
}
