// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every collective says what is wrong with a team that there is not, or no more.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"

namespace {

using namespace upwash;

template <class Call>
void expect_refused(const char* what, const std::string& why, const Call& call) {
  try {
    call();
    ADD_FAILURE() << what << ": no error";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << what << ": " << e.what();
  }
}

/// Each in all its forms: nonblocking, blocking, persistent, in place.
void expect_all_refused(const team& none, const std::string& why) {
  const std::vector<int> in(1);
  std::vector<int> out(1);
  const std::span<const int> from(in);
  const std::span<int> to(out);
  const auto refused = [&](const char* what, const auto& call) {
    expect_refused(what, why,
                   [&] { call([](auto&&... with) { static_cast<void>(sizeof...(with)); }); });
  };
  const auto forms = [&](const char* what, const auto& call) {
    refused(what, [&](const auto& drop) { call(blocking, drop); });
    refused(what, [&](const auto& drop) { call(persist, drop); });
  };
  refused("barrier", [&](const auto& drop) { drop(barrier(none)); });
  forms("barrier", [&](auto form, const auto&) { static_cast<void>(barrier(none, form)); });
  refused("broadcast", [&](const auto& drop) { drop(broadcast(none, 0, to)); });
  forms("broadcast", [&](auto f, const auto&) { static_cast<void>(broadcast(none, f, 0, to)); });
  refused("gather", [&](const auto& drop) { drop(gather(none, 0, from, to)); });
  forms("gather", [&](auto f, const auto&) { static_cast<void>(gather(none, f, 0, from, to)); });
  refused("scatter", [&](const auto& drop) { drop(scatter(none, 0, from, to)); });
  forms("scatter", [&](auto f, const auto&) { static_cast<void>(scatter(none, f, 0, from, to)); });
  refused("reduce", [&](const auto& drop) { drop(reduce<sum>(none, 0, from, to)); });
  forms("reduce",
        [&](auto f, const auto&) { static_cast<void>(reduce<sum>(none, f, 0, from, to)); });
  refused("reduce_scatter", [&](const auto& drop) { drop(reduce_scatter<sum>(none, from, to)); });
  forms("reduce_scatter",
        [&](auto f, const auto&) { static_cast<void>(reduce_scatter<sum>(none, f, from, to)); });
  refused("all_to_all", [&](const auto& drop) { drop(all_to_all(none, from, to)); });
  forms("all_to_all",
        [&](auto f, const auto&) { static_cast<void>(all_to_all(none, f, from, to)); });
  refused("gather", [&](const auto& drop) { drop(gather(none, 0, in_place, to)); });
  refused("scatter", [&](const auto& drop) { drop(scatter(none, 0, in_place, to)); });
  refused("reduce", [&](const auto& drop) { drop(reduce<sum>(none, 0, in_place, to)); });
  refused("all_to_all", [&](const auto& drop) { drop(all_to_all(none, in_place, to)); });
  refused("reduce_scatter",
          [&](const auto& drop) { drop(reduce_scatter<sum>(none, in_place, to)); });
  refused("all_reduce", [&](const auto& drop) { drop(all_reduce(none, from, to, sum{})); });
  refused("scan", [&](const auto& drop) { drop(scan(none, in_place, to, sum{})); });
  refused("all_gather", [&](const auto& drop) { drop(all_gather(none, from, to)); });
  refused("all_gather", [&](const auto& drop) { drop(all_gather(none, in_place, to)); });
  forms("all_gather",
        [&](auto f, const auto&) { static_cast<void>(all_gather(none, f, from, to)); });
  forms("all_gather",
        [&](auto f, const auto&) { static_cast<void>(all_gather(none, f, in_place, to)); });
  refused("all_reduce", [&](const auto& drop) { drop(all_reduce<sum>(none, from, to)); });
  refused("all_reduce", [&](const auto& drop) { drop(all_reduce<sum>(none, in_place, to)); });
  forms("all_reduce",
        [&](auto f, const auto&) { static_cast<void>(all_reduce<sum>(none, f, from, to)); });
  forms("all_reduce",
        [&](auto f, const auto&) { static_cast<void>(all_reduce<sum>(none, f, in_place, to)); });
  refused("scan", [&](const auto& drop) { drop(scan<sum>(none, from, to)); });
  forms("scan", [&](auto f, const auto&) { static_cast<void>(scan<sum>(none, f, from, to)); });
  refused("exclusive_scan", [&](const auto& drop) { drop(exclusive_scan<sum>(none, from, to)); });
  forms("exclusive_scan",
        [&](auto f, const auto&) { static_cast<void>(exclusive_scan<sum>(none, f, from, to)); });
}

/// The same of calls whose sizes differ, of values, and of messages.
void expect_others_refused(const team& none, const std::string& why) {
  const std::array<std::uint64_t, 1> one{0};
  const member_blocks blocks{one, one};
  const outgoing_messages messages{one, one, one};
  const collective::collect_handler taken{[](int, std::span<const std::byte>, void*) {}, nullptr};
  int value = 0;
  std::vector<int> items(1);
  const auto refused = [&](const char* what, const auto& call) { expect_refused(what, why, call); };
  refused("all_to_all_v", [&] { all_to_all_v(none, {}, blocks, {}, blocks).wait(); });
  refused("all_to_all_v", [&] { all_to_all_v(none, blocking, {}, blocks, {}, blocks); });
  refused("all_to_all_v", [&] { static_cast<void>(all_to_all_v(none, blocking, items, items)); });
  refused("many_to_many", [&] { many_to_many(none, {}, messages, taken).wait(); });
  refused("many_to_many", [&] { many_to_many(none, blocking, {}, messages, taken); });
  refused("multicast", [&] { many_to_many_multicast(none, {}, one, taken).wait(); });
  refused("multicast", [&] { many_to_many_multicast(none, blocking, {}, one, taken); });
  refused("broadcast", [&] { broadcast(none, blocking, 0, value); });
  refused("all_gather", [&] { static_cast<void>(all_gather(none, blocking, value)); });
  refused("all_reduce", [&] { value = all_reduce<sum>(none, blocking, value); });
  refused("reduce", [&] { static_cast<void>(reduce<sum>(none, blocking, 0, value)); });
  refused("scan", [&] { value = scan<sum>(none, blocking, value); });
  refused("exclusive_scan", [&] { value = exclusive_scan<sum>(none, blocking, value).value(); });
  refused("all_reduce", [&] { all_reduce<sum>(none, blocking, items, items); });
}

}  // namespace

