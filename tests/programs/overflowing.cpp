// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank needs more stack than its fiber has.
#include <cstdio>

#include "upwash/upwash.hpp"

namespace {

int deep(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? room[0] : deep(depth - 1) + room[0];
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& here) {
    if (here.rank() == here.size() - 1) std::printf("%d\n", deep(1000));
  });
}
