// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulates of all ranks to the same places: no sum is lost, however they go.
#include "upwash/onesided/accumulate.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/layout_samples.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;
using test::any_layout;
using test::bytes_of;
using test::draw_layout;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// Small whole numbers: their sums are exact in every type.
template <class T>
T value_of(std::uint64_t bits) {
  const auto part = [](std::uint64_t some) { return static_cast<int>(some % 9) - 4; };
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(part(bits));
  } else {
    using real = typename T::value_type;
    return {static_cast<real>(part(bits)), static_cast<real>(part(bits / 100))};
  }
}

template <class T>
T whole(int n) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(n);
  } else {
    return {static_cast<typename T::value_type>(n), 0};
  }
}

template <class T>
struct deed {
  int target = 0;
  std::uint64_t first = 0;  ///< element
  T scale{};
  bool is_run = false;
  any_layout laid;
};

/// Of a rank; every rank can play every rank. All go to the same places.
template <class T>
std::vector<deed<T>> deeds_of(const team& among, int member, int deeds, std::uint64_t window) {
  random_stream draw(81, as_count(member));
  std::vector<deed<T>> all(as_count(deeds));
  for (auto& each : all) {
    each.target = static_cast<int>(draw.below(as_count(among.size())));
    each.first = draw.below(4);
    each.scale = value_of<T>(draw.next());
    each.is_run = draw.below(3) == 0;
    const std::uint64_t room = window - 4 * sizeof(T);
    each.laid = draw_layout(draw, room, sizeof(T));
    if (each.is_run) {
      const std::uint64_t most = draw.below(4) == 0 ? room / sizeof(T) : 20;
      each.laid = {};
      each.laid.rows.bytes = static_cast<std::int64_t>(draw.below(most) * sizeof(T));
    }
  }
  return all;
}

template <class T>
T source_of(int member, std::uint64_t element) {
  return value_of<T>(random_bits(5, as_count(member), element));
}

template <class T>
std::vector<T> oracle_of(const team& among, int deeds, std::uint64_t window) {
  std::vector<T> y(window / sizeof(T));
  for (int member = 0; member < among.size(); ++member) {
    for (const deed<T>& each : deeds_of<T>(among, member, deeds, window)) {
      if (each.target != among.rank()) continue;
      const auto pairs = bytes_of(each.laid);
      for (std::size_t i = 0; i < pairs.size(); i += sizeof(T)) {
        y[each.first + pairs[i].second / sizeof(T)] +=
            each.scale * source_of<T>(member, pairs[i].first / sizeof(T));
      }
    }
  }
  return y;
}

template <class T>
void accumulate_all(const team& among, int deeds, std::uint64_t window) {
  job& here = among.here();
  region area = allocate(among, window);
  std::vector<T> x(window / sizeof(T));
  for (std::uint64_t i = 0; i < x.size(); ++i) x[i] = source_of<T>(among.rank(), i);
  const std::span<const T> from(x);
  std::vector<request> open;
  const auto mine = deeds_of<T>(among, among.rank(), deeds, window);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const deed<T>& d = mine[i];
    const auto to = area.at<T>(d.target, d.first);
    const any_layout laid = d.laid;
    if (d.is_run) {
      const auto run = from.first(static_cast<std::size_t>(laid.rows.bytes) / sizeof(T));
      if (i % 2 == 0) {
        accumulate(here, to, run, d.scale, implicit);
      } else {
        open.push_back(accumulate(here, to, run, d.scale));
      }
    } else if (i % 3 == 0) {
      accumulate(here, to, from, laid.view(), d.scale, implicit);
    } else {
      open.push_back(accumulate(here, to, from, laid.view(), d.scale));
    }
    if (i % 5 == 0) open.clear();  // waits: the next ones may be done in place
  }
  wait_all(open);
  here.quiet();
  control::barrier(among);
  const auto wanted = oracle_of<T>(among, deeds, window);
  const auto seen = area.mine_as<T>();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(seen[i], wanted[i]) << "element " << i;
  }
  control::barrier(among);
  free(area);
}

/// Every rank adds to all of one rank's elements, round after round.
template <class T>
void pile_up(const team& among, int home, std::uint64_t elements, int rounds) {
  job& here = among.here();
  region area = allocate(among, elements * sizeof(T));
  const std::vector<T> x(elements, whole<T>(among.rank() + 1));
  control::barrier(among);
  for (int i = 0; i < rounds; ++i) {
    accumulate(here, area.at<T>(home), x, whole<T>(2)).wait();
  }
  control::barrier(among);
  if (among.rank() == home) {
    const T wanted = whole<T>(among.size() * (among.size() + 1) * rounds);
    for (const T& each : area.mine_as<T>()) ASSERT_EQ(each, wanted);
  }
  control::barrier(among);
  free(area);
}

std::string refusal(void (*body)(job&, const region&)) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) {
    region area = allocate(here.world(), 1000);
    if (here.rank() == 0) body(here, area);
    control::barrier(here.world());
    free(area);
  });
}

}  // namespace

