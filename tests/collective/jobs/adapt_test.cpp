// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that adapt: whatever is tried, results are right and no rank disagrees with another; and in
// virtual time what is found is as fast as the best that is known beforehand.
#include "upwash/collective/adapt.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;
using collective::adaptation;
using collective::kind;
using collective::problem;
using collective::registry;

/// Thinks that everything may be the fastest, so that everything is tried.
class tries_all final : public collective::selector {
 public:
  const choice& choose(const registry& from, const problem& call) override {
    ++asked;
    last_ = {};
    for (const auto& each : collective::candidates(from, call)) {
      if (last_.what.chosen == nullptr) {
        last_ = {each, "it is the first", {}};
      } else {
        last_.others.push_back({each, {}});
      }
    }
    return last_;
  }
  int asked = 0;

 private:
  choice last_;
};

/// Makes a job adapt for as long as this lives.
struct adapting {
  adapting(job& on, collective::selector* chooses)
      : here(on),
        before(collective::set_selector(on, chooses)),
        adapted(collective::set_adapting(here, adaptation::all)) {}
  ~adapting() {
    EXPECT_EQ(collective::set_adapting(here, adapted), adaptation::all);
    collective::set_selector(here, before);
  }
  job& here;
  collective::selector* before;
  adaptation adapted;
};

void add_up(const team& world, std::size_t count, bool nonblocking) {
  std::vector<std::int64_t> mine(count);
  std::iota(mine.begin(), mine.end(), world.rank());
  std::vector<std::int64_t> sums(count);
  if (nonblocking) {
    all_reduce<sum>(world, std::span<const std::int64_t>(mine), std::span(sums)).wait();
  } else {
    all_reduce<sum>(world, blocking, std::span<const std::int64_t>(mine), std::span(sums));
  }
  const std::int64_t size = world.size();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(sums[i], size * (size - 1) / 2 + static_cast<std::int64_t>(i) * size);
  }
}

void exchange(const team& world, std::size_t count) {
  const auto size = static_cast<std::size_t>(world.size());
  const auto rank = static_cast<std::size_t>(world.rank());
  std::vector<std::uint32_t> in(count * size);
  std::vector<std::uint32_t> out(count * size);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(rank * 1000 + i);
  all_to_all(world, blocking, std::span<const std::uint32_t>(in), std::span(out));
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(out[from * count + i], from * 1000 + rank * count + i);
    }
  }
}

void spread(const team& world, std::size_t count, int root) {
  std::vector<std::uint64_t> all(count, world.rank() == root ? 42U : 0U);
  broadcast(world, blocking, root, std::span(all));
  ASSERT_EQ(all, std::vector<std::uint64_t>(count, 42));
}

/// Each rank sends `bytes` to its next `degree` ranks.
void send_to_next(const team& world, int degree, std::uint64_t bytes, bool nonblocking = false) {
  const auto size = static_cast<std::uint64_t>(world.size());
  const std::vector<std::byte> data(bytes, static_cast<std::byte>(world.rank()));
  std::vector<std::uint64_t> to;
  for (int i = 1; i <= degree; ++i) {
    to.push_back((static_cast<std::uint64_t>(world.rank()) + static_cast<std::uint64_t>(i)) % size);
  }
  const std::vector<std::uint64_t> lengths(to.size(), bytes);
  const std::vector<std::uint64_t> offsets(to.size(), 0);
  struct seen {
    std::uint64_t messages = 0;
    std::uint64_t wrong = 0;
    std::uint64_t bytes;
  } got{.bytes = bytes};
  const collective::collect_handler taken{
      [](int source, std::span<const std::byte> what, void* context) {
        auto& all = *static_cast<seen*>(context);
        ++all.messages;
        all.wrong +=
            what.size() != all.bytes || what[0] != static_cast<std::byte>(source) ? 1U : 0U;
      },
      &got};
  if (nonblocking) {
    many_to_many(world, data, {to, lengths, offsets}, taken).wait();
  } else {
    many_to_many(world, blocking, data, {to, lengths, offsets}, taken);
  }
  ASSERT_EQ(got.messages, static_cast<std::uint64_t>(degree));
  ASSERT_EQ(got.wrong, 0U);
}

}  // namespace

