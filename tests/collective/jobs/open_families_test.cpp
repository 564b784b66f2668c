// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by bytes, and a collective that upwash does not know: its family, its particulars and
// its algorithms come from here, and are proven, chosen, kept and run as all others.
#include <algorithm>
#include <array>
#include <compare>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/call.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/collective/validate.hpp"
#include "upwash/schedule/script.hpp"
#include "upwash/schedule/validate.hpp"

namespace {

using namespace upwash;
using collective::binding;
using collective::extent;
using collective::kind;
using collective::problem;
using schedule::buffer;
using schedule::mark;
using schedule::piece;
using schedule::script;
using schedule::steps;

/// By how many members each vector goes on.
class distance final : public collective::particulars {
 public:
  explicit distance(int members) : members_(members) {}
  [[nodiscard]] int members() const noexcept { return members_; }
  [[nodiscard]] std::strong_ordering compare(const particulars& other) const noexcept override {
    return members_ <=> static_cast<const distance&>(other).members_;
  }

 private:
  int members_;
};

int distance_of(const problem& call) { return call.further.as<distance>().members(); }

void of_behind(const problem& call, int rank, std::uint64_t element,
               std::vector<schedule::contribution>& is) {
  const int behind = (rank + call.ranks - distance_of(call) % call.ranks) % call.ranks;
  is.push_back({behind, static_cast<std::uint32_t>(element)});
}

constexpr collective::family shift_family{.name = "shift", .definition = of_behind};
constexpr kind shift{shift_family};

steps go_straight(script& out, int ranks, int rank, int by, std::uint64_t bytes) {
  const piece in{buffer::input, 0, bytes};
  const piece result{buffer::output, 0, bytes};
  by %= ranks;
  if (by == 0) {
    co_yield out.copy(in, result);
    co_return;
  }
  co_yield out.send((rank + by) % ranks, 0, in);
  co_yield out.receive((rank + ranks - by) % ranks, 0, result);
}

/// One member further at a time.
steps go_by_neighbours(script& out, int ranks, int rank, int by, std::uint64_t bytes) {
  const piece result{buffer::output, 0, bytes};
  mark ready = co_yield out.copy({buffer::input, 0, bytes}, result);
  for (int turn = 0; turn < by % ranks; ++turn) {
    const auto edge = static_cast<std::uint32_t>(turn);
    const piece room{buffer::scratch, 0, bytes};
    const mark gone = co_yield out.send((rank + 1) % ranks, edge, result).after(ready);
    const mark came = co_yield out.receive((rank + ranks - 1) % ranks, edge, room).after(ready);
    ready = co_yield out.copy(room, result).after(came, gone);
  }
}

using way = steps (*)(script&, int, int, int, std::uint64_t);

template <way Goes>
collective::algorithm row_of(std::string_view name) {
  return {.of = shift,
          .is = {.name = name, .parameters = {}, .doc = "shifts vectors", .source = "this test"},
          .make = [](const problem& call, const model::values&, int rank) {
            return schedule::generator(
                {.window = 4, .scratch_bytes = call.bytes, .edges_apart = true},
                [=, ranks = call.ranks, by = distance_of(call), bytes = call.bytes](script& out) {
                  return Goes(out, ranks, rank, by, bytes);
                });
          }};
}

collective::registry with_shifts() {
  collective::registry all;
  add_algorithms(all);
  all.add(row_of<go_by_neighbours>("by_neighbours"));
  all.add(row_of<go_straight>("straight"));
  return all;
}

problem shift_by(int members, std::uint64_t bytes, int ranks = 1) {
  problem call{.of = shift, .ranks = ranks, .bytes = bytes};
  call.further = std::make_shared<distance>(members);
  return call;
}

std::uint64_t item_of(int rank, std::size_t i) {
  return static_cast<std::uint64_t>(rank) << 32U | i;
}

std::vector<std::uint64_t> items_of(int rank, std::size_t count) {
  std::vector<std::uint64_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = item_of(rank, i);
  return all;
}

std::string refusal(const team& among, const collective::call& wanted, const binding& buffers) {
  try {
    collective::run(among, wanted, buffers);
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

template <class T>
binding bound(const std::vector<T>& in, std::vector<T>& out) {
  return {.input = std::as_bytes(std::span(in)), .output = std::as_writable_bytes(std::span(out))};
}

}  // namespace

TEST(open_families, are_proven_by_their_definition) {
  const collective::registry all = with_shifts();
  EXPECT_EQ(all.kind_named("shift"), shift);
  EXPECT_EQ(all.kind_named("scan"), kind::scan);
  for (const collective::algorithm* one : all.of(shift)) {
    for (int ranks = 1; ranks <= 6; ++ranks) {
      for (int by = 0; by < 8; ++by) {
        EXPECT_EQ(validate({one}, shift_by(by, 5, ranks)), "") << one->is.name << ranks << by;
      }
    }
  }
  const auto by_name = all.named(shift, "straight");
  EXPECT_EQ(by_name.schedule_of(shift_by(1, 8, 3), 0).wants().window, 4U);
}

TEST(open_families, a_wrong_algorithm_is_found) {
  collective::algorithm wrong = row_of<go_straight>("one_too_far");
  wrong.make = [](const problem& call, const model::values&, int rank) {
    return schedule::generator(
        {.window = 4, .edges_apart = true},
        [=, ranks = call.ranks, by = distance_of(call), bytes = call.bytes](script& out) {
          return go_straight(out, ranks, rank, by + 1, bytes);
        });
  };
  EXPECT_NE(validate({&wrong}, shift_by(1, 4, 3)), "");
}

TEST(open_families, particulars_are_part_of_the_key) {
  EXPECT_EQ(shift_by(2, 8), shift_by(2, 8));
  EXPECT_NE(shift_by(2, 8), shift_by(3, 8));
  EXPECT_NE(shift_by(0, 8), (problem{.of = shift, .bytes = 8}));
  EXPECT_LT((problem{.of = shift, .bytes = 8}), shift_by(0, 8));
}

JOB_TEST(open_families, are_chosen_and_run) {
  const collective::registry all = with_shifts();
  const auto prices = collective::make_model_selector("laptop");
  collective::install(here, {.algorithms = &all, .chooses = prices.get()});
  random_stream from(7, 0x7368696674);  // the same at all members
  for (int round = 0; round < 12; ++round) {
    const int by = static_cast<int>(from.below(9));
    const std::size_t count = from.below(700);
    const std::string_view named = round % 3 == 0   ? "by_neighbours"
                                   : round % 3 == 1 ? "straight"
                                                    : "";
    const auto in = items_of(here.rank(), count);
    std::vector<std::uint64_t> out(count);
    const collective::call wanted{.what = shift_by(by, count * 8), .how = {.algorithm = named}};
    if (round % 2 == 0) {
      collective::run(here.world(), wanted, bound(in, out));
    } else {
      collective::start(here.world(), wanted, bound(in, out)).wait();
    }
    const int behind = (here.rank() + here.size() - by % here.size()) % here.size();
    ASSERT_EQ(out, items_of(behind, count)) << by << " members, " << named;
  }
  collective::install(here, {});
}

/// Whatever forgets the call's shape meanwhile.
JOB_TEST(open_families, particulars_live_as_long_as_what_runs_by_them) {
  const collective::registry all = with_shifts();
  collective::install(here, {.algorithms = &all});
  const auto in = items_of(here.rank(), 5);
  std::vector<std::uint64_t> out(5);
  auto by_two = std::make_shared<distance>(2);
  const std::weak_ptr<distance> seen = by_two;
  collective::call wanted{.what = shift_by(2, 40), .how = {.algorithm = "by_neighbours"}};
  wanted.what.further = std::move(by_two);
  {
    auto kept = collective::prepare(here.world(), wanted, bound(in, out));
    wanted = {};
    collective::set_selector(here, nullptr);  // forgets all plans
    ASSERT_FALSE(seen.expired());
    kept.start().wait();
    const int behind = (here.rank() + here.size() - 2 % here.size()) % here.size();
    EXPECT_EQ(out, items_of(behind, 5));
  }
  EXPECT_TRUE(seen.expired());
  collective::install(here, {});
}

JOB_TEST(open_families, calls_by_bytes_are_what_typed_calls_are) {
  const team world = here.world();
  const auto members = static_cast<std::size_t>(here.size());
  const auto mine = items_of(here.rank(), 3);
  std::vector<std::uint64_t> got(3 * members);
  std::vector<std::uint64_t> wanted(3 * members);
  collective::run(world, {.what = {.of = kind::all_gather, .bytes = 24}}, bound(mine, got));
  all_gather(world, blocking, mine, std::span(wanted));
  ASSERT_EQ(got, wanted);

  binding sums = bound(mine, got);
  sums.combine = reduction_of<std::uint64_t>(sum());
  const problem reducing{.of = kind::all_reduce, .bytes = 24, .element_bytes = 8};
  collective::start(world, {.what = reducing}, sums).wait();
  all_reduce<sum>(world, blocking, mine, std::span(wanted).first(3));
  ASSERT_TRUE(std::equal(got.begin(), got.begin() + 3, wanted.begin()));
}

JOB_TEST(open_families, calls_by_bytes_refuse_what_does_not_fit) {
  const team world = here.world();
  const auto mine = items_of(here.rank(), 3);
  std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(here.size()));
  std::vector<std::uint64_t> less(all.size() - 1);
  const collective::call gathers{.what = {.of = kind::all_gather, .bytes = 24}};
  EXPECT_NE(refusal(world, gathers, bound(mine, less)).find("the output has"), std::string::npos);
  EXPECT_NE(refusal(world, gathers, bound(items_of(0, 2), all)).find("the input has 16 bytes"),
            std::string::npos);
  const collective::call reduces{.what = {.of = kind::all_reduce, .bytes = 24}};
  EXPECT_NE(refusal(world, reduces, bound(mine, all)).find("no reduction is given"),
            std::string::npos);
  const auto has = [](const std::string& said, std::string_view what) {
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  for (const kind each : {kind::all_gather, kind::all_to_all, kind::scatter, kind::broadcast}) {
    for (const int bits : {48, 62}) {
      const problem wraps{.of = each, .bytes = std::uint64_t{1} << static_cast<unsigned>(bits)};
      has(refusal(world, {.what = wraps}, bound(mine, all)), "are more than any buffer has");
    }
    const auto members = static_cast<std::uint64_t>(here.size());
    const problem most{.of = each, .bytes = (std::uint64_t{1} << 47U) / members};
    has(refusal(world, {.what = most}, bound(mine, all)), "are wanted");
  }
  binding sums = bound(mine, all);
  sums.combine = reduction_of<std::uint64_t>(sum());
  for (const kind each : {kind::all_reduce, kind::reduce_scatter, kind::scan}) {
    has(refusal(world, {.what = {.of = each, .bytes = 20, .element_bytes = 8}}, sums),
        "20 bytes are not whole elements of 8 bytes");
    has(refusal(world, {.what = {.of = each, .bytes = 16, .element_bytes = 0}}, sums),
        "16 bytes are not whole elements of 0 bytes");
  }
  has(refusal(world, {.what = {.of = kind::all_gather, .bytes = 24, .element_bytes = 0}},
              bound(mine, all)),
      "not whole elements of 0");
  // Nobody has sent anything: the job goes on.
  collective::run(world, gathers, bound(mine, all));
  EXPECT_EQ(all[0], item_of(0, 0));
}
