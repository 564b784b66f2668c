// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A message has one argument for each parameter of its handler.
// expect: one argument for each parameter of the handler
#include "upwash/upwash.hpp"

void handler(upwash::incoming& /*in*/, int /*first*/, int /*second*/) {}

void call(upwash::job& here) {
#ifdef MISUSE
  upwash::send<&handler>(here, 1, 17);
#else
  upwash::send<&handler>(here, 1, 17, 18);
#endif
}
