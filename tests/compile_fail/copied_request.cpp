// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An operation in flight has one handle.
// expect: (use of deleted function|deleted|copy constructor)
#include <utility>

#include "upwash/upwash.hpp"

void call(upwash::request one) {
#ifdef MISUSE
  upwash::request other = one;
#else
  upwash::request other = std::move(one);
#endif
  other.wait();
}