JOB_TEST(accumulate, random_layouts_of_all_types) {
  const int deeds = here.size() > 8 ? 8 : 20;
  accumulate_all<double>(here.world(), deeds, 20000);
  accumulate_all<std::int32_t>(here.world(), deeds, 3000);
  accumulate_all<std::int64_t>(here.world(), deeds, 3000);
  accumulate_all<float>(here.world(), deeds, 3000);
  accumulate_all<std::complex<float>>(here.world(), deeds, 3000);
  accumulate_all<std::complex<double>>(here.world(), deeds, 3000);
}

JOB_TEST(accumulate, all_to_one_place, .most_ranks = 16) {
  pile_up<std::int64_t>(here.world(), 0, 1, 40);
  pile_up<double>(here.world(), here.size() - 1, 3000, 10);
  pile_up<std::complex<double>>(here.world(), here.size() / 2, 1500, 5);
}

/// Processors contend: what two change at once is lost but for the locks.
JOB_TEST(accumulate, many_rounds_to_one_place, .least_ranks = 2, .most_ranks = 4, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false, .on_composite = false) {
  pile_up<std::int32_t>(here.world(), 0, 4, 20000);
  pile_up<double>(here.world(), 1, 20000, 200);
}

JOB_TEST(accumulate, teams_that_overlap, .least_ranks = 3, .most_ranks = 8) {
  const team odd = here.world().split(here.rank() % 2, -here.rank());
  const team low = here.world().split(here.rank() * 2 < here.size() ? 0 : 1, here.rank());
  for (const team& each : {odd, low}) {
    accumulate_all<std::int64_t>(each, 10, 2000);
    pile_up<float>(each, each.size() - 1, 100, 5);
  }
}

JOB_TEST(accumulate, a_megabyte, .least_ranks = 2, .most_ranks = 3) {
  pile_up<double>(here.world(), 0, std::uint64_t{1} << 17U, 2);
}

/// Handlers run on a thread beside the rank, which adds to its own memory meanwhile.
JOB_TEST(accumulate, beside_progress_threads, .least_ranks = 2, .most_ranks = 4, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false, .on_composite = false,
         .shares_process = false, .environment = {"UPWASH_PROGRESS_THREAD=yes"}) {
  for (int home = 0; home < here.size(); ++home) {
    pile_up<std::int64_t>(here.world(), home, 2000, 50);  // new memory: the first go by handlers
  }
  accumulate_all<double>(here.world(), 20, 20000);
}

/// Runs that overlap at the target are all added.
JOB_TEST(accumulate, runs_on_the_same_place, .most_ranks = 4) {
  region area = allocate(here.world(), 64);
  std::vector<std::int64_t> x(300);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i);
  const strided onto_one{8, 1, {{{300, 8, 0}}}};
  control::barrier(here.world());
  for (int i = 0; i < 3; ++i) {
    accumulate(here, area.at<std::int64_t>(0, 1), x, onto_one, std::int64_t{-1}).wait();
  }
  control::barrier(here.world());
  if (here.rank() == 0) {
    EXPECT_EQ(area.mine_as<std::int64_t>()[1], -3 * here.size() * (300 * 299 / 2));
    EXPECT_EQ(area.mine_as<std::int64_t>()[0], 0);
    EXPECT_EQ(area.mine_as<std::int64_t>()[2], 0);
  }
  control::barrier(here.world());
  free(area);
}

TEST(accumulate, what_makes_no_sense_is_refused) {
  static const std::vector<double> mine(20);
  EXPECT_EQ(refusal([](job& here, const region& area) {
              accumulate(here, area.at(1, 12).as<double>(), mine).wait();
            }),
            "rank 0: accumulate to rank 1: from offset 12 on, a layout whose runs are not elements "
            "of double; give runs of multiples of 8 bytes, at places that are multiples of 8");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              const strided cut{12, 1, {{{2, 16, 16}}}};
              accumulate(here, area.at<double>(1), mine, cut).wait();
            }),
            "rank 0: accumulate to rank 1: from offset 0 on, a layout whose runs are not elements "
            "of double; give runs of multiples of 8 bytes, at places that are multiples of 8");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              const std::vector<segment> list{{0, 0, 8}, {8, 20, 8}};
              accumulate(here, area.at<double>(1), mine, list, 1.0, implicit);
            }),
            "rank 0: accumulate to rank 1: from offset 0 on, a layout whose runs are not elements "
            "of double; give runs of multiples of 8 bytes, at places that are multiples of 8");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              accumulate(here, area.at<double>(1, 120), mine).wait();
            }),
            "rank 0: accumulate to rank 1: a layout that reaches over 160 bytes from offset 960 on "
            "leaves the 1000 bytes that are there");
  EXPECT_EQ(refusal([](job& here, const region&) {
              accumulate(here, global_ptr<double>(), mine).wait();
            }),
            "rank 0: accumulate to a null pointer; give one into a region (region::at)");
}
