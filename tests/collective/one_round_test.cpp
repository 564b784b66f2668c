// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in one round over shared memory: right in every interleaving, with the looks, copies
// and signals that they claim.
#include "upwash/collective/algorithms/one_round.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/collective/cases.hpp"
#include "upwash/collective/algorithms/shared_reduces.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;
using task = round_task;
using source = round_source;

constexpr task all_tasks[] = {task::broadcast,     task::scatter,        task::gather,
                              task::all_gather,    task::all_to_all,     task::reduce,
                              task::all_reduce,    task::reduce_scatter, task::scan,
                              task::exclusive_scan};

struct asked {
  task what;
  source from;
  int ranks;
  int root;
  std::uint64_t bytes;
  bool in_place;

  [[nodiscard]] generator of_rank(int rank) const {
    return generator(one_round(what, from, {ranks, rank, root, bytes, in_place}));
  }
  [[nodiscard]] std::uint64_t members() const { return static_cast<std::uint64_t>(ranks); }
};

bool may_be_in_place(const asked& it) {
  switch (it.what) {
    case task::broadcast:
    case task::all_gather: return true;
    case task::all_reduce:
    case task::scan:
    case task::exclusive_scan: return it.from == source::shared_scratch;
    default: return false;
  }
}

expectation expected(const asked& it) {
  expectation of;
  of.ranks = it.ranks;
  of.in_place = it.in_place;
  const bool parts =
      it.what == task::scatter || it.what == task::all_to_all || it.what == task::reduce_scatter;
  const bool collected =
      it.what == task::gather || it.what == task::all_gather || it.what == task::all_to_all;
  of.input_bytes = it.bytes * (parts ? it.members() : 1);
  of.output_bytes = it.bytes * (collected ? it.members() : 1);
  if (it.in_place && it.what == task::all_gather) of.in_place_stride = it.bytes;
  return of;
}

abstract_value first_ranks(int ranks, std::uint64_t element) { return all_ranks(ranks, element); }

abstract_value wanted(const asked& it, int rank, std::uint64_t e) {
  const auto own_part = static_cast<std::uint32_t>(e + static_cast<std::uint64_t>(rank) * it.bytes);
  const auto here = static_cast<std::uint32_t>(e);
  const auto block = [&] { return static_cast<int>(e / it.bytes); };
  const auto in_block = [&] { return static_cast<std::uint32_t>(e % it.bytes); };
  switch (it.what) {
    case task::broadcast: return {{it.root, here}};
    case task::scatter: return {{it.root, own_part}};
    case task::gather:
      return rank == it.root ? abstract_value{{block(), in_block()}} : abstract_value{};
    case task::all_gather: return {{block(), in_block()}};
    case task::all_to_all:
      return {{block(), in_block() + static_cast<std::uint32_t>(static_cast<std::uint64_t>(rank) *
                                                                it.bytes)}};
    case task::reduce: return rank == it.root ? all_ranks(it.ranks, e) : abstract_value{};
    case task::all_reduce: return all_ranks(it.ranks, e);
    case task::reduce_scatter: return all_ranks(it.ranks, own_part);
    case task::scan: return first_ranks(rank + 1, e);
    case task::exclusive_scan: return rank == 0 ? abstract_value{} : first_ranks(rank, e);
  }
  return {};
}

template <class Do>
void for_all(int ranks, std::uint64_t bytes, const Do& what) {
  for (const task of : all_tasks) {
    for (const source from : {source::shared_scratch, source::buffer}) {
      for (const bool in_place : {false, true}) {
        const asked it{of, from, ranks, ranks / 2, bytes, in_place};
        if (in_place && !may_be_in_place(it)) continue;
        SCOPED_TRACE(testing::Message()
                     << "task " << static_cast<int>(of) << ", source " << static_cast<int>(from)
                     << (in_place ? ", in place, " : ", ") << ranks << " ranks, " << bytes);
        what(it);
      }
    }
  }
}

}  // namespace

