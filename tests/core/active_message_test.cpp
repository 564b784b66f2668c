// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages on every conduit: arguments, payloads of any size, order, replies, storms from
// handlers, prepared payloads, long messages, and what handlers may not do.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/compare.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;

/// What a rank has received so far.
struct inbox final : service_base {
  explicit inbox(job& /*here*/) {}
  int received = 0;
  int replies = 0;
  std::map<int, std::vector<std::uint64_t>> from;
  std::vector<std::string> texts;
  std::string refusal;
};

inbox& box(job& here) { return here.service<inbox>(); }

void wait_for(job& here, const int& counter, int value) {
  struct query {
    const int* counter;
    int value;
  } const query{&counter, value};
  host(here).wait(conduit::wait_target::predicate(
                      [](const void* context) {
                        const auto& q = *static_cast<const struct query*>(context);
                        return *q.counter >= q.value;
                      },
                      &query),
                  {.operation = "test"});
}

void note(incoming& in, std::uint64_t value) noexcept {
  auto& here = box(in.here());
  here.from[in.source()].push_back(value);
  ++here.received;
}

struct odd_sizes {
  char a;
  double b;
  short c;
};

void check_arguments(incoming& in, char a, double b, std::array<int, 3> c, odd_sizes d) {
  EXPECT_EQ(a, 'x');
  EXPECT_EQ(b, 2.5 * in.source());
  EXPECT_EQ(c, (std::array<int, 3>{1, 2, 3}));
  EXPECT_EQ(d.a, 'y');
  EXPECT_EQ(d.b, -1.0);
  EXPECT_EQ(d.c, 7);
  ++box(in.here()).received;
}

std::byte pattern(std::size_t i, std::size_t salt) {
  return static_cast<std::byte>((i * 131 + salt * 7 + (i >> 8U)) & 0xffU);
}

std::vector<std::byte> make_payload(std::size_t size, std::size_t salt) {
  std::vector<std::byte> made(size);
  for (std::size_t i = 0; i < size; ++i) made[i] = pattern(i, salt);
  return made;
}

void check_payload(incoming& in, std::uint64_t size, std::uint64_t salt) {
  ASSERT_EQ(in.payload().size(), size);
  ASSERT_EQ(test::first_difference(in.payload(), make_payload(size, salt)), size);
  ++box(in.here()).received;
}

struct point {
  double x = 0;
  std::string name;
  template <class A>
  void serialize(A& archive) {
    archive(x, name);
  }
};

void check_values(incoming& in, const std::vector<std::string>& words, point p,
                  std::pair<int, std::vector<double>> more) {
  EXPECT_EQ(p.x, 1.5);
  EXPECT_EQ(p.name, "corner");
  EXPECT_EQ(more.first, -4);
  EXPECT_EQ(more.second.size(), 1000U);
  EXPECT_EQ(in.payload().size(), 5U);
  box(in.here()).texts = words;
  ++box(in.here()).received;
}

void answered(incoming& in, int value) {
  EXPECT_EQ(value, in.source() + 100);
  ++box(in.here()).replies;
}

void ask(incoming& in) {
  ++box(in.here()).received;
  in.reply<&answered>(in.here().rank() + 100);
}

/// A message that begets messages: number costs one of `hops`, to ranks that follow from the
/// numbers.
void wander(incoming& in, int hops, std::uint32_t state) {
  auto& here = box(in.here());
  ++here.received;
  if (hops == 0) return;
  const int size = in.here().size();
  for (std::uint32_t copy = 0; copy < 2; ++copy) {
    const std::uint32_t next = state * 1664525U + 1013904223U + copy;
    send<&wander>(in.here(), static_cast<int>((next >> 16U) % static_cast<unsigned>(size)),
                  hops - 1, next);
  }
}

void try_to_block(incoming& in) {
  try {
    in.here().quiet();
    in.here().progress();
  } catch (const error& e) {
    box(in.here()).refusal = e.what();
  }
  ++box(in.here()).received;
}

}  // namespace

JOB_TEST(active_message, plain_arguments_arrive, .alone = true) {
  for (int target = 0; target < here.size(); ++target) {
    send<&check_arguments>(here, target, 'x', 2.5 * here.rank(), std::array<int, 3>{1, 2, 3},
                           odd_sizes{'y', -1.0, 7});
  }
  wait_for(here, box(here).received, here.size());
}

JOB_TEST(active_message, order_is_kept_per_pair, .alone = true) {
  constexpr std::uint64_t count = 300;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (int target = 0; target < here.size(); ++target) send<&note>(here, target, i);
  }
  wait_for(here, box(here).received, here.size() * static_cast<int>(count));
  for (int source = 0; source < here.size(); ++source) {
    const auto& values = box(here).from[source];
    ASSERT_EQ(values.size(), count);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(values[i], i) << "from rank " << source;
  }
}

