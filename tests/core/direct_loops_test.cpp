// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over blocking calls on memory let others go on, where these are loads and stores, too:
// nobody deadlocks because a rank looks for a value that comes only after it has been asked.
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tests/harness/job_test.hpp"
#include "upwash/core/control.hpp"

namespace {

using namespace upwash;

/// Handlers that have run, and how many at once at most.
struct depth final : service_base {
  explicit depth(job& /*here*/) {}
  int handled = 0;
  int inside = 0;
  int deepest = 0;
  global_ptr<std::uint64_t> word;
};

/// Loops over loads in a handler: no other handler runs in them.
void look_often(incoming& in) {
  auto& all = in.here().service<depth>();
  all.deepest = std::max(all.deepest, ++all.inside);
  const bool direct = local(in.here(), all.word) != nullptr;
  for (int i = 0; direct && i < 200; ++i) EXPECT_EQ(get_value(in.here(), all.word), 7U);
  --all.inside;
  ++all.handled;
}

/// All but rank 0 read its words, for which they may have to ask it, and then count.
void read_and_count(job& here, region& words, region& flag) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(get_value(here, words.at<std::uint64_t>(0, i)), 100 + i);
  }
  add(here, flag.at<std::uint64_t>(0), 1);
}

/// Rank 0 calls `look` until it is true; the others make it so.
template <class Look>
void look_until_all_counted(job& here, const Look& look) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    region flag = allocate(here.world(), 16);
    region words = allocate(here.world(), 24);
    for (std::uint64_t i = 0; i < 3; ++i) words.mine_as<std::uint64_t>()[i] = 100 + i;
    control::barrier(here.world());
    const auto wanted = static_cast<std::uint64_t>(here.size() - 1);
    if (here.rank() == 0) {
      while (!look(flag, wanted)) {
      }
    } else {
      read_and_count(here, words, flag);
    }
    control::barrier(here.world());
    free(words);
    free(flag);
  }
}

}  // namespace

JOB_TEST(direct_loops, over_loads_let_peers_ask) {
  look_until_all_counted(here, [&](region& flag, std::uint64_t wanted) {
    return get_value(here, flag.at<std::uint64_t>(0)) == wanted;
  });
}

JOB_TEST(direct_loops, over_atomics_let_peers_ask) {
  look_until_all_counted(here, [&](region& flag, std::uint64_t wanted) {
    return fetch_add(here, flag.at<std::uint64_t>(0), 0) == wanted;
  });
}

JOB_TEST(direct_loops, over_stores_let_peers_ask) {
  look_until_all_counted(here, [&](region& flag, std::uint64_t wanted) {
    put_value(here, flag.at<std::uint64_t>(0, 1), wanted);
    return std::atomic_ref(flag.mine_as<std::uint64_t>()[0]).load() == wanted;
  });
}

JOB_TEST(direct_loops, run_no_handler_in_a_handler_nor_beside_an_open_room) {
  region words = allocate(here.world(), 8);
  auto& all = here.service<depth>();
  all.word = words.at<std::uint64_t>(here.rank());
  put_value(here, all.word, 7);
  control::barrier(here.world());
  const int to = (here.rank() + 1) % here.size();
  constexpr int messages = 20;
  for (int i = 0; i < messages; ++i) send<&look_often>(here, to);
  {
    prepared_payload room(here, to, 64);
    const int before = all.handled;
    const bool direct = local(here, all.word) != nullptr;
    for (int i = 0; direct && i < 500; ++i) EXPECT_EQ(get_value(here, all.word), 7U);
    EXPECT_EQ(all.handled, before);
    room.cancel();
  }
  while (all.handled < messages) here.progress();
  EXPECT_EQ(all.deepest, 1);
  control::barrier(here.world());
  free(words);
}
