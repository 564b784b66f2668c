// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Services: progress that makes services or sends, the end of a job with messages under way.
#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/core/host.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;

template <int I>
struct numbered final : service_base {
  explicit numbered(job& /*here*/) {}
  bool wants_progress() const override { return true; }
  int progress() override {
    ++calls;
    return 0;
  }
  int calls = 0;
};

/// Makes ten services from inside its progress.
struct maker final : service_base {
  explicit maker(job& home) : here(home) {}
  bool wants_progress() const override { return true; }
  int progress() override {
    make(std::make_integer_sequence<int, 10>());
    return 0;
  }
  template <int... I>
  void make(std::integer_sequence<int, I...>) {
    (static_cast<void>(here.service<numbered<I>>()), ...);
  }
  job& here;
};

struct tally final : service_base {
  explicit tally(job& /*here*/) {}
  int received = 0;
};

void count(incoming& in) { ++in.here().service<tally>().received; }

/// Sends from inside its progress more than the queues hold.
struct sender final : service_base {
  explicit sender(job& home) : here(home) {}
  bool wants_progress() const override { return true; }
  int progress() override {
    if (left == 0) return 0;
    deepest = std::max(deepest, ++depth);
    int sent = 0;
    for (; sent < 40 && left > 0; ++sent, --left) send<&count>(here, 0);
    --depth;
    return sent;
  }
  job& here;
  int left = 400;
  int depth = 0;
  int deepest = 0;
};

struct alarmed final : service_base {
  explicit alarmed(job& home) : here(home) {}
  bool wants_progress() const override { return true; }
  int progress() override {
    host(here).set_busy(*this, false);
    ++calls;
    return 1;
  }
  job& here;
  int calls = 0;
};

/// Waits for room while the alarm of another is due.
struct sender_past_an_alarm final : service_base {
  explicit sender_past_an_alarm(job& home) : here(home) {}
  bool wants_progress() const override { return true; }
  int progress() override {
    if (left == 0) return 0;
    host(here).set_alarm(here.service<alarmed>(), here.now());
    for (; left > 0; --left) send<&count>(here, 0);
    return 1;
  }
  job& here;
  int left = 400;
};

/// A message that begets messages, counted where the whole test sees it.
struct wanderers {
  int handled = 0;
};
void wander(incoming& in, int hops, std::uint32_t state, std::uintptr_t where) {
  ++reinterpret_cast<wanderers*>(where)->handled;
  for (std::uint32_t copy = 0; hops > 0 && copy < 2; ++copy) {
    const std::uint32_t next = state * 1664525U + 1013904223U + copy;
    send<&wander>(in.here(),
                  static_cast<int>((next >> 16U) % static_cast<unsigned>(in.here().size())),
                  hops - 1, next, where);
  }
}

struct created final : service_base {
  explicit created(job& /*here*/) {}
  void on_team_create(const team& /*made*/) override { ++teams; }
  void on_team_free(const team& /*going*/) override { --teams; }
  int teams = 0;
};

/// Sums up over every team; where two of them ran in different orders, sums of one would meet those
/// of the other.
template <int Place>
struct summing final : service_base {
  explicit summing(job& /*here*/) {}
  [[nodiscard]] team_place place_on_teams() const override {
    return {Place % 7, Place % 2 == 0 ? "even" : "odd"};
  }
  void on_team_create(const team& made) override { sum_over(made); }
  void on_team_free(const team& going) override { sum_over(going); }
  void sum_over(const team& of) {
    std::array<std::uint64_t, 1> sum{std::uint64_t{1} << (4U * Place)};
    control::all_reduce(of, sum, control::fold::sum);
    EXPECT_EQ(sum[0], static_cast<std::uint64_t>(of.size()) << (4U * Place)) << Place;
    ++heard;
  }
  int heard = 0;
};

