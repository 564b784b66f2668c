// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of collectives on data that tells where it comes from, and what they must leave.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"

namespace upwash::test {

using collective::kind;

/// x -> m x + c modulo 256: applying one after the other does not commute.
struct affine {
  std::uint8_t m = 1;
  std::uint8_t c = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
struct then {
  affine operator()(const affine& first, const affine& second) const {
    return {static_cast<std::uint8_t>(first.m * second.m),
            static_cast<std::uint8_t>(first.c * second.m + second.c)};
  }
};

struct one_call {
  kind what = kind::barrier;
  std::string algorithm;
  std::size_t bytes = 0;
  int root = 0;
  bool in_place = false;
  std::optional<mechanism> transfer{};

  [[nodiscard]] collective_options how() const {
    return {.algorithm = algorithm, .transfer = transfer};
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} by {} of {} bytes, root {}{}{}", to_string(what), algorithm, bytes, root,
                       in_place ? ", in place" : "", transfer ? ", as tagged messages" : "");
  }
};

inline std::uint8_t byte_of(int member, std::size_t i) {
  return static_cast<std::uint8_t>(static_cast<std::size_t>(member) * 37 + i * 11 + 3);
}

inline std::vector<std::uint8_t> bytes_of(int member, std::size_t count, std::size_t first = 0) {
  std::vector<std::uint8_t> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = byte_of(member, first + i);
  return made;
}

inline std::vector<std::uint8_t> run_broadcast(const team& among, const one_call& c) {
  auto data = bytes_of(among.rank(), c.bytes);
  broadcast(among, c.root, std::span(data), c.how()).wait();
  return data;
}

inline std::vector<std::uint8_t> run_all_gather(const team& among, const one_call& c) {
  const auto mine = bytes_of(among.rank(), c.bytes);
  std::vector<std::uint8_t> all(c.bytes * static_cast<std::size_t>(among.size()), 1);
  if (c.in_place) {
    std::copy(mine.begin(), mine.end(),
              all.begin() + static_cast<std::ptrdiff_t>(c.bytes) * among.rank());
    all_gather(among, in_place, std::span(all), c.how()).wait();
  } else {
    all_gather(among, std::span(mine), std::span(all), c.how()).wait();
  }
  return all;
}

inline std::vector<std::uint8_t> run_all_to_all(const team& among, const one_call& c) {
  const auto input = bytes_of(among.rank(), c.bytes * static_cast<std::size_t>(among.size()));
  std::vector<std::uint8_t> output(input.size(), 1);
  all_to_all(among, std::span(input), std::span(output), c.how()).wait();
  return output;
}

/// Member i sends (i + 2 j) % 3 times the bytes to j, one more where they are equal.
inline std::size_t uneven(std::size_t bytes, int from, int to) {
  return static_cast<std::size_t>((from + 2 * to) % 3) * bytes + (from == to ? 1 : 0);
}

inline std::vector<std::uint8_t> run_all_to_all_v(const team& among, const one_call& c) {
  std::array<std::vector<std::uint64_t>, 4> given;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  for (int peer = 0; peer < among.size(); ++peer) {
    given[0].push_back(uneven(c.bytes, among.rank(), peer));
    given[1].push_back(in);
    given[2].push_back(uneven(c.bytes, peer, among.rank()));
    given[3].push_back(out);
    in += given[0].back();
    out += given[2].back();
  }
  std::vector<std::byte> input(in);
  for (std::size_t i = 0; i < in; ++i) input[i] = std::byte{byte_of(among.rank(), i)};
  std::vector<std::uint8_t> output(out, 1);
  all_to_all_v(among, input, {given[0], given[1]}, std::as_writable_bytes(std::span(output)),
               {given[2], given[3]}, c.how())
      .wait();
  return output;
}

/// Member i's block is of (2 i + 1) % 3 times the bytes, the last one's one more.
inline std::vector<std::uint64_t> lengths(const team& among, std::size_t bytes) {
  std::vector<std::uint64_t> all;
  for (int peer = 0; peer < among.size(); ++peer) all.push_back(uneven(bytes, 1, peer));
  all.back() += 1;
  return all;
}
inline std::size_t begin_of(const std::vector<std::uint64_t>& all, int member) {
  return std::accumulate(all.begin(), all.begin() + member, std::size_t{0});
}

inline std::vector<std::uint8_t> run_all_gather_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  const auto mine = bytes_of(among.rank(), counts[static_cast<std::size_t>(among.rank())]);
  std::vector<std::uint8_t> all(begin_of(counts, among.size()), 1);
  if (c.in_place) {
    std::copy(mine.begin(), mine.end(),
              all.begin() + static_cast<std::ptrdiff_t>(begin_of(counts, among.rank())));
    all_gather_v(among, in_place, all, counts, c.how()).wait();
  } else {
    all_gather_v(among, mine, all, counts, c.how()).wait();
  }
  return all;
}

