// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls in place against an oracle: every algorithm, sizes up to a MiB, several teams, in all forms
// of a call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
using collective::kind;

constexpr std::array kinds{kind::gather, kind::scatter, kind::reduce, kind::reduce_scatter,
                           kind::all_to_all};

struct one_call {
  kind what = kind::gather;
  std::string algorithm{};
  std::size_t items = 0;  ///< of a block or of the vector
  int root = 0;
};

std::uint32_t item_of(int member, std::size_t i) {
  return static_cast<std::uint32_t>(static_cast<std::size_t>(member) * 1'000'003 + i * 7 + 1);
}

std::size_t wide(int number) { return static_cast<std::size_t>(number); }

/// What a member has before the call. What it must not count on is marked.
std::vector<std::uint32_t> before(const team& among, const one_call& c) {
  const bool root = among.rank() == c.root;
  const bool one_block = c.what == kind::reduce || (is_rooted(c.what) && !root);
  std::vector<std::uint32_t> data(one_block ? c.items : c.items * wide(among.size()), 0xeeeeeeee);
  const bool own_only = c.what == kind::gather && root;
  if (c.what == kind::scatter && !root) return data;
  const std::size_t first = own_only ? wide(c.root) * c.items : 0;
  const std::size_t count = own_only ? c.items : data.size();
  for (std::size_t i = 0; i < count; ++i) data[first + i] = item_of(among.rank(), i);
  return data;
}

std::uint32_t sum_at(const team& among, std::size_t i) {
  std::uint32_t all = 0;
  for (int member = 0; member < among.size(); ++member) all += item_of(member, i);
  return all;
}

/// What item `i` is afterwards; nothing where that is not said.
std::optional<std::uint32_t> after(const team& among, const one_call& c, std::size_t i) {
  const int me = among.rank();
  const bool root = me == c.root;
  const std::size_t block = c.items == 0 ? 0 : i / c.items;
  const std::size_t within = c.items == 0 ? 0 : i % c.items;
  if (c.what == kind::gather) {
    return root ? item_of(static_cast<int>(block), within) : item_of(me, i);
  }
  if (c.what == kind::scatter) return item_of(c.root, root ? i : wide(me) * c.items + i);
  if (c.what == kind::reduce) return root ? sum_at(among, i) : item_of(me, i);
  if (c.what == kind::all_to_all) {
    return item_of(static_cast<int>(block), wide(me) * c.items + within);
  }
  return block == wide(me) ? std::optional<std::uint32_t>(sum_at(among, i)) : std::nullopt;
}

enum class form : std::uint8_t { started, waited_for, kept };

/// `call(form...)`, where `form` is nothing, `blocking` or `persist`.
template <class Call>
void in_form(form which, const Call& call) {
  switch (which) {
    case form::started: call().wait(); return;
    case form::waited_for: call(blocking); return;
    case form::kept: {
      auto often = call(persist);
      often.run();
    }
  }
}

void run_in_place(const team& among, const one_call& c, form which, std::span<std::uint32_t> data) {
  const collective_options how{.algorithm = c.algorithm};
  in_form(which, [&](auto... as) {
    if (c.what == kind::gather) return gather(among, as..., c.root, in_place, data, how);
    if (c.what == kind::scatter) return scatter(among, as..., c.root, in_place, data, how);
    if (c.what == kind::reduce) return reduce<sum>(among, as..., c.root, in_place, data, how);
    if (c.what == kind::reduce_scatter) {
      return reduce_scatter<sum>(among, as..., in_place, data, how);
    }
    return all_to_all(among, as..., in_place, data, how);
  });
}

void run_and_compare(const team& among, const one_call& c, form which) {
  auto data = before(among, c);
  run_in_place(among, c, which, data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto wanted = after(among, c, i);
    ASSERT_EQ(data[i], wanted.value_or(data[i]))
        << to_string(c.what) << " in place by " << c.algorithm << " of " << c.items
        << " items, root " << c.root << ", member " << among.rank() << " of " << among.size()
        << ", item " << i;
  }
}

bool serves(const collective::algorithm& one, const team& among, std::size_t bytes) {
  const auto about = host(among.here()).endpoint().describe();
  collective::problem call{.of = one.of,
                           .ranks = among.size(),
                           .bytes = bytes,
                           .element_bytes = sizeof(std::uint32_t),
                           .in_place = true,
                           .direct_access = all_direct(among),
                           .shared_scratch = 32U << 10U,  // of small teams
                           .network_collectives = about.network_collectives};
  collective::tell_nodes(among, call);
  return collective::registry::objection({&one, model::initial_values(one.is)}, call).empty();
}