JOB_TEST(adapt, gives_right_results_while_everything_is_tried, .least_ranks = 2, .most_ranks = 9) {
  tries_all selects;
  const adapting now(here, &selects);
  const team world = here.world();
  for (int i = 0; i < 120; ++i) {
    add_up(world, 3, i % 11 == 0);
    spread(world, 40, i % 2);
    exchange(world, 5);
    if (i % 3 == 0) send_to_next(world, 1 + i / 60, i < 60 ? 8 : 900, i % 12 == 0);
    if (i % 40 == 39) collective::adapt(world);
  }
}

JOB_TEST(adapt, keeps_what_is_fixed_or_named, .least_ranks = 2, .most_ranks = 4) {
  tries_all selects;
  const adapting now(here, &selects);
  const std::vector<int> mine(4, here.rank());
  std::vector<int> all(mine.size() * static_cast<std::size_t>(here.size()));
  const auto gather_with = [&](const collective_options& how) {
    all_gather(here.world(), blocking, std::span(mine), std::span(all), how);
  };
  for (int i = 0; i < 50; ++i) {
    gather_with({.algorithm = "ring"});
    gather_with({.fixed = true});
  }
  EXPECT_EQ(selects.asked, 1);  // for the fixed one
}

JOB_TEST(adapt, tells_calls_of_one_shape_apart_by_their_label, .least_ranks = 2, .most_ranks = 4) {
  tries_all selects;
  const adapting now(here, &selects);
  for (int i = 0; i < 60; ++i) {
    for (const char* label : {"forces", "energies"}) {
      std::vector<double> mine(2, 1.0);
      std::vector<double> sums(2);
      all_reduce<sum>(here.world(), blocking, std::span<const double>(mine), std::span(sums),
                      {.label = label});
      ASSERT_EQ(sums[1], here.size());
    }
  }
  EXPECT_EQ(selects.asked, 2);
}

namespace {

/// What a program takes on simulated lemieux, in virtual seconds.
double time_of(int ranks, std::string_view forced, bool adapts, collective::selector& selects,
               const std::function<void(const team&)>& program) {
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("lemieux");
  const auto world = conduit::make_sim_world(options);
  registry algorithms;
  collective::add_algorithms(algorithms);
  double seconds = 0;
  run_on(*world, {}, [&](job& here) {
    collective::install(
        here, {&algorithms, &selects, forced, false, adapts ? adaptation::all : adaptation::none});
    control::barrier(here.world());
    const duration begin = here.now();
    program(here.world());
    control::barrier(here.world());
    if (here.rank() == 0) seconds = (here.now() - begin).seconds();
  });
  return seconds;
}

double adapted_time(int ranks, const std::function<void(const team&)>& program) {
  const auto selects = collective::make_model_selector("lemieux");
  return time_of(ranks, "", true, *selects, program);
}

double forced_time(int ranks, const std::string& forced,
                   const std::function<void(const team&)>& program) {
  const auto selects = collective::make_model_selector("lemieux");
  return time_of(ranks, forced, false, *selects, program);
}

/// Two halves of a program, each by every algorithm.
struct static_choices {
  double best_of_each = 0;  ///< with another algorithm in each half
  double best_of_one = 0;   ///< with one for both
};
static_choices try_all(int ranks, const std::vector<std::string>& algorithms,
                       const std::function<void(const team&)>& first,
                       const std::function<void(const team&)>& second) {
  double least_first = 1e9;
  double least_second = 1e9;
  double least_sum = 1e9;
  for (const std::string& each : algorithms) {
    const double a = forced_time(ranks, each, first);
    const double b = forced_time(ranks, each, second);
    least_first = std::min(least_first, a);
    least_second = std::min(least_second, b);
    least_sum = std::min(least_sum, a + b);
  }
  return {least_first + least_second, least_sum};
}

}  // namespace

namespace {

/// The program changes in the middle: adapting stays near the best of each half, which no algorithm
/// is in both.
void expect_to_follow(int ranks, const std::vector<std::string>& algorithms,
                      const std::function<void(const team&)>& first,
                      const std::function<void(const team&)>& second) {
  const static_choices seen = try_all(ranks, algorithms, first, second);
  const double adapted = adapted_time(ranks, [&](const team& world) {
    first(world);
    second(world);
  });
  EXPECT_LT(adapted, 1.1 * seen.best_of_each);
  EXPECT_GT(seen.best_of_one, 1.1 * seen.best_of_each);
}

}  // namespace

