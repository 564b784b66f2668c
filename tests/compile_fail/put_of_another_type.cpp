// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The elements of a put are those of the place it goes to.
// expect: (no matching function|could not convert|cannot convert|invalid initialization|no viable)
#include "upwash/upwash.hpp"

#ifdef MISUSE
using element = float;
#else
using element = double;
#endif

void call(upwash::job& here, upwash::global_ptr<double> to, std::span<const element> from) {
  upwash::put(here, to, from).wait();
}
