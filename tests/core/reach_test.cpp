// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a team knows of its pairs, against all pairs one by one.
#include "upwash/core/reach.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;
using conduit::nearness;
using conduit::peer_capabilities;

/// Says where ranks are and what it can do; nothing else is asked of it.
class stub_endpoint final : public conduit::endpoint {
 public:
  conduit::capabilities can;
  std::vector<conduit::location> places;

  [[nodiscard]] const conduit::capabilities& describe() const noexcept override { return can; }
  [[nodiscard]] int world_size() const noexcept override { return static_cast<int>(places.size()); }
  [[nodiscard]] int first_rank() const noexcept override { return 0; }
  [[nodiscard]] int local_ranks() const noexcept override { return 1; }
  [[nodiscard]] conduit::location place(int rank) const noexcept override {
    return places[static_cast<std::size_t>(rank)];
  }
  void attach(int /*rank*/, conduit::sink* /*receiver*/) override {}
  conduit::injection send(const conduit::message& /*m*/, bool /*from_handler*/) override {
    return conduit::injection::done();
  }
  void throttle(bool /*on*/) override {}
  conduit::memory_block allocate(int /*rank*/, std::size_t /*bytes*/) override { return {}; }
  void release(int /*rank*/, const conduit::memory_block& /*block*/) override {}
  conduit::remote_memory import(int /*rank*/, int /*owner*/,
                                const conduit::memory_key& /*key*/) override {
    return {};
  }
  void forget(int /*rank*/, const conduit::remote_memory& /*memory*/) override {}
  int poll(int /*rank*/) override { return 0; }
  void idle(int /*rank*/, const conduit::wait_target& /*target*/,
            const conduit::wait_reason& /*reason*/) override {}
  [[nodiscard]] duration now(int /*rank*/) const noexcept override { return {}; }
  void compute(int /*rank*/, duration /*time*/) override {}
};

/// By the definition: every pair, a member with itself too.
pairs by_definition(const stub_endpoint& at, const std::vector<int>& members,
                    bool peer_capabilities::*what) {
  std::size_t holding = 0;
  for (const int a : members) {
    for (const int b : members) {
      holding += at.can.of(conduit::nearness_of(at.place(a), at.place(b))).*what ? 1 : 0;
    }
  }
  return holding == members.size() * members.size() ? pairs::all
         : holding == 0                             ? pairs::none
                                                    : pairs::some;
}

std::size_t smallest_message(const stub_endpoint& at, const std::vector<int>& members) {
  std::size_t least = SIZE_MAX;
  for (const int a : members) {
    for (const int b : members) {
      least =
          std::min(least, at.can.of(conduit::nearness_of(at.place(a), at.place(b))).medium_bytes);
    }
  }
  return least;
}

void draw(stub_endpoint& at, random_stream& from) {
  for (peer_capabilities& each : at.can.peers) {
    each.direct_access = from.below(2) == 0;
    each.private_reads = from.below(2) == 0;
    each.medium_bytes = 512 << from.below(4);
    if (from.below(3) != 0) each.atomics = {conduit::atomic_kind::add};
  }
  const auto nodes = 1 + from.below(3);
  const auto processes = 1 + from.below(4);
  const auto ranks = 1 + from.below(12);
  for (std::uint64_t r = 0; r < ranks; ++r) {
    // Processes may span pretended nodes.
    at.places.push_back(
        {static_cast<int>(from.below(nodes)), 0, static_cast<int>(from.below(processes))});
  }
}

}  // namespace

TEST(reach, of_any_team_is_what_its_pairs_say_one_by_one) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    random_stream from(seed, 0x7265616368);
    stub_endpoint at;
    draw(at, from);
    std::vector<int> members;
    for (int r = 0; r < at.world_size(); ++r) {
      if (r == 0 || from.below(3) != 0) members.push_back(r);
    }
    const reach found = detail::reach_between(at, detail::rank_map::of(members));
    for (const auto what : {&peer_capabilities::direct_access, &peer_capabilities::private_reads}) {
      ASSERT_EQ(found.holds(what), by_definition(at, members, what)) << "seed " << seed;
    }
    ASSERT_EQ(found.medium_bytes(), smallest_message(at, members)) << "seed " << seed;
    ASSERT_EQ(found.all_direct(),
              by_definition(at, members, &peer_capabilities::direct_access) == pairs::all)
        << "seed " << seed;
    bool adds = true;
    for (const int a : members) {
      for (const int b : members) {
        adds = adds && !at.can.of(conduit::nearness_of(at.place(a), at.place(b))).atomics.empty();
      }
    }
    ASSERT_EQ(found.atomics().contains(conduit::atomic_kind::add, 8), adds) << "seed " << seed;
  }
}

JOB_TEST(reach, is_the_same_at_all_members) {
  team half = here.world().split(here.rank() % 2, 0);
  for (const team& each : {here.world(), half}) {
    const reach& mine = reach_of(each);
    std::vector<std::uint64_t> seen(static_cast<std::size_t>(each.size()));
    const auto code = static_cast<std::uint64_t>(mine.medium_bytes()) * 2 +
                      static_cast<std::uint64_t>(mine.all_direct());
    control::all_gather_values(each, code, std::span(seen));
    for (const auto other : seen) EXPECT_EQ(other, code);
    EXPECT_EQ(medium_limit(each), mine.medium_bytes());
    for (int m = 0; m < each.size(); ++m) {
      EXPECT_GE(medium_limit(here, each.world_rank(m)), mine.medium_bytes());
    }
    EXPECT_GE(mine.medium_bytes(), medium_limit(here));
  }
  half.release();
}

JOB_TEST(reach, says_where_parts_are_addressed_directly) {
  region area = allocate(here.world(), 64);
  for (int r = 0; r < here.size(); ++r) {
    const auto& at = host(here).endpoint();
    const bool direct =
        at.describe().of(conduit::nearness_of(at.place(here.rank()), at.place(r))).direct_access;
    EXPECT_EQ(local(here, area.at<int>(r)) != nullptr, direct) << "rank " << r;
  }
  control::barrier(here.world());
  EXPECT_EQ(area.atomics() == atomicity::processor, all_direct(here.world()));
  free(area);
}

TEST(memory, a_peer_owes_a_bounded_number_of_answers) {
  conduit::loopback_options options;
  options.ranks = 2;
  options.queue_messages = 100'000;  // as many requests as one likes to send
  options.retry_fraction = 0;
  const auto world = conduit::make_loopback_world(options);
  run_on(*world, {}, [](job& here) {
    constexpr std::size_t bytes = 1U << 20U;
    region area = allocate(here.world(), bytes);
    for (std::byte& each : area.mine()) each = std::byte{7};
    control::barrier(here.world());
    if (here.rank() == 0) {
      std::vector<std::byte> into(bytes);
      request first = get(here, area.at(1), std::span(into).first(bytes / 2));
      request second = get(here, area.at(1, bytes / 2), std::span(into).subspan(bytes / 2));
      const detail::memory_engine& engine = detail::job_access::state(here).memory;
      std::size_t most = 0;
      while (!first.test() || !second.test()) most = std::max(most, engine.owed_by(1));
      EXPECT_GT(most, 1U);
      EXPECT_LE(most, detail::memory_engine::most_owed);
      EXPECT_EQ(engine.owed_by(1), 0U);
      EXPECT_EQ(std::count(into.begin(), into.end(), std::byte{7}), bytes);
    }
    control::barrier(here.world());
    free(area);
  });
}
