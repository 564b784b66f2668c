// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A put of data and a put of a flag, for scripts/check-fences to look at their instructions.
#include "upwash/core/memory_access.hpp"

extern "C" {

void put_data(upwash::job& here, const upwash::global_ptr<double>& to, const double* from,
              std::size_t count) {
  upwash::put(here, to, std::span(from, count), upwash::implicit);
}

void put_flag(upwash::job& here, const upwash::global_ptr<std::uint64_t>& to) {
  upwash::put_value(here, to, 1);
}
}
