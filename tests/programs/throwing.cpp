// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank goes wrong: its handler throws, or with the word "body" the rank itself; with
// "argument" it sends to nobody, with "stream" the handler of an item throws, with "status" it ends
// properly but returns 5.
#include <stdexcept>
#include <string_view>

#include "upwash/streaming/stream.hpp"
#include "upwash/upwash.hpp"

namespace {

void explode(upwash::incoming& /*in*/) { throw std::runtime_error("out of luck"); }

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "handler";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const int last = here.size() - 1;
    if (how == "status") return here.rank() == last ? 5 : 0;
    if (how == "body" && here.rank() == last) throw std::runtime_error("out of luck");
    if (how == "argument" && here.rank() == last) upwash::send<&explode>(here, here.size());
    if (how == "handler" && here.rank() == 0) upwash::send<&explode>(here, last);
    if (how == "stream") {
      auto items = upwash::open_stream<int>(here.world(), [](const int& one) {
        if (one == 7) throw std::runtime_error("out of luck");
      });
      for (int i = 0; i < 10 && here.rank() == 0; ++i) items.push(last, i);
      items.finish();
    }
    upwash::control::barrier(here.world());
    upwash::control::barrier(here.world());
    return 0;
  });
}