JOB_TEST(active_message, payloads_of_any_size_arrive, .alone = true) {
  const std::array<std::size_t, 12> sizes{0,   1,   15,  48,   49,     64,
                                          511, 512, 513, 4096, 20'001, 100'000};
  const int target = (here.rank() + 1) % here.size();
  for (const std::size_t size : sizes) {
    std::vector<std::byte> payload = make_payload(size, size);
    send_medium<&check_payload>(here, target, payload, std::uint64_t{size}, std::uint64_t{size});
    std::fill(payload.begin(), payload.end(), std::byte{0xee});  // it was copied
  }
  wait_for(here, box(here).received, static_cast<int>(sizes.size()));
}

JOB_TEST(active_message, serialized_arguments_arrive, .alone = true) {
  const int target = here.size() - 1 - here.rank();
  const std::vector<std::string> words{"one", "", std::string(3000, 'z')};
  send_medium<&check_values>(here, target, make_payload(5, 0), words, point{1.5, "corner"},
                             std::pair(-4, std::vector<double>(1000, 0.5)));
  wait_for(here, box(here).received, 1);
  EXPECT_EQ(box(here).texts, words);
}

JOB_TEST(active_message, replies_come_back, .alone = true) {
  for (int round = 0; round < 50; ++round) {
    for (int target = 0; target < here.size(); ++target) send<&ask>(here, target);
  }
  wait_for(here, box(here).replies, 50 * here.size());
  wait_for(here, box(here).received, 50 * here.size());
}

JOB_TEST(active_message, storms_from_handlers_end, .alone = true) {
  constexpr int hops = 7;
  send<&wander>(here, here.rank(), hops, static_cast<std::uint32_t>(here.rank()));
  // Each storm has 2^(hops + 1) - 1 messages; who got how many is summed up.
  const auto expected = static_cast<std::uint64_t>(here.size()) * ((1U << (hops + 1)) - 1);
  std::array<std::uint64_t, 1> total{};
  do {
    for (int i = 0; i < 20; ++i) here.progress();
    total[0] = static_cast<std::uint64_t>(box(here).received);
    control::all_reduce(here.world(), total, control::fold::sum);
  } while (total[0] != expected);
}

JOB_TEST(active_message, handlers_may_not_block, .alone = true) {
  send<&try_to_block>(here, here.rank());
  wait_for(here, box(here).received, 1);
  EXPECT_NE(box(here).refusal.find("inside a handler"), std::string::npos) << box(here).refusal;
}

JOB_TEST(active_message, prepared_payloads_arrive, .alone = true) {
  const int target = (here.rank() + 1) % here.size();
  for (std::size_t size = 0; size <= 256; size += 64) {
    prepared_payload cancelled(here, target, 100);
    cancelled.cancel();
    prepared_payload room(here, target, 300);
    const auto made = make_payload(size, 3);
    std::copy(made.begin(), made.end(), room.bytes().begin());
    room.commit<&check_payload>(size, std::uint64_t{size}, std::uint64_t{3});
  }
  wait_for(here, box(here).received, 5);
  EXPECT_THROW(prepared_payload(here, target, medium_limit(here, target) + 1), error);
}

JOB_TEST(active_message, try_send_refuses_or_sends, .alone = true) {
  const int target = (here.rank() + 1) % here.size();
  int sent = 0;
  for (std::uint64_t i = 0; sent < 400; ++i) {
    const send_result result = try_send<&note>(here, target, i);
    if (result.what == conduit::outcome::done) {
      ++sent;
    } else {
      here.progress();
    }
  }
  wait_for(here, box(here).received, 400);
}

JOB_TEST(active_message, try_send_medium_refuses_or_sends, .alone = true) {
  const int target = (here.rank() + 1) % here.size();
  const auto payload = make_payload(500, 9);
  for (int sent = 0; sent < 50;) {
    const bool taken =
        try_send_medium<&check_payload>(here, target, payload, std::uint64_t{500}, std::uint64_t{9})
            .what == conduit::outcome::done;
    sent += taken ? 1 : 0;
    if (!taken) here.progress();
  }
  wait_for(here, box(here).received, 50);
  const std::vector<std::byte> large(medium_limit(here, target) + 1);
  EXPECT_THROW(static_cast<void>(try_send_medium<&check_payload>(
                   here, target, large, std::uint64_t{0}, std::uint64_t{0})),
               error);
}