inline std::vector<std::uint8_t> run_gather_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  const auto mine = bytes_of(among.rank(), counts[static_cast<std::size_t>(among.rank())]);
  std::vector<std::uint8_t> all;
  if (among.rank() == c.root) all.resize(begin_of(counts, among.size()));
  gather_v(among, c.root, mine, all, counts, c.how()).wait();
  return all;
}

inline std::vector<std::uint8_t> run_scatter_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  std::vector<std::uint8_t> all;
  if (among.rank() == c.root) all = bytes_of(c.root, begin_of(counts, among.size()));
  std::vector<std::uint8_t> mine(counts[static_cast<std::size_t>(among.rank())], 1);
  scatter_v(among, c.root, all, counts, mine, c.how()).wait();
  return mine;
}

inline std::vector<std::uint8_t> run_reduce_scatter_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  const auto all = bytes_of(among.rank(), begin_of(counts, among.size()));
  std::vector<std::uint8_t> mine(counts[static_cast<std::size_t>(among.rank())], 1);
  reduce_scatter_v<sum>(among, all, counts, mine, c.how()).wait();
  return mine;
}

inline std::vector<std::uint8_t> run_all_reduce(const team& among, const one_call& c) {
  auto mine = bytes_of(among.rank(), c.bytes);
  if (c.in_place) {
    all_reduce<sum>(among, in_place, std::span(mine), c.how()).wait();
    return mine;
  }
  std::vector<std::uint8_t> result(c.bytes, 1);
  all_reduce<sum>(among, std::span(mine), std::span(result), c.how()).wait();
  return result;
}

inline std::vector<std::uint8_t> run_scatter(const team& among, const one_call& c) {
  std::vector<std::uint8_t> blocks;
  if (among.rank() == c.root) {
    blocks = bytes_of(c.root, c.bytes * static_cast<std::size_t>(among.size()));
  }
  std::vector<std::uint8_t> mine(c.bytes, 1);
  scatter(among, c.root, std::span(blocks), std::span(mine), c.how()).wait();
  return mine;
}

inline std::vector<std::uint8_t> run_gather(const team& among, const one_call& c) {
  const auto mine = bytes_of(among.rank(), c.bytes);
  std::vector<std::uint8_t> blocks;
  if (among.rank() == c.root) blocks.resize(c.bytes * static_cast<std::size_t>(among.size()));
  gather(among, c.root, std::span(mine), std::span(blocks), c.how()).wait();
  return blocks;
}

inline std::vector<std::uint8_t> run_reduce(const team& among, const one_call& c) {
  const auto mine = bytes_of(among.rank(), c.bytes);
  std::vector<std::uint8_t> result(among.rank() == c.root ? c.bytes : 0, 1);
  reduce<sum>(among, c.root, std::span(mine), std::span(result), c.how()).wait();
  return result;
}

inline std::vector<std::uint8_t> run_reduce_scatter(const team& among, const one_call& c) {
  const auto blocks = bytes_of(among.rank(), c.bytes * static_cast<std::size_t>(among.size()));
  std::vector<std::uint8_t> mine(c.bytes, 1);
  reduce_scatter<sum>(among, std::span(blocks), std::span(mine), c.how()).wait();
  return mine;
}

inline affine affine_of(int member, std::size_t i) {
  return {static_cast<std::uint8_t>(2 * member + 3), byte_of(member, i)};
}

/// Inclusive or exclusive; what the latter leaves alone is zero.
inline std::vector<std::uint8_t> run_scan(const team& among, const one_call& c) {
  std::vector<affine> mine(c.bytes / sizeof(affine));
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = affine_of(among.rank(), i);
  std::vector<affine> result(mine.size());
  std::fill(result.begin(), result.end(), affine{0, 0});
  const std::span<const affine> input(mine);
  const std::span output(c.in_place ? mine : result);
  const collective_options how = c.how();
  if (c.what == kind::scan) {
    (c.in_place ? scan<then>(among, in_place, output, how) : scan<then>(among, input, output, how))
        .wait();
  } else {
    (c.in_place ? exclusive_scan<then>(among, in_place, output, how)
                : exclusive_scan<then>(among, input, output, how))
        .wait();
  }
  if (c.in_place) result = mine;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(result.data());
  return {bytes, bytes + result.size() * sizeof(affine)};
}

inline std::vector<std::uint8_t> sum_of(const team& among, std::size_t count, std::size_t first) {
  std::vector<std::uint8_t> total(count, 0);
  for (int peer = 0; peer < among.size(); ++peer) {
    for (std::size_t i = 0; i < count; ++i) {
      total[i] = static_cast<std::uint8_t>(total[i] + byte_of(peer, first + i));
    }
  }
  return total;
}