TEST(one_round, is_right_for_every_collective) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 4) {
    for (const std::uint64_t bytes : {0, 1, 3}) {
      for_all(ranks, bytes, [](const asked& it) {
        expect_valid(
            expected(it), [&](int rank) { return it.of_rank(rank); },
            [&](int rank, std::uint64_t e) { return wanted(it, rank, e); }, 1);
      });
    }
  }
}

TEST(one_round, takes_a_look_and_a_copy_for_each_contribution) {
  for_all(9, 8, [](const asked& it) {
    if (it.what != task::all_gather && it.what != task::all_to_all) return;
    const totals sum = count(it.of_rank(5));
    EXPECT_EQ(sum.messages_sent, 0U);
    const bool from_buffers = it.from == source::buffer;
    EXPECT_EQ(sum.awaits, from_buffers ? 9U : 8U);
    EXPECT_EQ(sum.signals, from_buffers ? 9U : 1U);
    const std::uint64_t laid_out = from_buffers ? 0 : it.of_rank(5).wants().shared_bytes;
    EXPECT_EQ(sum.bytes_copied, laid_out + (it.in_place ? 8U : 9U) * it.bytes);
    EXPECT_EQ(sum.rounds, from_buffers ? 2U : 1U);
  });
}

TEST(one_round, has_no_two_ranks_read_of_one_at_a_time) {
  constexpr int ranks = 131'072;
  for (const int turn : {1, 2, 1000}) {
    std::set<int> owners;
    for (int rank = 0; rank < ranks; rank += 997) {
      generator steps = asked{task::all_gather, source::buffer, ranks, 0, 8, true}.of_rank(rank);
      step s;
      for (int copies = 0; copies < turn;) {
        ASSERT_TRUE(steps.next(s));
        if (s.kind == step_kind::copy) ++copies;
      }
      EXPECT_EQ(s.left.owner, (rank + turn) % ranks);
      EXPECT_TRUE(owners.insert(s.left.owner).second);
    }
  }
}

TEST(shared_segments, combine_all_vectors_in_rank_order) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 4) {
    for (const std::uint64_t elements : {0, 1, 5, 40}) {
      for (const int root : {shared_segments_call::all, 0, ranks - 1}) {
        for (const bool in_place : {false, true}) {
          if (in_place && root != shared_segments_call::all) continue;
          SCOPED_TRACE(testing::Message()
                       << ranks << " ranks, root " << root << (in_place ? ", in place" : ""));
          expectation of;
          of.ranks = ranks;
          of.element_bytes = 4;
          of.input_bytes = of.output_bytes = 4 * elements;
          of.in_place = in_place;
          expect_valid(
              of,
              [&](int rank) {
                return generator(shared_segments({ranks, rank, root, 4 * elements, 4, in_place}));
              },
              [&](int rank, std::uint64_t e) {
                return root == shared_segments_call::all || root == rank ? all_ranks(ranks, e)
                                                                         : abstract_value{};
              },
              1);
        }
      }
    }
  }
}

TEST(shared_segments, touch_three_times_the_vector) {
  const totals sum =
      count(generator(shared_segments({16, 3, shared_segments_call::all, 1600, 4, false})));
  EXPECT_EQ(sum.bytes_copied, 1600U + 100 + 1600);
  EXPECT_EQ(sum.bytes_reduced, 1500U);
  EXPECT_EQ(sum.rounds, 2U);
}

namespace {

steps read_unasked(script& out, int rank) {
  if (rank != 0) co_yield out.copy({buffer::input, 0, 1, 0}, {buffer::output, 0, 1});
}

}  // namespace

TEST(validator, finds_a_buffer_that_nobody_exposes) {
  expectation of;
  of.ranks = 2;
  of.input_bytes = of.output_bytes = 1;
  const std::string wrong = validate(
      of,
      [](int rank) {
        return generator({.window = 1}, [=](script& out) { return read_unasked(out, rank); });
      },
      nothing_wanted, 1);
  EXPECT_NE(wrong.find("reads the input of rank 0, which does not expose it"), std::string::npos)
      << wrong;
}