JOB_TEST(refused_teams, no_team) {
  const std::string why = "an empty team has no members";
  expect_all_refused(team(), why);
  expect_others_refused(team(), why);
  team released = here.world().duplicate();
  released.release();
  expect_all_refused(released, why);
}

JOB_TEST(refused_teams, copies_of_a_released_team) {
  team among = here.world().duplicate();
  const team copy = among;
  barrier(copy, blocking);
  among.release();
  expect_all_refused(copy, "was released");
  expect_others_refused(copy, "was released");
  int value = 0;
  expect_refused("send", "was released", [&] { send(copy, 0, 1, value).wait(); });
  expect_refused("receive", "was released", [&] { receive(copy, 0, 1, value).wait(); });
  expect_refused("duplicate", "was released", [&] { static_cast<void>(copy.duplicate()); });
  expect_refused("split", "was released", [&] { static_cast<void>(copy.split(0, 0)); });
  expect_refused("release", "was released", [&] { team(copy).release(); });
  expect_refused("allocate", "was released", [&] { static_cast<void>(allocate(copy, 8)); });
  expect_refused("world_rank", "was released", [&] { static_cast<void>(copy.world_rank(0)); });
}

JOB_TEST(refused_teams, persistent_collectives_of_a_released_team) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    team among = here.world().duplicate();
    const std::vector<int> mine(8, 1);
    std::vector<int> all(8);
    auto kept = all_reduce<sum>(among, persist, mine, all);
    auto unused = barrier(among, persist);
    kept.start().wait();
    EXPECT_EQ(all[7], here.size());
    among.release();
    expect_refused("start", "was released", [&] { kept.start().wait(); });
    barrier(here.world(), blocking);  // the job goes on
  }
}

JOB_TEST(refused_teams, many_teams_are_released) {
  for (int i = 0; i < 100; ++i) {  // more than are remembered
    team among = here.world().duplicate();
    ASSERT_EQ(all_reduce<sum>(among, blocking, 1), here.size());
    const team copy = among;
    among.release();
    expect_refused("size", "was released", [&] { static_cast<void>(copy.size()); });
  }
}