inline affine scanned(const one_call& c, int member, std::size_t i) {
  const bool exclusive = c.what == kind::exclusive_scan;
  // Member 0 of an exclusive scan keeps what it has.
  if (exclusive && member == 0) return c.in_place ? affine_of(0, i) : affine{0, 0};
  affine all = affine_of(0, i);
  for (int peer = 1; peer < (exclusive ? member : member + 1); ++peer) {
    all = then{}(all, affine_of(peer, i));
  }
  return all;
}

/// What the definitions say.
inline std::vector<std::uint8_t> oracle(const team& among, const one_call& c) {
  std::vector<std::uint8_t> wanted;
  const auto append = [&wanted](const std::vector<std::uint8_t>& more) {
    wanted.insert(wanted.end(), more.begin(), more.end());
  };
  const int me = among.rank();
  if (c.what == kind::broadcast) return bytes_of(c.root, c.bytes);
  if (c.what == kind::all_gather) {
    for (int peer = 0; peer < among.size(); ++peer) append(bytes_of(peer, c.bytes));
    return wanted;
  }
  if (c.what == kind::all_to_all) {
    for (int peer = 0; peer < among.size(); ++peer) {
      append(bytes_of(peer, c.bytes, c.bytes * static_cast<std::size_t>(me)));
    }
    return wanted;
  }
  if (c.what == kind::all_to_all_v) {
    for (int peer = 0; peer < among.size(); ++peer) {
      std::size_t first = 0;
      for (int before = 0; before < me; ++before) first += uneven(c.bytes, peer, before);
      append(bytes_of(peer, uneven(c.bytes, peer, me), first));
    }
    return wanted;
  }
  if (c.what == kind::all_gather_v || c.what == kind::gather_v) {
    for (int peer = 0; peer < among.size(); ++peer) {
      if (c.what == kind::gather_v && me != c.root) break;
      append(bytes_of(peer, lengths(among, c.bytes)[static_cast<std::size_t>(peer)]));
    }
    return wanted;
  }
  if (c.what == kind::scatter_v) {
    const auto counts = lengths(among, c.bytes);
    return bytes_of(c.root, counts[static_cast<std::size_t>(me)], begin_of(counts, me));
  }
  if (c.what == kind::reduce_scatter_v) {
    const auto counts = lengths(among, c.bytes);
    return sum_of(among, counts[static_cast<std::size_t>(me)], begin_of(counts, me));
  }
  if (c.what == kind::all_reduce) return sum_of(among, c.bytes, 0);
  if (c.what == kind::scan || c.what == kind::exclusive_scan) {
    for (std::size_t i = 0; i < c.bytes / sizeof(affine); ++i) {
      const affine all = scanned(c, me, i);
      append({all.m, all.c});
    }
    return wanted;
  }
  if (c.what == kind::scatter) {
    return bytes_of(c.root, c.bytes, c.bytes * static_cast<std::size_t>(me));
  }
  if (c.what == kind::gather) {
    for (int peer = 0; peer < among.size() && me == c.root; ++peer) {
      append(bytes_of(peer, c.bytes));
    }
    return wanted;
  }
  if (c.what == kind::reduce) return me == c.root ? sum_of(among, c.bytes, 0) : wanted;
  if (c.what == kind::reduce_scatter) {
    return sum_of(among, c.bytes, c.bytes * static_cast<std::size_t>(me));
  }
  return wanted;
}

/// Makes the call; returns what it leaves at this member.
inline std::vector<std::uint8_t> run_collective(const team& among, const one_call& c) {
  using runner = std::vector<std::uint8_t> (*)(const team& among, const one_call& c);
  static constexpr std::array<std::pair<kind, runner>, 15> runners{{
      {kind::broadcast, run_broadcast},
      {kind::all_gather, run_all_gather},
      {kind::all_to_all, run_all_to_all},
      {kind::all_to_all_v, run_all_to_all_v},
      {kind::all_gather_v, run_all_gather_v},
      {kind::gather_v, run_gather_v},
      {kind::scatter_v, run_scatter_v},
      {kind::reduce_scatter_v, run_reduce_scatter_v},
      {kind::all_reduce, run_all_reduce},
      {kind::scatter, run_scatter},
      {kind::gather, run_gather},
      {kind::reduce, run_reduce},
      {kind::reduce_scatter, run_reduce_scatter},
      {kind::scan, run_scan},
      {kind::exclusive_scan, run_scan},
  }};
  for (const auto& [what, run] : runners) {
    if (what == c.what) return run(among, c);
  }
  barrier(among, c.how()).wait();
  return {};
}

}  // namespace upwash::test
