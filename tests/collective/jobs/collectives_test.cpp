// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public collectives on every conduit, against an oracle: nonblocking, blocking, persistent,
// in place, through every algorithm that serves.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;

std::vector<std::uint64_t> vector_of(int rank, std::size_t elements) {
  std::vector<std::uint64_t> made(elements);
  std::iota(made.begin(), made.end(), static_cast<std::uint64_t>(rank) * 1'000'003 + 1);
  return made;
}

/// Every algorithm of a collective that serves teams of this kind, with its initial values.
std::vector<std::string> algorithms_of(collective::kind what, job& here) {
  collective::registry all;
  collective::add_algorithms(all);
  std::vector<std::string> names;
  collective::problem call{.of = what, .ranks = here.size()};
  call.direct_access = all_direct(here.world());
  collective::tell_nodes(here.world(), call);
  call.network_collectives = host(here).endpoint().describe().network_collectives;
  for (const collective::algorithm* each : all.of(what)) {
    const collective::selection with{each, model::initial_values(each->is)};
    if (collective::registry::objection(with, call).empty()) names.emplace_back(each->is.name);
  }
  return names;
}

}  // namespace

JOB_TEST(collectives, barriers_of_every_kind_separate_phases) {
  region area = allocate(here.world(), 8);
  std::uint64_t arrived = 0;
  const auto everybody = static_cast<std::uint64_t>(here.size());
  for (const std::string& name : algorithms_of(collective::kind::barrier, here)) {
    const collective_options how{.algorithm = name};
    auto kept = barrier(here.world(), persist, how);
    for (int repeat = 0; repeat < 40; ++repeat) {  // more than the epochs of shared memory
      fetch_add(here, area.at<std::uint64_t>(0), 1);
      arrived += everybody;
      if (repeat % 3 == 0) barrier(here.world(), how).wait();
      if (repeat % 3 == 1) barrier(here.world(), blocking, how);
      if (repeat % 3 == 2) kept.start().wait();
      ASSERT_EQ(atomic_load(here, area.at<std::uint64_t>(0)), arrived) << name;
      barrier(here.world(), blocking, how);
    }
  }
  free(area);
}

JOB_TEST(collectives, members_may_block_or_not) {
  // The same operation on the caller's stack at some members, in the executor at others.
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::uint64_t data = here.rank() == repeat % here.size() ? 77 + repeat : 0;
    const std::span<std::uint64_t> span(&data, 1);
    if ((here.rank() + repeat) % 2 == 0) {
      broadcast(here.world(), blocking, repeat % here.size(), span);
    } else {
      broadcast(here.world(), repeat % here.size(), span).wait();
    }
    ASSERT_EQ(data, 77U + static_cast<unsigned>(repeat));
  }
}

JOB_TEST(collectives, broadcast_of_any_size_by_every_algorithm) {
  for (const std::string& name : algorithms_of(collective::kind::broadcast, here)) {
    for (const std::size_t elements : {0, 1, 3, 7, 1000, 20'000}) {
      for (const int root : {0, here.size() / 2, here.size() - 1}) {
        auto data = vector_of(here.rank(), elements);
        broadcast(here.world(), root, std::span(data), {.algorithm = name}).wait();
        ASSERT_EQ(data, vector_of(root, elements)) << name << ", root " << root;
      }
    }
  }
}

JOB_TEST(collectives, all_gather_by_every_algorithm) {
  for (const std::string& name : algorithms_of(collective::kind::all_gather, here)) {
    for (const std::size_t elements : {0, 1, 3, 1000}) {
      const auto mine = vector_of(here.rank(), elements);
      std::vector<std::uint64_t> wanted;
      for (int r = 0; r < here.size(); ++r) {
        const auto one = vector_of(r, elements);
        wanted.insert(wanted.end(), one.begin(), one.end());
      }
      std::vector<std::uint64_t> all(wanted.size(), 9);
      all_gather(here.world(), std::span(mine), std::span(all), {.algorithm = name}).wait();
      ASSERT_EQ(all, wanted) << name << ", " << elements;
      std::fill(all.begin(), all.end(), 0);
      std::copy(mine.begin(), mine.end(),
                all.begin() + static_cast<std::ptrdiff_t>(elements) * here.rank());
      all_gather(here.world(), blocking, in_place, std::span(all), {.algorithm = name});
      ASSERT_EQ(all, wanted) << name << " in place, " << elements;
    }
  }
}

JOB_TEST(collectives, all_to_all_by_every_algorithm) {
  const auto members = static_cast<std::size_t>(here.size());
  const auto value = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<std::uint32_t>(from * 10'007 + to * 101 + i);
  };
  for (const std::string& name : algorithms_of(collective::kind::all_to_all, here)) {
    for (const std::size_t elements : {0, 1, 3, 700}) {
      std::vector<std::uint32_t> input(members * elements);
      std::vector<std::uint32_t> wanted(members * elements);
      const auto me = static_cast<std::size_t>(here.rank());
      for (std::size_t peer = 0; peer < members; ++peer) {
        for (std::size_t i = 0; i < elements; ++i) {
          input[peer * elements + i] = value(me, peer, i);
          wanted[peer * elements + i] = value(peer, me, i);
        }
      }
      std::vector<std::uint32_t> output(members * elements, 5);
      all_to_all(here.world(), std::span(input), std::span(output), {.algorithm = name}).wait();
      ASSERT_EQ(output, wanted) << name << ", " << elements;
    }
  }
}

JOB_TEST(collectives, all_to_all_v_with_uneven_counts) {
  const auto members = static_cast<std::size_t>(here.size());
  const auto me = static_cast<std::size_t>(here.rank());
  // From i to j: often nothing, sometimes much.
  const auto bytes_of = [](std::size_t from, std::size_t to) -> std::uint64_t {
    const std::size_t mix = (from * 7 + to * 13) % 11;
    return mix < 3 ? 0 : mix == 10 ? 5000 : mix * 3 + 1;
  };
  const auto byte_of = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<std::byte>(from * 31 + to * 17 + i);
  };
  for (const std::string& name : algorithms_of(collective::kind::all_to_all_v, here)) {
    std::vector<std::uint64_t> counts[2];
    std::vector<std::uint64_t> offsets[2];
    std::vector<std::byte> input;
    std::vector<std::byte> wanted;
    for (std::size_t peer = 0; peer < members; ++peer) {
      counts[0].push_back(bytes_of(me, peer));
      offsets[0].push_back(input.size());
      for (std::size_t i = 0; i < counts[0][peer]; ++i) input.push_back(byte_of(me, peer, i));
      counts[1].push_back(bytes_of(peer, me));
      offsets[1].push_back(wanted.size());
      for (std::size_t i = 0; i < counts[1][peer]; ++i) wanted.push_back(byte_of(peer, me, i));
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::vector<std::byte> output(wanted.size(), std::byte{1});
      const member_blocks to{counts[0], offsets[0]};
      const member_blocks from{counts[1], offsets[1]};
      all_to_all_v(here.world(), input, to, output, from, {.algorithm = name}).wait();
      ASSERT_EQ(output, wanted) << name;
    }
  }
}