TEST(adapt_simulated, follows_an_all_to_all_from_64_bytes_to_64_kib) {
  constexpr int calls = 60;
  expect_to_follow(
      16, {"all_to_all=direct", "all_to_all=bruck", "all_to_all=mesh2d"},
      [](const team& world) {
        for (int i = 0; i < 20 * calls; ++i) exchange(world, 16);
      },
      [](const team& world) {
        for (int i = 0; i < calls; ++i) exchange(world, 16 * 1024);
      });
}

TEST(adapt_simulated, follows_a_many_to_many_whose_pattern_nobody_announced) {
  constexpr int calls = 600;
  expect_to_follow(
      32, {"many_to_many=sparse", "many_to_many=mesh3d", "many_to_many=hypercube"},
      [](const team& world) {
        for (int i = 0; i < calls; ++i) send_to_next(world, 1, 8192);
      },
      [](const team& world) {
        for (int i = 0; i < calls; ++i) send_to_next(world, world.size() - 1, 8);
      });
}

TEST(adapt_simulated, agrees_on_irregular_calls_for_two_percent_where_nothing_changes) {
  // Nothing else may be tried, so that what is left is what agreements cost.
  class knows_one final : public collective::selector {
   public:
    const choice& choose(const registry& from, const problem& call) override {
      last_ = {from.named(call.of, "sparse"), "", {}};
      return last_;
    }

   private:
    choice last_;
  } selects;
  const auto program = [](const team& world) {
    for (int i = 0; i < 2000; ++i) send_to_next(world, 4, 512);
  };
  const double adapted = time_of(32, "", true, selects, program);
  EXPECT_LT(adapted, 1.02 * forced_time(32, "many_to_many=sparse", program));
}

TEST(adapt_simulated, knows_better_after_a_hundred_calls_of_a_model_that_is_wrong) {
  constexpr int ranks = 16;
  class is_wrong final : public collective::selector {
   public:
    const choice& choose(const registry& from, const problem& call) override {
      last_ = {from.named(call.of, "direct"), "", {}};
      for (const char* name : {"pairwise", "mesh2d", "mesh3d", "bruck"}) {
        last_.others.push_back({from.named(call.of, name), {}});
      }
      return last_;
    }

   private:
    choice last_;
  } selects;
  const auto of = [](int calls) {
    return [calls](const team& world) {
      for (int i = 0; i < calls; ++i) exchange(world, 16);
    };
  };
  const double best = forced_time(ranks, "all_to_all=bruck", of(300));
  const double wrong = forced_time(ranks, "all_to_all=direct", of(300));
  const double adapted =
      time_of(ranks, "", true, selects, of(400)) - time_of(ranks, "", true, selects, of(100));
  EXPECT_GT(wrong, 2 * best);
  EXPECT_LT(adapted, 1.05 * best);
}

/// Who takes a message may let all choices be forgotten, within a call that observes itself: at all
/// members in the same call, so that they go on alike.
JOB_TEST(adapt, choices_are_forgotten_within_a_call, .most_ranks = 9) {
  const adaptation before = collective::set_adapting(here, adaptation::all);
  struct context {
    job& here;
    bool forgets = false;
    int came = 0;
  } all{here};
  const collective::collect_handler taken{[](int, std::span<const std::byte>, void* given) {
                                            auto& at = *static_cast<context*>(given);
                                            ++at.came;
                                            if (!at.forgets) return;
                                            collective::selector* const chose =
                                                collective::set_selector(at.here, nullptr);
                                            collective::set_selector(at.here, chose);
                                          },
                                          &all};
  const auto next = static_cast<std::uint64_t>((here.rank() + 1) % here.size());
  const std::array<std::uint64_t, 1> to{next};
  const std::vector<int> data(3, here.rank());
  for (int calls = 1; calls <= 30; ++calls) {
    all.came = 0;
    for (int call = 1; call <= calls; ++call) {
      all.forgets = call == calls;
      many_to_many_multicast(here.world(), blocking, data, to, taken);
    }
    ASSERT_EQ(all.came, calls);
  }
  collective::set_adapting(here, before);
}
