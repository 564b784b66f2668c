// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hangs in one of several ways, for the report of the whole job: hanging HOW [SECONDS].
//   missing   all but the last rank wait in a barrier; the last one has left
//   cycle     each rank receives from the next one, with a tag
//   computes  all but rank 0 wait in an all_reduce; rank 0 computes
//   polls     as missing, but the others test a receive in a loop
//   pending   rank 0 has posted receives, and waits for a word; the others have left
//   kinds     rank 0 waits for a semaphore, 1 for a lock, 2 for a stream; the last computes
//   slow      as missing, but the last rank comes after SECONDS
//   control   rank 0 waits in a control all_reduce, 1 in an allocate, 2 in a split, 3 in a send;
//   the
//             last computes
//   credit    rank 0 pushes into a stream for rank 1, which computes
//   messages  rank 0 sends active messages to rank 1, which computes
//   sets      rank 0 waits for any of its requests, 1 for some, 2 for a message; the last computes
//   stream    all but the last rank end a stream; the last one receives
//   free      all but the last rank free a region; the last one receives
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>

#include "upwash/onesided/locks.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/upwash.hpp"

namespace {

void compute_for_ever() {
  for (std::atomic<int> turn = 0;; ++turn) {
  }
}

void hang_in_kinds(upwash::job& here) {
  const upwash::team world = here.world();
  upwash::semaphore_set words(world, 1);
  upwash::lock_set locks(world, 1, upwash::lock_kind::queue);
  auto items = upwash::open_stream<int>(world, [](int) {});
  if (here.rank() == here.size() - 1) locks.lock(0, 0);
  upwash::barrier(world, upwash::blocking);
  switch (here.rank()) {
    case 0: return words.wait(0);
    case 1: return locks.lock(0, 0);
    case 2: return items.finish();
    default: compute_for_ever();
  }
}

void hang_in_sets(upwash::job& here) {
  const upwash::team world = here.world();
  const int last = here.size() - 1;
  std::array<std::byte, 8> bytes{};
  std::array<std::size_t, 1> indices{};
  const auto send = [&] {
    return upwash::matching::send(world, last, 7, bytes, upwash::matching::mode::synchronous);
  };
  if (here.rank() == last) compute_for_ever();
  std::array<upwash::request, 1> sends{send()};
  if (here.rank() == 0) upwash::wait_any(sends);
  if (here.rank() == 1) upwash::wait_some(sends, indices);
  if (here.rank() == 2) static_cast<void>(upwash::matching::wait_for_message(world, last, 9));
}

void hang_in_control(upwash::job& here) {
  // Pairs with the last one: else each would make up for another's lack.
  const upwash::team world = here.world();
  const int last = here.size() - 1;
  std::array<upwash::team, 3> pairs;
  for (int r = 0; r < last; ++r) {
    const bool in = here.rank() == r || here.rank() == last;
    pairs[static_cast<std::size_t>(r)] = world.split(in ? 0 : -1, 0);
  }
  if (here.rank() == last) compute_for_ever();
  const upwash::team& mine = pairs[static_cast<std::size_t>(here.rank())];
  std::array<std::uint64_t, 1> values{1};
  if (here.rank() == 3) {
    upwash::send(world, upwash::blocking, last, 7, values, upwash::matching::mode::synchronous);
  }
  if (here.rank() == 0) upwash::control::all_reduce(mine, values, upwash::control::fold::sum);
  if (here.rank() == 1) static_cast<void>(upwash::allocate(mine, 64));
  if (here.rank() == 2) static_cast<void>(mine.split(0, 0));
}

void ignore(upwash::incoming& /*message*/) {}

void hang_in_messages(upwash::job& here) {
  if (here.rank() != 0) compute_for_ever();
  for (;;) upwash::send<&ignore>(here, 1);
}

/// All but the last rank call it.
template <class Call>
void hang_but_last(const upwash::team& world, const Call& call) {
  const int last = world.size() - 1;
  std::array<std::byte, 8> bytes{};
  if (world.rank() == last) upwash::matching::receive(world, 0, 7, bytes).wait();
  call();
}

void hang_at_an_end(const upwash::team& world, bool of_stream) {
  auto items = upwash::open_stream<int>(world, [](int) {});
  upwash::region area = upwash::allocate(world, 64);
  items.finish();
  hang_but_last(world, [&] {
    if (of_stream) items.finish();
    upwash::free(area);
  });
}

void hang_for_credit(upwash::job& here) {
  const upwash::team world = here.world();
  auto items = upwash::open_stream<int>(world, [](int) {});
  upwash::barrier(world, upwash::blocking);
  if (here.rank() != 0) compute_for_ever();
  for (int i = 0;; ++i) items.push(1, i);
}

void hang(upwash::job& here, std::string_view how, double seconds) {
  const upwash::team world = here.world();
  const bool last = here.rank() == here.size() - 1;
  std::array<std::byte, 8> bytes{};
  std::array<double, 1> mine{1}, result{};
  upwash::control::barrier(world);  // the first one makes its words, together
  if (how == "missing" || how == "slow") {
    if (last && how == "missing") return;
    if (last) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    upwash::control::barrier(world);
  } else if (how == "cycle") {
    upwash::matching::receive(world, (here.rank() + 1) % here.size(), 7, bytes).wait();
  } else if (how == "computes") {
    if (here.rank() == 0) compute_for_ever();
    upwash::all_reduce<upwash::sum>(world, mine, std::span(result)).wait();
  } else if (how == "polls") {
    if (last) return;
    auto never = upwash::matching::receive(world, here.size() - 1, 7, bytes);
    while (!never.test()) {
    }
  } else if (how == "pending") {
    if (here.rank() != 0) return;
    auto first = upwash::matching::receive(world, here.size() - 1, 7, bytes);
    upwash::region area = upwash::allocate(world.subset(std::array<int, 1>{0}), 64);
    upwash::wait_until(here, area.mine_as<std::uint64_t>()[0], upwash::comparison::equal, 1);
  } else if (how == "kinds") {
    hang_in_kinds(here);
  } else if (how == "control") {
    hang_in_control(here);
  } else if (how == "credit") {
    hang_for_credit(here);
  } else if (how == "messages") {
    hang_in_messages(here);
  } else if (how == "stream" || how == "free") {
    hang_at_an_end(world, how == "stream");
  } else if (how == "sets") {
    hang_in_sets(here);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0;
  return upwash::run(argc, argv, [&](upwash::job& here) { hang(here, argv[1], seconds); });
}
