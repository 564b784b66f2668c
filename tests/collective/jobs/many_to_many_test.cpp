// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many on every conduit against an oracle, through every algorithm: messages drawn from a
// seed that all members know, so that each knows what it must get.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/selector.hpp"

namespace {

using namespace upwash;
using collective::kind;

std::vector<std::string> algorithms_of(kind what, int ranks, bool known_senders) {
  collective::registry all;
  collective::add_algorithms(all);
  const collective::problem call{.of = what, .ranks = ranks, .known_senders = known_senders};
  std::vector<std::string> names;
  for (const collective::algorithm* each : all.of(what)) {
    collective::selection with{each, model::initial_values(each->is)};
    if (!collective::registry::objection(with, call).empty()) continue;
    names.push_back(model::text_of(each->is, with.with));
    if (each->is.parameters.empty()) continue;
    names.push_back(std::string(each->is.name) + ":inline=64");
  }
  return names;
}

/// (source, bytes), in order: what a rank got, or must get. Wrong bytes have no source.
using arrivals = std::vector<std::pair<int, std::vector<std::byte>>>;

void take(int source, std::span<const std::byte> data, void* context) {
  static_cast<arrivals*>(context)->emplace_back(source, std::vector(data.begin(), data.end()));
}

std::byte byte_of(int source, std::uint64_t at) {
  return static_cast<std::byte>(static_cast<std::uint64_t>(source) * 31 + at * 7 + at / 256);
}

std::vector<std::byte> input_of(int rank, std::uint64_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) made[i] = byte_of(rank, i);
  return made;
}

struct message {
  int from;
  int to;
  std::uint64_t bytes;
  std::uint64_t offset;
};

constexpr std::uint64_t most_bytes = 20'000;

/// Few or many messages, short and now and then long, to all or mostly to one.
std::vector<message> draw(int ranks, std::uint64_t seed) {
  random_stream random(seed, 7);
  const auto wide = static_cast<std::uint64_t>(ranks);
  const bool hot = random.below(3) == 0;
  std::vector<message> all;
  for (std::uint64_t left = random.below(6 * wide); left > 0; --left) {
    const std::uint64_t bytes = random.below(9) == 0 ? random.below(most_bytes) : random.below(60);
    const std::uint64_t to = hot && random.below(4) != 0 ? wide - 1 : random.below(wide);
    all.push_back({static_cast<int>(random.below(wide)), static_cast<int>(to), bytes,
                   random.below(most_bytes - bytes + 1)});
    if (random.below(6) == 0) all.push_back(all.back());
  }
  return all;
}

/// What one member gives and must get.
struct part {
  std::vector<std::uint64_t> to;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> sources;
  arrivals wanted;
};

part part_of(int rank, const std::vector<message>& all) {
  part made;
  for (const message& one : all) {
    if (one.from == rank) {
      made.to.push_back(static_cast<std::uint64_t>(one.to));
      made.bytes.push_back(one.bytes);
      made.offsets.push_back(one.offset);
    }
    if (one.to != rank) continue;
    made.sources.push_back(static_cast<std::uint64_t>(one.from));
    auto& data = made.wanted.emplace_back(one.from, std::vector<std::byte>()).second;
    for (std::uint64_t i = 0; i < one.bytes; ++i) data.push_back(byte_of(one.from, one.offset + i));
  }
  std::sort(made.wanted.begin(), made.wanted.end());
  return made;
}

/// Each source's block and its destinations: of as many bytes as its first message.
std::vector<message> as_blocks(std::vector<message> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const message& a, const message& b) { return a.from < b.from; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].offset = 0;
    if (i > 0 && all[i].from == all[i - 1].from) all[i].bytes = all[i - 1].bytes;
  }
  return all;
}

std::string complaint_of(const team& among, const std::vector<std::uint64_t>& to,
                         const message_pattern& pattern) {
  arrivals got;
  const std::vector<std::uint64_t> none(to.size(), 0);
  try {
    many_to_many(among, blocking, {}, {to, none, none}, {take, &got}, pattern);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

JOB_TEST(many_to_many, brings_what_was_drawn) {
  const team world = here.world();
  const std::vector<std::byte> input = input_of(here.rank(), most_bytes);
  for (const bool known : {false, true}) {
    for (const std::string& name : algorithms_of(kind::many_to_many, here.size(), known)) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const part mine = part_of(here.rank(), draw(here.size(), seed));
        message_pattern pattern;
        if (known) pattern.known_sources = mine.sources;
        arrivals got;
        many_to_many(world, input, {mine.to, mine.bytes, mine.offsets}, {take, &got}, pattern,
                     {.algorithm = name})
            .wait();
        std::sort(got.begin(), got.end());
        ASSERT_TRUE(got == mine.wanted) << name << ", seed " << seed << ", known " << known << ": "
                                        << got.size() << " of " << mine.wanted.size();
      }
    }
  }
}

