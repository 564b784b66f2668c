// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For many-to-many: messages between ranks, as their senders give them and as their receivers must
// get them.
#pragma once

#include <cstdint>

#include "tests/collective/cases.hpp"
#include "upwash/base/random.hpp"

namespace upwash::test {

class message_set {
 public:
  explicit message_set(int ranks, std::uint64_t input_bytes = 40) {
    of.ranks = ranks;
    of.input_bytes = input_bytes;
    of.calls.resize(static_cast<std::size_t>(ranks));
  }

  /// A message of its own.
  void add(int source, int destination, std::uint64_t bytes, std::uint64_t offset) {
    auto& given = of.calls[static_cast<std::size_t>(source)].given;
    given[0].push_back(static_cast<std::uint64_t>(destination));
    given[1].push_back(bytes);
    given[2].push_back(offset);
    arrives(source, destination, bytes, offset);
  }
  /// The source's block, for one destination more.
  void add_to_block(int source, int destination) {
    rank_call& from = of.calls[static_cast<std::size_t>(source)];
    from.given[0].push_back(static_cast<std::uint64_t>(destination));
    arrives(source, destination, from.input_bytes.value_or(of.input_bytes), 0);
  }
  void set_block(int source, std::uint64_t bytes) {
    of.calls[static_cast<std::size_t>(source)].input_bytes = bytes;
  }

  [[nodiscard]] schedule::facts facts_of(int rank) const {
    schedule::facts known;
    const auto& call = of.calls[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < call.given.size(); ++i) known.given[i] = call.given[i];
    known.input_bytes = call.input_bytes.value_or(of.input_bytes);
    return known;
  }

  schedule::expectation of;

 private:
  using rank_call = schedule::rank_call;

  void arrives(int source, int destination, std::uint64_t bytes, std::uint64_t offset) {
    rank_call& to = of.calls[static_cast<std::size_t>(destination)];
    to.given[3].push_back(static_cast<std::uint64_t>(source));
    schedule::collected_message& there = to.collected.emplace_back();
    there.source = source;
    for (std::uint64_t e = offset; e < offset + bytes; ++e) {
      there.values.push_back({{source, static_cast<std::uint32_t>(e)}});
    }
  }
};

/// Any number of messages between any ranks, also to itself, of no bytes, twice the same; now and
/// then one rank is the target of most.
inline message_set drawn_messages(int ranks, std::uint64_t seed) {
  random_stream random(seed, 1);
  const auto wide = static_cast<std::uint64_t>(ranks);
  message_set all(ranks);
  const bool hot = random.below(3) == 0;
  for (std::uint64_t left = random.below(4 * wide); left > 0; --left) {
    const std::uint64_t bytes = random.below(10) * random.below(5);
    const auto to = hot && random.below(4) != 0 ? wide / 2 : random.below(wide);
    const auto from = static_cast<int>(random.below(wide));
    all.add(from, static_cast<int>(to), bytes, random.below(all.of.input_bytes - bytes + 1));
    if (random.below(8) == 0) all.add(from, static_cast<int>(to), bytes, 0);
  }
  return all;
}

/// Blocks of any length, also none, each for any ranks, also twice.
inline message_set drawn_blocks(int ranks, std::uint64_t seed) {
  random_stream random(seed, 2);
  const auto wide = static_cast<std::uint64_t>(ranks);
  message_set all(ranks, 12);
  for (int rank = 0; rank < ranks; ++rank) {
    if (random.below(3) != 0) all.set_block(rank, random.below(20));
    if (random.below(4) == 0) continue;
    const std::uint64_t most = random.below(3) == 0 ? 2 * wide : 4;
    for (std::uint64_t left = random.below(most); left > 0; --left) {
      all.add_to_block(rank, static_cast<int>(random.below(wide)));
    }
  }
  return all;
}

}  // namespace upwash::test
