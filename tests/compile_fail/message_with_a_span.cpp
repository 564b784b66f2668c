// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A span as an argument of a message would be an address: the elements are its payload.
// expect: serialize
#include <span>

#include "upwash/upwash.hpp"

#ifdef MISUSE
void take(upwash::incoming& /*in*/, std::span<const int> /*these*/) {}

void tell(upwash::job& here, std::span<const int> these) { upwash::send<&take>(here, 0, these); }
#else
void take(upwash::incoming& /*in*/) {}

void tell(upwash::job& here, std::span<const int> these) {
  upwash::send_medium<&take>(here, 0, std::as_bytes(these));
}
#endif
