// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that go through shared scratch in pieces: right in every interleaving, in pieces of
// any size, with the waits and copies that they claim.
#include "upwash/collective/algorithms/shared_pieces.hpp"

#include <gtest/gtest.h>

#include "tests/collective/cases.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;
using task = round_task;

constexpr task all_tasks[] = {task::broadcast,  task::gather, task::all_gather,
                              task::all_to_all, task::reduce, task::all_reduce};

struct asked {
  task what;
  int ranks;
  int root;
  std::uint64_t bytes;
  std::uint64_t piece_bytes;
  bool in_place;

  [[nodiscard]] generator of_rank(int rank) const {
    const pieces_call call{{ranks, rank, root, bytes, in_place}, 2, piece_bytes};
    return what == task::all_to_all ? shared_pairs(call) : shared_pieces(what, call);
  }
  [[nodiscard]] expectation expected() const {
    const auto members = static_cast<std::uint64_t>(ranks);
    const bool collects = what == task::gather || what == task::all_gather;
    expectation of;
    of.ranks = ranks;
    of.element_bytes = 2;
    of.in_place = in_place;
    of.input_bytes = bytes * (what == task::all_to_all ? members : 1);
    of.output_bytes = bytes * (collects || what == task::all_to_all ? members : 1);
    if (in_place && what == task::all_gather) of.in_place_stride = bytes;
    return of;
  }
  [[nodiscard]] abstract_value wanted(int rank, std::uint64_t e) const {
    const std::uint64_t elements = bytes / 2;
    const auto block = static_cast<int>(e / elements);
    const auto inside = static_cast<std::uint32_t>(e % elements);
    switch (what) {
      case task::broadcast: return {{root, static_cast<std::uint32_t>(e)}};
      case task::gather: return rank == root ? abstract_value{{block, inside}} : abstract_value{};
      case task::all_gather: return {{block, inside}};
      case task::all_to_all:
        return {{block,
                 inside + static_cast<std::uint32_t>(rank) * static_cast<std::uint32_t>(elements)}};
      case task::reduce: return rank == root ? all_ranks(ranks, e) : abstract_value{};
      default: return all_ranks(ranks, e);
    }
  }
};

bool may_be_in_place(task what) { return what != task::gather && what != task::reduce; }

template <class Do>
void for_all(int ranks, std::uint64_t bytes, std::uint64_t piece_bytes, const Do& what) {
  for (const task of : all_tasks) {
    for (const bool in_place : {false, true}) {
      if (in_place && !may_be_in_place(of)) continue;
      const asked it{of, ranks, ranks / 2, bytes, piece_bytes, in_place};
      SCOPED_TRACE(testing::Message()
                   << "task " << static_cast<int>(of) << (in_place ? ", in place, " : ", ") << ranks
                   << " ranks, " << bytes << " bytes by " << piece_bytes);
      what(it);
    }
  }
}

}  // namespace

TEST(shared_pieces, are_right_for_every_collective) {
  for (const int ranks : {1, 2, 3, 4, 7}) {
    for (const std::uint64_t bytes : {0, 2, 10}) {
      for (const std::uint64_t piece_bytes : {2, 4, 64}) {
        for_all(ranks, bytes, piece_bytes, [](const asked& it) {
          for (const std::uint64_t seed : {1, 2}) {
            expect_valid(
                it.expected(), [&](int rank) { return it.of_rank(rank); },
                [&](int rank, std::uint64_t e) { return it.wanted(rank, e); }, seed);
          }
        });
      }
    }
  }
}

TEST(shared_pieces, wait_once_a_piece_for_each_member_and_copy_twice) {
  for_all(8, 1024, 256, [](const asked& it) {
    if (it.what != task::all_gather) return;
    const totals sum = count(it.of_rank(5));
    EXPECT_EQ(sum.messages_sent, 0U);
    EXPECT_EQ(sum.awaits, 4U * 7);
    EXPECT_EQ(sum.signals, 4U);
    EXPECT_EQ(sum.bytes_copied, 1024U + (it.in_place ? 7U : 8U) * 1024);
    EXPECT_EQ(it.of_rank(5).wants().shared_bytes, 2U * 256);
  });
}

TEST(shared_pieces, of_pairs_wait_for_the_partner_only) {
  for_all(8, 1024, 256, [](const asked& it) {
    if (it.what != task::all_to_all) return;
    const totals sum = count(it.of_rank(5));
    EXPECT_EQ(sum.bytes_copied, (2U * 7 + (it.in_place ? 0 : 1)) * 1024);
    EXPECT_EQ(it.of_rank(5).wants().shared_bytes, 4U * 256);
    // To take each piece of seven blocks; to lay one out, but for the first four places.
    EXPECT_LE(sum.awaits, 2U * 4 * 7);
    EXPECT_GE(sum.awaits, 2U * 4 * 7 - 4);
  });
}

TEST(shared_pieces, of_combined_vectors_touch_them_three_times) {
  const asked it{task::all_reduce, 16, 0, 3200, 1600, false};
  const totals sum = count(it.of_rank(3));
  EXPECT_EQ(sum.bytes_copied, 3200U + 200 + 3200);
  EXPECT_EQ(sum.bytes_reduced, 3000U);
  EXPECT_EQ(it.of_rank(3).wants().shared_bytes, 2U * (1600 + 100));
}

TEST(shared_pieces, are_as_long_as_there_is_room_for) {
  EXPECT_EQ(largest_piece(task::all_gather, 16, 8, 1024), 512U);
  EXPECT_EQ(largest_piece(task::all_to_all, 16, 8, 1000), 248U);
  for (int ranks = 1; ranks < 40; ++ranks) {
    const std::uint64_t piece = largest_piece(task::all_reduce, ranks, 8, 4096);
    const auto uses = [&](std::uint64_t bytes) {
      return shared_pieces(task::all_reduce, {{ranks, 0, 0, 1 << 20U, false}, 8, bytes})
          .wants()
          .shared_bytes;
    };
    EXPECT_LE(uses(piece), 4096U) << ranks;
    EXPECT_GT(uses(piece + 8), 4096U) << ranks;
  }
  EXPECT_EQ(largest_piece(task::broadcast, 2, 4096, 4096), 0U);
}
