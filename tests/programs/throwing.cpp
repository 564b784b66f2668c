// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank goes wrong: its handler throws, or with the word "body" the rank itself; with
// "argument" it sends to nobody, with "stream" the handler of an item throws, with "status" it ends
// properly but returns 5, with "value" it throws what is no std::exception. With "receiving",
// "sending" and "collective" it throws past an operation in flight that needs the
// others; with "caught" it catches that itself and goes on.
#include <stdexcept>
#include <string_view>
#include <vector>

#include "upwash/streaming/stream.hpp"
#include "upwash/upwash.hpp"

namespace {

void explode(upwash::incoming& /*in*/) { throw std::runtime_error("out of luck"); }

void in_flight(upwash::job& here, std::string_view how) {
  const upwash::team world = here.world();
  std::vector<std::byte> bytes(std::size_t{1} << 20U);
  if (how == "receiving" || how == "caught") {
    try {
      const auto never = upwash::matching::receive(world, 0, 1, bytes);
      const auto matched =
          upwash::matching::send(world, 0, 1, bytes, upwash::matching::mode::synchronous);
      throw std::runtime_error("out of luck");
    } catch (const std::runtime_error&) {
      if (how != "caught") throw;
    }
  }
  if (how == "sending") {
    const auto never = upwash::matching::send(world, 0, 1, bytes);
    throw std::runtime_error("out of luck");
  }
  if (how == "collective") {
    const auto never = upwash::broadcast(world, 0, std::span(bytes));
    throw std::runtime_error("out of luck");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "handler";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const int last = here.size() - 1;
    if (how == "status") return here.rank() == last ? 5 : 0;
    if (how == "value" && here.rank() == last) throw 42;
    if (here.rank() == last) in_flight(here, how);
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
