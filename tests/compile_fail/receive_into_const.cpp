// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A receive writes to what it is given.
// expect: a receive writes to what it is given: give a variable that is not const
#include "upwash/upwash.hpp"

#ifdef MISUSE
using target = const int;
#else
using target = int;
#endif

void call(const upwash::team& world, target& into) { upwash::receive(world, 1, 5, into).wait(); }
