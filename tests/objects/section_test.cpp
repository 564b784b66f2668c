// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sections of objects that migrate: calls reach each once and in order, reductions are the sums of
// what each has contributed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

constexpr int objects_of_a_run = 29;

struct singer;
using choir = object_section<singer>;

struct singer : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(heard, sums);
  }

  /// The number-th call of that choir.
  void sing(choir of, int which, int number, std::uint64_t seed, bool answers) {
    heard.emplace_back(which, number);
    const std::uint64_t draw = random_bits(seed, static_cast<std::uint64_t>(index()), number);
    if (answers) {
      const std::array<std::uint64_t, 2> own{static_cast<std::uint64_t>(which * 1000 + number),
                                             static_cast<std::uint64_t>(index())};
      contribute<elementwise<sum>>(of, own, all_of<&singer::know>(of));
    }
    const auto members = static_cast<std::uint64_t>(here().world().size());
    if (draw % 4 == 0) migrate_to(static_cast<int>(draw / 4 % members));
  }
  void know(std::array<std::uint64_t, 2> result) { sums.push_back(result); }
  void begin(std::vector<int> indices, int which, std::uint64_t seed) {
    const object_view<singer> all(*this);
    const choir made = all.section(indices, section_shape::ring);
    all[made].send<&singer::sing>(made, which, 1, seed, true);
    all[made].send<&singer::sing>(made, which, 2, seed, false);
  }
  void leave_for(int member) { migrate_to(member); }
  void end() { remove(); }

  std::vector<std::pair<int, int>> heard;
  std::vector<std::array<std::uint64_t, 2>> sums;
};

std::vector<int> some(random_stream& draws) {
  std::vector<int> all;
  const std::uint64_t density = 1 + draws.below(4);
  for (int i = 0; i < objects_of_a_run; ++i) {
    if (draws.below(density) == 0) all.push_back(i);
  }
  return all;
}

struct made_choir {
  std::vector<int> indices;
  choir handle;
  int calls = 0;
  std::vector<std::uint64_t> answered;  ///< its calls that objects contribute at
  std::uint64_t calls_at_fence = 0;
};

std::array<std::uint64_t, 2> answer_of(const made_choir& of, int which, std::uint64_t number) {
  std::array<std::uint64_t, 2> all{};
  for (const int each : of.indices) {
    all[0] += static_cast<std::uint64_t>(which) * 1000 + number;
    all[1] += static_cast<std::uint64_t>(each);
  }
  return all;
}

void check(const singer& one, const std::vector<made_choir>& choirs, bool ordered) {
  std::vector<std::pair<int, int>> heard = one.heard;
  std::vector<std::pair<int, int>> wanted_calls;
  std::vector<std::array<std::uint64_t, 2>> wanted_sums;
  for (int which = 0; which < static_cast<int>(choirs.size()); ++which) {
    const made_choir& of = choirs[static_cast<std::size_t>(which)];
    if (!std::ranges::binary_search(of.indices, one.index())) continue;
    for (int n = 1; n <= of.calls; ++n) wanted_calls.emplace_back(which, n);
    for (const std::uint64_t n : of.answered) wanted_sums.push_back(answer_of(of, which, n));
  }
  // Calls of one choir in order, those of several as they come.
  if (ordered) {
    std::ranges::stable_sort(heard, {}, &std::pair<int, int>::first);
  } else {
    std::ranges::sort(heard);
  }
  EXPECT_EQ(heard, wanted_calls) << "object " << one.index();
  auto sums = one.sums;
  std::ranges::sort(sums);
  std::ranges::sort(wanted_sums);
  EXPECT_EQ(sums, wanted_sums) << "object " << one.index();
}

/// One object contributes another type than the others.
struct odd : object<int> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}
  void give() {
    if (index() == 0) return contribute<sum>(1, everyone<&odd::take>());
    contribute<sum>(2.0, everyone<&odd::take_real>());
  }
  void take(int /*all*/) {}
  void take_real(double /*all*/) {}
};

/// Choirs, drawn alike at all ranks, that each has a rank of its own; and fences.
void random_program(job& here, std::uint64_t seed, bool ordered) {
  const team& world = here.world();
  object_array<singer> all(world, {.name = "singers", .ordered = ordered});
  std::vector<int> numbers(objects_of_a_run);
  std::iota(numbers.begin(), numbers.end(), 0);
  all.fill(numbers);
  random_stream draws(seed, 3);
  std::vector<made_choir> choirs;
  for (std::uint64_t fences = 1 + draws.below(3); fences > 0; --fences) {
    for (std::uint64_t n = draws.below(3); n > 0; --n) {
      made_choir made{some(draws), {}, 0, {}, 0};
      const auto shape = static_cast<section_shape>(draws.below(3));
      const auto owner = static_cast<int>(choirs.size()) % here.size();
      if (here.rank() == owner) made.handle = all.section(made.indices, shape);
      choirs.push_back(made);
    }
    for (std::uint64_t calls = draws.below(8); calls > 0 && !choirs.empty(); --calls) {
      const auto which = draws.below(choirs.size());
      made_choir& of = choirs[which];
      // Where calls are not ordered, two answers of one choir could be to other calls.
      const bool answers = draws.below(2) == 0 && (ordered || of.answered.empty() ||
                                                   of.answered.back() <= of.calls_at_fence);
      ++of.calls;
      if (answers) of.answered.push_back(static_cast<std::uint64_t>(of.calls));
      if (here.rank() != static_cast<int>(which) % here.size()) continue;
      all[of.handle].send<&singer::sing>(of.handle, static_cast<int>(which), of.calls, seed,
                                         answers);
    }
    all.quiet();
    for (made_choir& each : choirs) each.calls_at_fence = static_cast<std::uint64_t>(each.calls);
  }
  all.for_each_here([&](const singer& one) { check(one, choirs, ordered); });
  all.quiet();
}

}  // namespace

