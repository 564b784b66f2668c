// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// E1: what a rank sends to another arrives in the order of sending, whether its program sends it or
// a handler that runs for it at a process-mate's clock. And what a rank sends to itself at the end.
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;

struct letters final : service_base {
  explicit letters(job& here)
      : sent(static_cast<std::size_t>(here.size())), came(sent.size()), sending(sent.size()) {}
  std::vector<std::uint32_t> sent;
  std::vector<std::uint32_t> came;
  std::vector<bool> sending;  ///< the program is inside a send there: either order is right
};

void check_number(incoming& in, std::uint32_t number) {
  auto& expected = in.here().service<letters>().came[static_cast<std::size_t>(in.source())];
  EXPECT_EQ(number, ++expected) << "rank " << in.here().rank() << " from " << in.source();
  expected = number;
}

void send_number(job& here, int to) {
  auto& mine = here.service<letters>();
  const auto at = static_cast<std::size_t>(to);
  if (here.in_handler() && mine.sending[at]) return;
  mine.sending[at] = true;
  send<&check_number>(here, to, ++mine.sent[at]);
  mine.sending[at] = false;
}

void make_send(incoming& in, int to, int times) {
  for (int i = 0; i < times; ++i) send_number(in.here(), to);
}

}  // namespace

JOB_TEST(order, of_a_ranks_messages_holds_between_program_and_handlers) {
  random_stream random(7, static_cast<std::uint64_t>(here.rank()));
  const auto below = [&random](int limit) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(limit)));
  };
  for (int i = 0; i < 60; ++i) {
    const int whom = below(here.size());
    switch (below(4)) {
      case 0: send_number(here, whom); break;
      case 1: send<&make_send>(here, whom, below(here.size()), 1 + below(3)); break;
      case 2: here.progress(); break;
      default: here.compute(duration::from_ns(below(3000))); send_number(here, whom);
    }
  }
}

namespace {

int handled_here = 0;

void send_on(incoming& in, int left) {
  ++handled_here;
  if (left > 0) send<&send_on>(in.here(), in.here().rank(), left - 1);
}

}  // namespace

/// The end of a job waits for them, also where no other rank is waited for.
JOB_TEST(order, a_rank_alone_takes_what_it_sent_itself_before_the_end, .most_ranks = 1) {
  send<&send_on>(here, 0, 10);
}

TEST(order, a_rank_alone_ends_with_all_its_messages_handled) {
  const auto body = [](job& here) { send<&send_on>(here, 0, 10); };
  for (const auto& world : {upwash::test::sim_of(1), upwash::test::loopback_of(1)}) {
    handled_here = 0;
    EXPECT_EQ(upwash::test::message_of(*world, body), "no error");
    EXPECT_EQ(handled_here, 11);
  }
}

namespace {

struct word final : service_base {
  explicit word(job& /*here*/) {}
  int told = 0;
};

void tell(incoming& in) { ++in.here().service<word>().told; }
void take_room(incoming& in) { ++in.here().service<word>().told; }

}  // namespace

/// Rank 0 holds a room towards rank 2 until rank 1, perhaps of its process, has sent there too.
JOB_TEST(prepared, room_of_one_rank_lets_its_process_mates_send, .least_ranks = 3) {
  auto& mine = here.service<word>();
  if (here.rank() == 0) {
    prepared_payload room(here, 2, 64);
    while (mine.told == 0) {
      host(here).wait(conduit::wait_target::credit(1, conduit::lane::request),
                      {.operation = "word of rank 1", .peer = 1});
    }
    room.commit<&take_room>(64);
  } else if (here.rank() == 1) {
    send<&tell>(here, 2);
    send<&tell>(here, 0);
  } else if (here.rank() == 2) {
    while (mine.told < 2) {
      host(here).wait(conduit::wait_target::credit(0, conduit::lane::request),
                      {.operation = "two words"});
    }
  }
}