template <int... Place>
void make_in_order(job& here, int first) {
  const std::array<void (*)(job&), sizeof...(Place)> make{
      [](job& at) { static_cast<void>(at.service<summing<Place>>()); }...};
  for (std::size_t i = 0; i < make.size(); ++i) {
    make[(i * 5 + static_cast<std::size_t>(first)) % make.size()](here);
  }
}

}  // namespace

/// Some have the same number, and differ by name.
JOB_TEST(service, team_hooks_run_alike_whoever_was_made_first, .most_ranks = 8) {
  make_in_order<1, 2, 3, 8, 9, 10, 11>(here, here.rank());
  const team half = here.world().split(here.rank() % 2, here.rank());
  team copy = half.duplicate();
  copy.release();
  EXPECT_EQ(here.service<summing<8>>().heard, 3);
  control::barrier(here.world());
}

JOB_TEST(service, progress_may_make_services) {
  static_cast<void>(here.service<maker>());
  here.progress();
  here.progress();
  EXPECT_GE(here.service<numbered<0>>().calls, 1);
  EXPECT_GE(here.service<numbered<9>>().calls, 1);
}

JOB_TEST(service, progress_of_a_layer_never_nests, .most_ranks = 4) {
  auto& layer = here.service<sender>();
  while (layer.left > 0) here.progress();
  EXPECT_EQ(layer.deepest, 1);
  if (here.rank() == 0) {
    while (here.service<tally>().received < 400 * here.size()) here.progress();
  }
  control::barrier(here.world());
}

JOB_TEST(service, alarms_wait_for_the_end_of_a_progress_that_waits, .most_ranks = 4) {
  auto& woken = here.service<alarmed>();
  here.progress();  // has nothing to do from now on
  woken.calls = 0;
  auto& layer = here.service<sender_past_an_alarm>();
  while (layer.left > 0) here.progress();
  here.progress();
  EXPECT_EQ(woken.calls, 1);
  if (here.rank() == 0) {
    while (here.service<tally>().received < 400 * here.size()) here.progress();
  }
  control::barrier(here.world());
}

JOB_TEST(service, teams_made_on_the_way_do_not_stay) {
  auto& seen = here.service<created>();
  const team leaders = here.world().leaders(level::node);
  EXPECT_EQ(seen.teams, leaders ? 1 : 0);
}

TEST(finish, every_message_is_handled_before_a_job_ends) {
  constexpr int hops = 6;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 9);
    std::vector<std::unique_ptr<conduit::world>> worlds;
    conduit::loopback_options loop;
    loop.ranks = ranks;
    loop.seed = seed;
    loop.ranks_per_endpoint = 1 + static_cast<int>(seed % 2);
    worlds.push_back(conduit::make_loopback_world(loop));
    conduit::sim_options options;
    options.ranks = ranks;
    options.on = load_machine("laptop");
    options.seed = seed;
    options.perturb = true;
    worlds.push_back(conduit::make_sim_world(options));
    for (const auto& world : worlds) {
      wanderers all;
      run_on(*world, {}, [&](job& here) {
        send<&wander>(here, (here.rank() + here.size() / 2) % here.size(), hops,
                      static_cast<std::uint32_t>(here.rank()),
                      reinterpret_cast<std::uintptr_t>(&all));
      });
      EXPECT_EQ(all.handled, ranks * ((1 << (hops + 1)) - 1)) << "seed " << seed;
    }
  }
}

JOB_TEST(service, an_idle_one_is_not_called) {
  auto& counted = here.service<numbered<77>>();
  here.progress();
  EXPECT_GT(counted.calls, 0);
  host(here).set_busy(counted, false);
  host(here).set_busy(counted, false);  // said twice, it counts once
  const int before = counted.calls;
  for (int i = 0; i < 5; ++i) here.progress();
  EXPECT_EQ(counted.calls, before);
  host(here).set_busy(counted, true);
  here.progress();
  EXPECT_GT(counted.calls, before);
}
