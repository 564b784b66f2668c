// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank dies; the others look for it in a way of their own, and must notice: orphan
// test|progress|wait|get|send|message.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "upwash/upwash.hpp"

namespace {

struct word final : upwash::service_base {
  explicit word(upwash::job& /*here*/) {}
  upwash::exposed_memory memory;
  bool came = false;
};

void tell(upwash::incoming& in) {
  auto& mine = in.here().service<word>();
  std::memcpy(&mine.memory, in.payload().data(), sizeof mine.memory);
  mine.came = true;
}

void ignore(upwash::incoming& /*in*/) {}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "wait";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const int last = here.size() - 1;
    std::vector<std::byte> bytes(4096);
    if (here.rank() == last) {
      const upwash::exposed_memory mine = upwash::expose(here, bytes);
      for (int r = 0; r < last; ++r) {
        upwash::send_medium<&tell>(here, r, std::as_bytes(std::span(&mine, 1)));
      }
    }
    std::vector<std::byte> large(how == "message" ? 1'000'000 : 0);
    std::vector<upwash::request> going;
    for (int r = 0; here.rank() == last && how == "message" && r < last; ++r) {
      going.push_back(upwash::send(here.world(), r, 6, large));
    }
    upwash::control::barrier(here.world());
    if (here.rank() == last) raise(SIGKILL);
    auto& peer = here.service<word>();
    if (how == "get") {
      while (!peer.came) here.progress();
      for (;;) upwash::get(here, peer.memory, 0, bytes).wait();
    }
    if (how == "message") upwash::receive(here.world(), upwash::blocking, last, 6, large);
    if (how == "send") {
      for (;;) upwash::send<&ignore>(here, last);
    }
    auto never = upwash::matching::receive(here.world(), last, 7, bytes);
    if (how == "wait") never.wait();
    while (!never.test()) {
    }
  });
}
