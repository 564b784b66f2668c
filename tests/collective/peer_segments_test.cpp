// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The all-reduce out of peers' buffers: valid in random interleavings with operators that do not
// commute, in place and not, with few elements and with many pieces; counted.
#include "upwash/collective/algorithms/shared_reduces.hpp"

#include <gtest/gtest.h>

#include "tests/collective/cases.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

constexpr std::uint32_t element_bytes = 4;

generator made(int ranks, int rank, std::uint64_t elements, std::uint64_t piece, bool in_place) {
  return generator(
      peer_segments({ranks, rank, elements * element_bytes, element_bytes, piece, in_place}));
}

}  // namespace

TEST(peer_segments, keeps_order) {
  for (int ranks = 1; ranks <= (long_run() ? 33 : 12); ++ranks) {
    for (const std::uint64_t elements : {0, 1, 3, 8, 101}) {
      for (const std::uint64_t piece : {1, 9, 1000}) {
        for (const bool in_place : {false, true}) {
          expectation of;
          of.ranks = ranks;
          of.element_bytes = element_bytes;
          of.input_bytes = of.output_bytes = elements * element_bytes;
          of.commutative = false;
          of.in_place = in_place;
          const auto of_rank = [&](int rank) {
            return made(ranks, rank, elements, piece, in_place);
          };
          const auto wanted = [&](int, std::uint64_t e) { return all_ranks(ranks, e); };
          SCOPED_TRACE(testing::Message()
                       << "pieces of " << piece << (in_place ? ", in place" : ""));
          expect_valid(of, of_rank, wanted, 2);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(peer_segments, touches_each_byte_as_often_as_it_says) {
  for (const int ranks : {2, 3, 4, 8}) {
    const auto wide = static_cast<std::uint64_t>(ranks);
    const std::uint64_t elements = wide * 1000;
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(made(ranks, rank, elements, 512, false));
      EXPECT_EQ(sum.messages_sent, 0U);
      EXPECT_EQ(sum.bytes_reduced, (wide - 1) * 1000 * element_bytes);
      EXPECT_EQ(sum.bytes_copied, 2 * (wide - 1) * 1000 * element_bytes);
    }
  }
}

TEST(peer_segments, needs_two_pieces_of_scratch) {
  EXPECT_EQ(made(4, 1, 1U << 20U, 65536, false).wants().scratch_bytes, 2U * 65536);
  EXPECT_EQ(made(4, 1, 40, 65536, false).wants().scratch_bytes, 2U * 40);
  EXPECT_EQ(made(4, 3, 1, 65536, false).wants().scratch_bytes, 0U);
}