JOB_TEST(many_to_many, brings_one_block_to_many) {
  const team world = here.world();
  for (const bool known : {false, true}) {
    for (const std::string& name :
         algorithms_of(kind::many_to_many_multicast, here.size(), known)) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const part mine = part_of(here.rank(), as_blocks(draw(here.size(), seed)));
        const auto block = input_of(here.rank(), mine.bytes.empty() ? 5 : mine.bytes[0]);
        message_pattern pattern;
        if (known) pattern.known_sources = mine.sources;
        arrivals got;
        many_to_many_multicast(world, blocking, block, mine.to, {take, &got}, pattern,
                               {.algorithm = name});
        std::sort(got.begin(), got.end());
        ASSERT_TRUE(got == mine.wanted) << name << ", seed " << seed << ", known " << known << ": "
                                        << got.size() << " of " << mine.wanted.size();
      }
    }
  }
}

JOB_TEST(many_to_many, runs_many_at_once_by_price) {
  const team world = here.world();
  const std::vector<std::byte> input = input_of(here.rank(), most_bytes);
  constexpr std::uint64_t calls = 8;
  std::vector<part> parts;
  for (std::uint64_t seed = 0; seed < calls; ++seed) {
    parts.push_back(part_of(here.rank(), draw(here.size(), 100 + seed)));
  }
  std::vector<arrivals> got(calls);
  std::vector<request> open;
  for (std::size_t i = 0; i < calls; ++i) {
    const message_pattern pattern{.degree = static_cast<int>(i), .bytes = i * 50};
    open.push_back(many_to_many(world, input, {parts[i].to, parts[i].bytes, parts[i].offsets},
                                {take, &got[i]}, pattern));
  }
  for (std::size_t i = 0; i < calls; ++i) {
    open[i].wait();
    std::sort(got[i].begin(), got[i].end());
    ASSERT_TRUE(got[i] == parts[i].wanted) << "call " << i;
  }
}

JOB_TEST(many_to_many, says_what_is_wrong) {
  const team world = here.world();
  const std::string me = "rank " + std::to_string(here.rank());
  const std::string size = std::to_string(here.size());
  const auto beyond = static_cast<std::uint64_t>(here.size());
  EXPECT_EQ(complaint_of(world, {beyond}, {}),
            me + ": many_to_many: destination " + size + " is not in the team of " + size);
  const std::vector<std::uint64_t> wrong{beyond};
  EXPECT_EQ(complaint_of(world, {}, {.known_sources = wrong}),
            me + ": many_to_many: known source " + size + " is not in the team of " + size);
  EXPECT_EQ(complaint_of(world, {}, {.degree = -1}),
            me + ": many_to_many: degree -1 is below 0; 0 stands for all");
  arrivals got;
  try {
    many_to_many(world, blocking, {}, {}, {take, &got}, {}, {.algorithm = "direct"});
    FAIL() << "direct without sources";
  } catch (const error& e) {
    EXPECT_EQ(std::string(e.what()),
              me + ": many_to_many by direct: direct needs the sources of what comes "
                   "(known_sources)");
  }
}

// Rank 1 believes that two messages come to it; there is one.
TEST(many_to_many, finds_out_wrong_sources_in_checked_runs) {
  const auto body = [](job& here) {
    const auto wide = static_cast<std::uint64_t>(here.rank());
    const std::vector<std::uint64_t> to =
        here.rank() == 0 ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{};
    const std::vector<std::uint64_t> none(to.size(), 0);
    const std::vector<std::uint64_t> sources(wide == 1 ? 2 : 0, 0);
    arrivals got;
    many_to_many(here.world(), blocking, {}, {to, none, none}, {take, &got},
                 {.known_sources = sources}, {.algorithm = "direct"});
  };
  for (const auto& make : {test::loopback_of, test::sim_of}) {
    EXPECT_EQ(
        test::message_of(*make(4), body, {.checked = true}),
        "rank 1: many_to_many by direct: 1 messages came where 2 were announced; announce one "
        "for each that members send to this rank, or none");
  }
}

// What a bench of sends to neighbours finds: few messages go directly, many are combined.
TEST(many_to_many, is_chosen_by_degree_and_bytes) {
  collective::registry all;
  collective::add_algorithms(all);
  const auto chooses = collective::make_model_selector("lemieux");
  const auto chosen = [&](int degree, std::uint64_t bytes, bool known) {
    const collective::problem call{.of = kind::many_to_many,
                                   .ranks = 64,
                                   .bytes = bytes,
                                   .degree = degree,
                                   .known_senders = known};
    return std::string(chooses->choose(all, call).what.chosen->is.name);
  };
  EXPECT_EQ(chosen(2, 76, true), "direct");
  EXPECT_EQ(chosen(2, 1'000'000, false), "sparse");
  for (const bool known : {false, true}) {
    const std::string combines = chosen(63, 8, known);
    EXPECT_TRUE(combines == "hypercube" || combines.starts_with("mesh")) << combines;
  }
  EXPECT_EQ(chosen(63, 1'000'000, true), "direct");
}