JOB_TEST(object_sections, are_called_once_and_summed_while_objects_migrate) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) random_program(here, seed * 31, seed % 2 == 0);
}

JOB_TEST(object_sections, are_made_and_called_by_objects) {
  object_array<singer> all(here.world());
  std::vector<int> numbers(objects_of_a_run);
  std::iota(numbers.begin(), numbers.end(), 0);
  all.fill(numbers);
  const made_choir every_third{{0, 3, 6, 9, 27}, {}, 2, {1}, 0};
  if (here.rank() == here.size() - 1) {
    all[5].send<&singer::leave_for>(0);
    all[5].send<&singer::begin>(every_third.indices, 0, 99U);
  }
  all.quiet();
  all.for_each_here([&](const singer& one) { check(one, {every_third}, false); });
  all.quiet();
}

JOB_TEST(object_sections, follow_their_objects_at_fences_and_go_on_without_those_that_ended) {
  object_array<singer> all(here.world());
  std::vector<int> numbers(objects_of_a_run);
  std::iota(numbers.begin(), numbers.end(), 0);
  all.fill(numbers);
  made_choir most{{1, 2, 3, 4, 5, 6, 7}, {}, 0, {}, 0};
  if (here.rank() == 0) most.handle = all.section(most.indices);
  const auto round = [&](bool answers) {
    ++most.calls;
    if (answers) most.answered.push_back(static_cast<std::uint64_t>(most.calls));
    if (here.rank() != 0) return;
    // Seed 0 and calls by number: some migrate.
    all[most.handle].send<&singer::sing>(most.handle, 0, most.calls, 0U, answers);
  };
  round(true);
  all.quiet();
  if (here.rank() == 0) {
    for (int i = 1; i < 8; ++i) all[i].send<&singer::leave_for>(here.size() - 1);
  }
  all.quiet();
  round(true);
  all.quiet();
  all.for_each_here([&](const singer& one) {
    EXPECT_EQ(one.sums.size(), one.index() > 0 && one.index() < 8 ? 2U : 0U);
  });
  if (here.rank() == 0) all[7].send<&singer::end>();
  all.quiet();
  most.indices.pop_back();
  if (here.rank() == 0) all[most.handle].send<&singer::sing>(most.handle, 0, 9, 0U, true);
  all.quiet();
  all.for_each_here([&](const singer& one) {
    if (one.index() < 1 || one.index() > 6) return;
    ASSERT_EQ(one.sums.size(), 3U);
    EXPECT_EQ(one.sums.back(), answer_of(most, 0, 9));
  });
  all.quiet();
}

TEST(object_errors, name_an_index_that_is_twice_in_a_section_and_one_that_was_dropped) {
  const auto world = test::sim_of(2);
  std::string said = test::message_of(*world, [](job& here) {
    object_array<singer> all(here.world(), {.name = "singers"});
    static_cast<void>(all.section(std::vector<int>{1, 4, 1}));
  });
  EXPECT_NE(said.find("object [1] of singers: is twice in a section"), std::string::npos) << said;
  const auto other = test::sim_of(2);
  said = test::message_of(*other, [](job& here) {
    object_array<singer> all(here.world(), {.name = "singers"});
    all.fill(std::vector<int>{1, 4});
    const choir both = all.section(std::vector<int>{1, 4});
    all.drop(both);
    all.quiet();
    all[both].send<&singer::end>();
  });
  EXPECT_NE(said.find("a section of singers is called that is not, or no more"), std::string::npos)
      << said;
}

TEST(object_errors, name_a_section_that_nobody_made) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1234}, ~std::uint64_t{0} / 4}) {
    const auto world = test::sim_of(2);
    const std::string said = test::message_of(*world, [&](job& here) {
      object_array<singer> all(here.world(), {.name = "singers"});
      choir none;
      none.id = number;
      all[none].send<&singer::end>();
      all.quiet();
    });
    EXPECT_NE(said.find("a section of singers is called that is not, or no more"),
              std::string::npos)
        << said;
  }
}

TEST(object_errors, name_contributions_that_do_not_come_together) {
  const auto world = test::sim_of(2);
  const std::string said = test::message_of(*world, [](job& here) {
    object_array<odd> all(here.world());
    all.fill(std::vector<int>{0, 1});
    all.broadcast<&odd::give>();
    all.quiet();
  });
  EXPECT_NE(said.find("with different operators, types or targets"), std::string::npos) << said;
}
