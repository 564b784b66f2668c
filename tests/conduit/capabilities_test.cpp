// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What conduits say of themselves: classes of peers, sets of atomics, keys.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "upwash/base/atomic_text.hpp"
#include "upwash/conduit/endpoint.hpp"

namespace upwash::conduit {
namespace {

TEST(nearness, says_the_same_from_both_ends) {
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      const location one{a / 4, a / 2, a / 2};
      const location other{b / 4, b / 2, b / 2};
      const nearness expected = a / 2 == b / 2   ? nearness::process
                                : a / 4 == b / 4 ? nearness::node
                                                 : nearness::remote;
      EXPECT_EQ(nearness_of(one, other), expected) << a << " and " << b;
      EXPECT_EQ(nearness_of(other, one), expected) << a << " and " << b;
    }
  }
}

TEST(nearness, a_process_on_two_pretended_nodes_is_one_process) {
  EXPECT_EQ(nearness_of({0, 0, 3}, {1, 1, 3}), nearness::process);
}

TEST(capabilities, are_uniform_only_when_all_classes_are_alike) {
  capabilities can;
  peer_capabilities any;
  any.medium_bytes = 512;
  any.atomics = atomic_set::all();
  can.set_all(any);
  EXPECT_TRUE(can.uniform());
  for (std::size_t i = 0; i < nearness_count; ++i) {
    capabilities other = can;
    other.peers[i].medium_bytes = 1024;
    EXPECT_FALSE(other.uniform()) << i;
    other = can;
    other.peers[i].atomics = {atomic_kind::add};
    EXPECT_FALSE(other.uniform()) << i;
  }
}

TEST(atomic_set, holds_kinds_by_width) {
  const atomic_set both{atomic_kind::add, atomic_kind::swap};
  const atomic_set wide({atomic_kind::add, atomic_kind::fetch_xor}, false, true);
  for (std::size_t i = 0; i < atomic_kind_count; ++i) {
    const auto kind = static_cast<atomic_kind>(i);
    const bool in_both = kind == atomic_kind::add || kind == atomic_kind::swap;
    const bool in_wide = kind == atomic_kind::add || kind == atomic_kind::fetch_xor;
    EXPECT_EQ(both.contains(kind, 4), in_both) << i;
    EXPECT_EQ(both.contains(kind, 8), in_both) << i;
    EXPECT_FALSE(wide.contains(kind, 4)) << i;
    EXPECT_EQ(wide.contains(kind, 8), in_wide) << i;
    EXPECT_EQ((both & wide).contains(kind, 8), in_both && in_wide) << i;
    EXPECT_EQ((both - wide).contains(kind, 8), in_both && !in_wide) << i;
    EXPECT_EQ((both - wide).contains(kind, 4), in_both) << i;
    EXPECT_TRUE(atomic_set::all().contains(kind, 4) && atomic_set::all().contains(kind, 8)) << i;
  }
  EXPECT_TRUE(atomic_set::all().includes(both));
  EXPECT_FALSE(both.includes(wide));
  EXPECT_TRUE(both.includes(both & wide));
  EXPECT_TRUE(wide.includes(atomic_set()));
}

TEST(atomic_set, has_a_text) {
  EXPECT_EQ(to_string(atomic_set::all()), "all");
  EXPECT_EQ(to_string(atomic_set()), "none");
  EXPECT_EQ(to_string(atomic_set{atomic_kind::add, atomic_kind::swap} -
                      atomic_set({atomic_kind::swap}, true, false)),
            "add, swap of 8 bytes");
  EXPECT_EQ(to_string(atomic_set({atomic_kind::fetch_max_unsigned}, true, false)),
            "fetch_max_unsigned of 4 bytes");
}

TEST(memory_key, gives_back_what_it_was_made_of) {
  struct wire {
    std::uint64_t handle;
    std::uint32_t owner;
    std::uint32_t serial;
  };
  const memory_key key = key_of(wire{77, 3, 9});
  EXPECT_EQ(key.size, sizeof(wire));
  EXPECT_EQ(key.used().size(), sizeof(wire));
  memory_key copy = key_of(std::array<std::byte, 100>{});
  copy.bytes.fill(std::byte{0xff});
  copy.copy_from(key);
  const auto back = value_of<wire>(copy);
  EXPECT_EQ(back.handle, 77U);
  EXPECT_EQ(back.owner, 3U);
  EXPECT_EQ(back.serial, 9U);
}

TEST(memory_key, lacks_as_zero_what_it_does_not_hold) {
  memory_key shorter = key_of(std::uint32_t{5});
  shorter.bytes[6] = std::byte{1};  // not used
  EXPECT_EQ(value_of<std::uint64_t>(shorter), 5U);
  EXPECT_EQ(value_of<std::uint64_t>(memory_key{}), 0U);
}

}  // namespace
}  // namespace upwash::conduit
