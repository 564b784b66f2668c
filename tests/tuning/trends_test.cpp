// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Orders that the works measured, by the model on their machines: who is ahead, never by how much.
#include <gtest/gtest.h>

#include "upwash/collective/candidates.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

constexpr std::uint64_t most_steps = 2'000'000;

/// All-to-alls among 1,024 ranks of lemieux, four a node.
class lemieux : public testing::Test {
 protected:
  lemieux() { add_algorithms(all); }
  [[nodiscard]] duration time_of(std::string_view algorithm, std::uint64_t bytes) const {
    problem call{.what = kind::all_to_all, .ranks = 1024, .bytes = bytes};
    call.ranks_per_node = 4;
    call.eager_bytes = 1 << 30;  // the equations know no other messages
    return by.predict(all.named(kind::all_to_all, algorithm), call, most_steps)
        .time.value_or(duration::max());
  }
  [[nodiscard]] bool ahead(std::string_view first, std::string_view second,
                           std::uint64_t bytes) const {
    return time_of(first, bytes) < time_of(second, bytes);
  }

  registry all;
  predictor by{load_machine("lemieux")};
};

}  // namespace

// Kumar 2005, 3.1 and figures 3.16 and 3.17.
TEST_F(lemieux, meshes_beat_direct_below_one_to_two_kib) {
  for (const std::uint64_t bytes : {8, 64, 512, 1024}) {
    EXPECT_TRUE(ahead("mesh2d", "direct", bytes)) << bytes;
  }
  for (const std::uint64_t bytes : {2048, 4096}) {
    EXPECT_TRUE(ahead("direct", "mesh2d", bytes)) << bytes;
  }
}

TEST_F(lemieux, three_dimensions_beat_two_only_below_about_sixty_bytes) {
  for (const std::uint64_t bytes : {8, 32}) EXPECT_TRUE(ahead("mesh3d", "mesh2d", bytes)) << bytes;
  for (const std::uint64_t bytes : {64, 128, 1024}) {
    EXPECT_TRUE(ahead("mesh2d", "mesh3d", bytes)) << bytes;
  }
}

TEST_F(lemieux, fewer_stages_win_as_messages_grow) {
  EXPECT_TRUE(ahead("hypercube", "mesh3d", 8));
  EXPECT_TRUE(ahead("mesh3d", "hypercube", 64));
}
