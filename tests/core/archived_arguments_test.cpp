// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments that are archived: written into the conduit where it has room, else copied once more;
// what their serialize() does wrong loses nothing but the message.
#include <array>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/allocations.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/serialize_cereal.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;

struct arrivals final : service_base {
  explicit arrivals(job& /*here*/) {}
  int count = 0;
  int wrong = 0;
};

arrivals& seen(job& here) { return here.service<arrivals>(); }

void wait_for(job& here, int count) {
  struct query {
    const arrivals* all;
    int count;
  } const query{&seen(here), count};
  host(here).wait(conduit::wait_target::predicate(
                      [](const void* context) {
                        const auto& q = *static_cast<const struct query*>(context);
                        return q.all->count >= q.count;
                      },
                      &query),
                  {.operation = "test"});
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::uint32_t>(i * 2654435761U);
  return made;
}

void take(incoming& in, const std::string& before, const std::vector<std::uint32_t>& values,
          std::uint64_t count) {
  auto& here = seen(in.here());
  ++here.count;
  const bool whole = in.payload().size() == count % 7;
  if (before != "before" || values != numbers(count) || !whole) ++here.wrong;
}

void take_map(incoming& in, const std::map<int, std::string>& values, std::uint64_t count) {
  auto& here = seen(in.here());
  ++here.count;
  if (values.size() != count) ++here.wrong;
  for (const auto& [key, text] : values) here.wrong += text == std::to_string(key) ? 0 : 1;
}

/// Throws, or writes more than it did when its bytes were counted.
struct fickle {
  std::vector<std::byte> bytes = std::vector<std::byte>(2000);
  bool throws = false;
  bool grows = false;
  int written = 0;

  template <class A>
  void serialize(A& archive) {
    archive(bytes);
    if (++written == 2 && throws) throw std::runtime_error("not today");
    if (written == 2 && grows) archive(bytes);
  }
};

void take_fickle(incoming& in, const fickle& /*value*/) { ++seen(in.here()).count; }

JOB_TEST(archived_arguments, of_any_size_arrive_whole) {
  const int to = (here.rank() + 1) % here.size();
  const std::size_t piece = medium_limit(here, to) / sizeof(std::uint32_t);
  const std::array<std::size_t, 13> counts{
      0, 1, 100, 117, 118, 119, 120, 1000, piece - 8, piece - 5, piece - 4, piece + 1, 3 * piece};
  for (const std::size_t count : counts) {
    const std::vector<std::byte> payload(count % 7);
    send_medium<&take>(here, to, payload, std::string("before"), numbers(count),
                       std::uint64_t{count});
  }
  wait_for(here, static_cast<int>(counts.size()));
  EXPECT_EQ(seen(here).wrong, 0);
}

JOB_TEST(archived_arguments, of_other_archives_arrive) {
  const int to = (here.rank() + 1) % here.size();
  const std::array<int, 3> counts{0, 3, 500};
  for (const int count : counts) {
    std::map<int, std::string> values;
    for (int i = 0; i < count; ++i) values[i] = std::to_string(i);
    send<&take_map>(here, to, values, static_cast<std::uint64_t>(count));
  }
  wait_for(here, static_cast<int>(counts.size()));
  EXPECT_EQ(seen(here).wrong, 0);
}

JOB_TEST(archived_arguments, are_written_where_they_travel) {
  // Other conduits keep messages in memory that they take when they need it.
  if (!test::counts_allocations || host(here).endpoint().describe().name != "shm") return;
  const std::string before = "before";
  const std::vector<std::uint32_t> values = numbers(2002);
  const std::uint64_t allocated = test::allocated_bytes();
  send<&take>(here, here.rank(), before, values, std::uint64_t{2002});
  EXPECT_LT(test::allocated_bytes() - allocated, values.size() * sizeof values[0]);
  wait_for(here, 1);
}

JOB_TEST(archived_arguments, that_fail_to_be_written_lose_only_their_message) {
  fickle thrower;
  thrower.throws = true;
  fickle grower;
  grower.grows = true;
  EXPECT_THROW(send<&take_fickle>(here, here.rank(), thrower), std::runtime_error);
  int sent = 0;
  try {
    send<&take_fickle>(here, here.rank(), grower);  // where it is copied once more it may grow
    ++sent;
  } catch (const error& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("serialize() writes more"), std::string::npos);
  }
  for (; sent < 6; ++sent) {
    send_medium<&take>(here, here.rank(), std::vector<std::byte>(1000 % 7), std::string("before"),
                       numbers(1000), std::uint64_t{1000});
  }
  wait_for(here, sent);
  EXPECT_EQ(seen(here).wrong, 0);
}

}  // namespace
