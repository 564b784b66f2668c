// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts of data and of a flag, and atomics, for scripts/check-fences to look at their instructions.
#include "upwash/core/atomic.hpp"
#include "upwash/core/memory_access.hpp"

extern "C" {

void put_data(upwash::job& here, const upwash::global_ptr<double>& to, const double* from,
              std::size_t count) {
  upwash::put(here, to, std::span(from, count), upwash::implicit);
}

void put_flag(upwash::job& here, const upwash::global_ptr<std::uint64_t>& to) {
  upwash::put_value(here, to, 1);
}

std::uint64_t add_atomically(upwash::job& here, const upwash::global_ptr<std::uint64_t>& to) {
  return upwash::fetch_add(here, to, 1);
}

void store_atomically(upwash::job& here, const upwash::global_ptr<std::uint64_t>& to) {
  upwash::atomic_store(here, to, 1);
}
}
