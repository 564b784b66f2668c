// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects migrate, so their state is serialized.
// expect: objects migrate
#include "upwash/objects/object_array.hpp"

struct cell : upwash::object<int> {
  using object::object;
#ifndef MISUSE
  template <class A>
  void serialize(A& archive) {
    archive(state);
  }
#endif
  int state = 0;
};

void make(const upwash::team& among) { upwash::object_array<cell> cells(among); }
