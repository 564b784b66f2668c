// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank goes wrong: its handler throws; "body": itself; "argument": it sends to nobody;
// "stream": an item's handler throws; "status": it returns 5; "value": throws no std::exception;
// "receiving", "sending", "collective": past an operation in flight that needs the others;
// "caught": it catches that itself; "left": and looks whether the operation still writes to its
// buffers.
#include <algorithm>
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

/// What is left in flight writes to the buffers no more, which would be gone in other programs.
void leave_in_flight(upwash::job& here) {
  const upwash::team world = here.world();
  const bool leaves = here.rank() + 1 == here.size();
  const std::vector<int> mine(100'000, 1);
  std::vector<int> all(mine.size() * static_cast<std::size_t>(world.size()));
  try {
    auto gathered = upwash::all_gather(world, std::span(mine), std::span(all));
    if (leaves) throw std::runtime_error("out of luck");
    gathered.wait();
  } catch (const std::runtime_error&) {
    if (!leaves) throw;
  }
  if (!leaves) return;
  std::fill(all.begin(), all.end(), 0);
  for (int i = 0; i < 100; ++i) {
    here.compute(upwash::duration::from_us(1000));  // the others send
    try {
      here.progress();
    } catch (const upwash::error&) {  // thrown again by whatever comes next
      continue;
    }
  }
  if (std::count(all.begin(), all.end(), 0) != std::ssize(all)) {
    throw std::runtime_error("buffers were written that are no more the operation's");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "handler";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const int last = here.size() - 1;
    if (how == "status") return here.rank() == last ? 5 : 0;
    if (how == "left") leave_in_flight(here);
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
