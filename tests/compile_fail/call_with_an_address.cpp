// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a method takes travels: an address means nothing where the object is.
// expect: means nothing at another rank
#include <string>
#include <string_view>

#include "upwash/objects/object_array.hpp"

#ifdef MISUSE
using text = std::string_view;
#else
using text = std::string;
#endif

struct cell : upwash::object<int> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}
  void name(text /*by*/) {}
};

void call(upwash::object_array<cell>& cells) { cells[0].send<&cell::name>("north"); }
