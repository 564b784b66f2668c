// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank's handler throws, or with the word "body" the last rank itself.
#include <stdexcept>
#include <string_view>

#include "upwash/upwash.hpp"

namespace {

void explode(upwash::incoming& /*in*/) { throw std::runtime_error("out of luck"); }

}  // namespace

int main(int argc, char** argv) {
  const bool in_body = argc > 1 && std::string_view(argv[1]) == "body";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const int last = here.size() - 1;
    if (in_body && here.rank() == last) throw std::runtime_error("out of luck");
    if (!in_body && here.rank() == 0) upwash::send<&explode>(here, last);
    upwash::control::barrier(here.world());
    upwash::control::barrier(here.world());
  });
}