JOB_TEST(active_message, long_messages_bring_their_data, .alone = true) {
  region area = allocate(here.world(), 4000 * static_cast<std::size_t>(here.size()));
  const auto payload = make_payload(4000, static_cast<std::size_t>(here.rank()));
  std::vector<request> open;
  for (int target = 0; target < here.size(); ++target) {
    open.push_back(send_long<&note>(here,
                                    area.at(target, 4000 * static_cast<std::uint64_t>(here.rank())),
                                    payload, static_cast<std::uint64_t>(here.rank())));
  }
  wait_for(here, box(here).received, here.size());
  for (int source = 0; source < here.size(); ++source) {
    const auto part = area.mine().subspan(4000 * static_cast<std::size_t>(source), 4000);
    const auto expected = make_payload(part.size(), static_cast<std::size_t>(source));
    ASSERT_EQ(test::first_difference(part, expected), part.size()) << "from " << source;
  }
  wait_all(open);
  free(area);
}

JOB_TEST(active_message, bad_destinations_are_named, .alone = true) {
  try {
    send<&note>(here, here.size(), std::uint64_t{1});
    ADD_FAILURE() << "sent to a rank that is not there";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("of " + std::to_string(here.size())), std::string::npos);
  }
}

JOB_TEST(active_message, members_of_a_team_are_destinations, .alone = true) {
  job& self = here;
  const int rank = self.rank();
  const team half = self.world().split(rank % 2, -rank);  // highest world rank first
  const auto value = static_cast<std::uint64_t>(rank);
  inbox& received = box(self);
  send<&note>(half, 0, value);
  while (try_send<&note>(half, 0, value).what != conduit::outcome::done) self.progress();
  send_medium<&note>(half, half.size() - 1, std::as_bytes(std::span(&value, 1)), value);
  const int expected =
      (half.rank() == 0 ? 2 * half.size() : 0) + (half.rank() == half.size() - 1 ? half.size() : 0);
  wait_for(self, received.received, expected);
  for (const auto& [source, values] : received.from) {
    EXPECT_EQ(source % 2, rank % 2);
    for (const std::uint64_t number : values) EXPECT_EQ(number, static_cast<std::uint64_t>(source));
  }
  EXPECT_THROW(send<&note>(half, half.size(), value), error);
  EXPECT_THROW(send<&note>(half, -1, value), error);
  EXPECT_THROW(send<&note>(team(), 0, value), error);
  barrier(self.world(), blocking);
  EXPECT_EQ(received.received, expected);
}

JOB_TEST(active_message, a_long_message_that_does_not_fit_is_not_sent, .alone = true) {
  const auto bytes_of = [](int rank) { return static_cast<std::size_t>(rank == 0 ? 16 : 64); };
  region area = allocate(here.world(), bytes_of(here.rank()));
  const auto payload = make_payload(48, 1);
  for (const std::uint64_t offset : {0, 64}) {  // too long for rank 0's part; for any part
    try {
      send_long<&note>(here, area.at(0, offset), payload, std::uint64_t{1}).wait();
      here.progress();
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find("leave the"), std::string::npos) << e.what();
    }
  }
  for (int i = 0; i < 50; ++i) {
    try {
      here.progress();
    } catch (const error&) {  // where the part's size was learnt late
    }
  }
  control::barrier(here.world());
  EXPECT_EQ(box(here).received, 0);
  free(area);
}

JOB_TEST(active_message, sends_beside_an_open_room_are_refused, .alone = true) {
  const int target = (here.rank() + 1) % here.size();
  {
    prepared_payload room(here, target, 100);
    EXPECT_THROW(send<&note>(here, target, std::uint64_t{1}), error);
    EXPECT_THROW(prepared_payload(here, target, 100), error);
    EXPECT_EQ(try_send<&note>(here, target, std::uint64_t{1}).why, conduit::retry_reason::reserved);
    room.commit<&note>(0, std::uint64_t{2});
  }
  send<&note>(here, target, std::uint64_t{3});
  wait_for(here, box(here).received, 2);
  const int source = (here.rank() + here.size() - 1) % here.size();
  EXPECT_EQ(box(here).from[source], (std::vector<std::uint64_t>{2, 3}));
}

JOB_TEST(active_message, rooms_for_several_ranks_are_open_together, .alone = true) {
  {
    std::vector<std::unique_ptr<prepared_payload>> rooms;
    for (int target = 0; target < here.size(); ++target) {
      rooms.push_back(std::make_unique<prepared_payload>(here, target, 64));
      rooms.back()->bytes()[63] = static_cast<std::byte>(target);
    }
    for (auto& room : rooms) room->commit<&note>(64, static_cast<std::uint64_t>(here.rank()));
  }
  wait_for(here, box(here).received, here.size());
}