JOB_TEST(collectives, many_to_many_finds_its_senders) {
  const auto members = static_cast<std::uint64_t>(here.size());
  const auto me = static_cast<std::uint64_t>(here.rank());
  for (const std::string& name : algorithms_of(collective::kind::many_to_many, here)) {
    for (std::uint64_t round = 0; round < 3; ++round) {
      // Rank r writes to 2 r + 1 and, in odd rounds, twice to 3 r; also large messages.
      std::vector<std::uint64_t> to{(2 * me + 1) % members};
      if (round % 2 == 1) to.insert(to.end(), 2, 3 * me % members);
      std::vector<std::uint64_t> bytes(to.size(), 8 + round * 9000);
      std::vector<std::uint64_t> offsets(to.size(), 0);
      const std::vector<std::byte> buffer(bytes[0], static_cast<std::byte>(me));
      std::vector<int> senders;
      const auto take = [](int source, std::span<const std::byte> data, void* context) {
        auto& all = *static_cast<std::vector<int>*>(context);
        const bool whole = std::all_of(data.begin(), data.end(), [&](std::byte each) {
          return each == static_cast<std::byte>(source);
        });
        all.push_back(whole ? source : -1);
      };
      many_to_many(here.world(), buffer, {to, bytes, offsets}, {take, &senders}, {},
                   {.algorithm = name})
          .wait();
      std::vector<int> wanted;
      for (std::uint64_t r = 0; r < members; ++r) {
        if ((2 * r + 1) % members == me) wanted.push_back(static_cast<int>(r));
        if (round % 2 == 1 && 3 * r % members == me) {
          wanted.insert(wanted.end(), 2, static_cast<int>(r));
        }
      }
      std::sort(senders.begin(), senders.end());
      std::sort(wanted.begin(), wanted.end());
      ASSERT_EQ(senders, wanted) << name << ", round " << round;
    }
  }
}

JOB_TEST(collectives, reductions_on_types_and_operators) {
  const int ranks = here.size();
  double mine = 1.5 * (here.rank() + 1);
  double all = 0;
  all_reduce<sum>(here.world(), std::span<const double>(&mine, 1), std::span(&all, 1)).wait();
  ASSERT_DOUBLE_EQ(all, 1.5 * ranks * (ranks + 1) / 2);
  int largest = -here.rank();
  all_reduce<most>(here.world(), blocking, in_place, std::span(&largest, 1));
  ASSERT_EQ(largest, 0);
  std::uint16_t bits = static_cast<std::uint16_t>(1U << (here.rank() % 16));
  std::uint16_t prefix = 0;
  scan<bit_or>(here.world(), std::span<const std::uint16_t>(&bits, 1), std::span(&prefix, 1))
      .wait();
  ASSERT_EQ(prefix, here.rank() >= 15 ? 0xffff : (1U << (here.rank() + 1)) - 1);
}

JOB_TEST(collectives, say_what_is_wrong) {
  std::vector<int> mine(3);
  std::vector<int> all(7);
  const auto message_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const error& e) {
      return e.what();
    }
    return {};
  };
  if (here.size() != 2) {
    EXPECT_NE(message_of([&] {
                all_gather(here.world(), blocking, std::span(mine), std::span(all));
              }).find("the output has 7 elements where"),
              std::string::npos);
  }
  EXPECT_NE(message_of([&] {
              broadcast(here.world(), blocking, here.size(), std::span(mine));
            }).find("is not in the team"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              barrier(here.world(), blocking, {.algorithm = "disemination"});
            }).find("did you mean dissemination?"),
            std::string::npos);
}
