// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A request that nobody keeps would wait in its destructor at once.
// expect: nodiscard|unused-result
#include "upwash/upwash.hpp"

void call(upwash::job& here, upwash::global_ptr<int> to, std::span<const int> from) {
#ifdef MISUSE
  upwash::put(here, to, from);
#else
  upwash::put(here, to, from).wait();
#endif
}