void run_all(const team& among, std::span<const std::size_t> sizes) {
  collective::registry all;
  collective::add_algorithms(all);
  int turn = 0;
  for (const kind what : kinds) {
    for (const collective::algorithm* each : all.of(what)) {
      for (const std::size_t items : sizes) {
        if (!serves(*each, among, items * sizeof(std::uint32_t))) continue;
        const int root = is_rooted(what) ? ++turn % among.size() : 0;
        const auto which = static_cast<form>(turn % 3);
        run_and_compare(among, {what, std::string(each->is.name), items, root}, which);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace

JOB_TEST(in_place_calls, every_algorithm, .most_ranks = 17) {
  constexpr std::array<std::size_t, 6> sizes{0, 1, 3, 14, 250, 3000};
  run_all(here.world(), sizes);
}

JOB_TEST(in_place_calls, every_algorithm_on_other_teams, .most_ranks = 9) {
  constexpr std::array<std::size_t, 4> sizes{0, 2, 100, 1025};
  team halves = here.world().split(here.rank() % 2, -here.rank());
  run_all(halves, sizes);
  team same = here.world().duplicate();
  run_all(same, sizes);
  halves.release();
  same.release();
}

JOB_TEST(in_place_calls, large, .most_ranks = 4) {
  constexpr std::array<std::size_t, 2> sizes{16U << 10U, 256U << 10U};  // to a MiB
  run_all(here.world(), sizes);
}

JOB_TEST(in_place_calls, every_root_and_form_by_choice, .most_ranks = 9) {
  for (const kind what : kinds) {
    for (int root = 0; root < (is_rooted(what) ? here.size() : 1); ++root) {
      for (const form which : {form::started, form::waited_for, form::kept}) {
        for (const std::size_t items : {0, 5, 600}) {
          run_and_compare(here.world(), {what, "", items, root}, which);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

JOB_TEST(in_place_calls, containers) {
  const team& world = here.world();
  std::vector<int> data(wide(here.size()), here.rank());
  all_to_all(world, blocking, in_place, data);
  for (int member = 0; member < here.size(); ++member) EXPECT_EQ(data[wide(member)], member);
  reduce_scatter<sum>(world, in_place, data).wait();
  EXPECT_EQ(data[wide(here.rank())], here.rank() * here.size());
  std::array<int, 2> pair{here.rank(), 1};
  reduce<sum>(world, blocking, 0, in_place, pair);
  EXPECT_EQ(pair[1], here.rank() == 0 ? here.size() : 1);
  std::vector<int> mine(here.rank() == 0 ? wide(here.size()) : 1, here.rank());
  gather(world, blocking, 0, in_place, mine);
  if (here.rank() == 0) {
    for (int member = 0; member < here.size(); ++member) EXPECT_EQ(mine[wide(member)], member);
  }
  scatter(world, 0, in_place, mine).wait();
  EXPECT_EQ(mine[0], here.rank());
}

namespace {

template <class Call>
void expect_refused(const char* why, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no error: " << why;
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

}  // namespace

JOB_TEST(in_place_calls, what_overlaps_is_refused, .least_ranks = 2) {
  const team& world = here.world();
  std::vector<int> data(4 * wide(here.size()) + 4);
  const std::span all(data);
  const std::span whole = all.first(4 * wide(here.size()));
  constexpr const char* why = "overlap; give buffers that are apart, or one buffer to the call in";
  expect_refused(why, [&] { all_to_all(world, blocking, whole, whole); });
  expect_refused(why, [&] { all_to_all(world, whole, all.subspan(4)).wait(); });
  expect_refused(why, [&] { reduce_scatter<sum>(world, blocking, whole, whole.first(4)); });
  expect_refused(why, [&] { all_reduce<sum>(world, blocking, all.first(3), all.subspan(2, 3)); });
  expect_refused(why, [&] {
    static_cast<void>(all_gather(world, persist, whole.subspan(4 * wide(here.rank()), 4), whole));
  });
  if (here.rank() == 0) {
    expect_refused(why, [&] { gather(world, blocking, 0, whole.first(4), whole); });
    expect_refused(why, [&] { scatter(world, blocking, 0, whole, whole.first(4)); });
    expect_refused(why, [&] { reduce<sum>(world, blocking, 0, whole, whole); });
  }
  barrier(world, blocking);
}

JOB_TEST(in_place_calls, sizes_that_do_not_fit_are_refused, .least_ranks = 2) {
  const team& world = here.world();
  std::vector<int> data(wide(here.size()) + 1);
  constexpr const char* why = "elements where";
  expect_refused(why, [&] { all_to_all(world, blocking, in_place, data); });
  expect_refused(why, [&] { reduce_scatter<sum>(world, blocking, in_place, data); });
  if (here.rank() == 0) {
    expect_refused(why, [&] { gather(world, blocking, 0, in_place, data); });
    expect_refused(why, [&] { scatter(world, blocking, 0, in_place, data); });
  }
  expect_refused("is not in the team", [&] {
    std::vector<int> one(1);
    gather(world, blocking, here.size(), in_place, one);
  });
  barrier(world, blocking);
}
