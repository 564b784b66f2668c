// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm x team size x size x root, in place and not, against an oracle; then the same
// with teams, parameters and sizes drawn at random. A failure says the call; the harness says the
// world.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
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

std::uint8_t byte_of(int member, std::size_t i) {
  return static_cast<std::uint8_t>(static_cast<std::size_t>(member) * 37 + i * 11 + 3);
}

std::vector<std::uint8_t> bytes_of(int member, std::size_t count, std::size_t first = 0) {
  std::vector<std::uint8_t> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = byte_of(member, first + i);
  return made;
}

std::vector<std::uint8_t> run_broadcast(const team& among, const one_call& c) {
  auto data = bytes_of(among.rank(), c.bytes);
  broadcast(among, c.root, std::span(data), c.how()).wait();
  return data;
}

std::vector<std::uint8_t> run_all_gather(const team& among, const one_call& c) {
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

std::vector<std::uint8_t> run_all_to_all(const team& among, const one_call& c) {
  const auto input = bytes_of(among.rank(), c.bytes * static_cast<std::size_t>(among.size()));
  std::vector<std::uint8_t> output(input.size(), 1);
  all_to_all(among, std::span(input), std::span(output), c.how()).wait();
  return output;
}

/// Member i sends (i + 2 j) % 3 times the bytes to j, one more where they are equal.
std::size_t uneven(std::size_t bytes, int from, int to) {
  return static_cast<std::size_t>((from + 2 * to) % 3) * bytes + (from == to ? 1 : 0);
}

std::vector<std::uint8_t> run_all_to_all_v(const team& among, const one_call& c) {
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
std::vector<std::uint64_t> lengths(const team& among, std::size_t bytes) {
  std::vector<std::uint64_t> all;
  for (int peer = 0; peer < among.size(); ++peer) all.push_back(uneven(bytes, 1, peer));
  all.back() += 1;
  return all;
}
std::size_t begin_of(const std::vector<std::uint64_t>& all, int member) {
  return std::accumulate(all.begin(), all.begin() + member, std::size_t{0});
}

std::vector<std::uint8_t> run_all_gather_v(const team& among, const one_call& c) {
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

std::vector<std::uint8_t> run_gather_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  const auto mine = bytes_of(among.rank(), counts[static_cast<std::size_t>(among.rank())]);
  std::vector<std::uint8_t> all;
  if (among.rank() == c.root) all.resize(begin_of(counts, among.size()));
  gather_v(among, c.root, mine, all, counts, c.how()).wait();
  return all;
}

std::vector<std::uint8_t> run_scatter_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  std::vector<std::uint8_t> all;
  if (among.rank() == c.root) all = bytes_of(c.root, begin_of(counts, among.size()));
  std::vector<std::uint8_t> mine(counts[static_cast<std::size_t>(among.rank())], 1);
  scatter_v(among, c.root, all, counts, mine, c.how()).wait();
  return mine;
}

std::vector<std::uint8_t> run_reduce_scatter_v(const team& among, const one_call& c) {
  const auto counts = lengths(among, c.bytes);
  const auto all = bytes_of(among.rank(), begin_of(counts, among.size()));
  std::vector<std::uint8_t> mine(counts[static_cast<std::size_t>(among.rank())], 1);
  reduce_scatter_v<sum>(among, all, counts, mine, c.how()).wait();
  return mine;
}

std::vector<std::uint8_t> run_all_reduce(const team& among, const one_call& c) {
  auto mine = bytes_of(among.rank(), c.bytes);
  if (c.in_place) {
    all_reduce<sum>(among, in_place, std::span(mine), c.how()).wait();
    return mine;
  }
  std::vector<std::uint8_t> result(c.bytes, 1);
  all_reduce<sum>(among, std::span(mine), std::span(result), c.how()).wait();
  return result;
}

std::vector<std::uint8_t> run_scatter(const team& among, const one_call& c) {
  std::vector<std::uint8_t> blocks;
  if (among.rank() == c.root) {
    blocks = bytes_of(c.root, c.bytes * static_cast<std::size_t>(among.size()));
  }
  std::vector<std::uint8_t> mine(c.bytes, 1);
  scatter(among, c.root, std::span(blocks), std::span(mine), c.how()).wait();
  return mine;
}

std::vector<std::uint8_t> run_gather(const team& among, const one_call& c) {
  const auto mine = bytes_of(among.rank(), c.bytes);
  std::vector<std::uint8_t> blocks;
  if (among.rank() == c.root) blocks.resize(c.bytes * static_cast<std::size_t>(among.size()));
  gather(among, c.root, std::span(mine), std::span(blocks), c.how()).wait();
  return blocks;
}

std::vector<std::uint8_t> run_reduce(const team& among, const one_call& c) {
  const auto mine = bytes_of(among.rank(), c.bytes);
  std::vector<std::uint8_t> result(among.rank() == c.root ? c.bytes : 0, 1);
  reduce<sum>(among, c.root, std::span(mine), std::span(result), c.how()).wait();
  return result;
}

std::vector<std::uint8_t> run_reduce_scatter(const team& among, const one_call& c) {
  const auto blocks = bytes_of(among.rank(), c.bytes * static_cast<std::size_t>(among.size()));
  std::vector<std::uint8_t> mine(c.bytes, 1);
  reduce_scatter<sum>(among, std::span(blocks), std::span(mine), c.how()).wait();
  return mine;
}

affine affine_of(int member, std::size_t i) {
  return {static_cast<std::uint8_t>(2 * member + 3), byte_of(member, i)};
}

/// Inclusive or exclusive; what the latter leaves alone is zero.
std::vector<std::uint8_t> run_scan(const team& among, const one_call& c) {
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

std::vector<std::uint8_t> sum_of(const team& among, std::size_t count, std::size_t first) {
  std::vector<std::uint8_t> total(count, 0);
  for (int peer = 0; peer < among.size(); ++peer) {
    for (std::size_t i = 0; i < count; ++i) {
      total[i] = static_cast<std::uint8_t>(total[i] + byte_of(peer, first + i));
    }
  }
  return total;
}

/// What the definitions say.
std::vector<std::uint8_t> oracle(const team& among, const one_call& c) {
  std::vector<std::uint8_t> wanted;
  const auto append = [&wanted](const std::vector<std::uint8_t>& more) {
    wanted.insert(wanted.end(), more.begin(), more.end());
  };
  const int me = among.rank();
  switch (c.what) {
    case kind::broadcast: return bytes_of(c.root, c.bytes);
    case kind::all_gather:
      for (int peer = 0; peer < among.size(); ++peer) append(bytes_of(peer, c.bytes));
      return wanted;
    case kind::all_to_all:
      for (int peer = 0; peer < among.size(); ++peer) {
        append(bytes_of(peer, c.bytes, c.bytes * static_cast<std::size_t>(me)));
      }
      return wanted;
    case kind::all_to_all_v:
      for (int peer = 0; peer < among.size(); ++peer) {
        std::size_t first = 0;
        for (int before = 0; before < me; ++before) first += uneven(c.bytes, peer, before);
        append(bytes_of(peer, uneven(c.bytes, peer, me), first));
      }
      return wanted;
    case kind::all_gather_v:
    case kind::gather_v:
      for (int peer = 0; peer < among.size(); ++peer) {
        if (c.what == kind::gather_v && me != c.root) break;
        append(bytes_of(peer, lengths(among, c.bytes)[static_cast<std::size_t>(peer)]));
      }
      return wanted;
    case kind::scatter_v: {
      const auto counts = lengths(among, c.bytes);
      return bytes_of(c.root, counts[static_cast<std::size_t>(me)], begin_of(counts, me));
    }
    case kind::reduce_scatter_v: {
      const auto counts = lengths(among, c.bytes);
      return sum_of(among, counts[static_cast<std::size_t>(me)], begin_of(counts, me));
    }
    case kind::all_reduce: return sum_of(among, c.bytes, 0);
    case kind::scan:
      for (std::size_t i = 0; i < c.bytes / sizeof(affine); ++i) {
        affine all = affine_of(0, i);
        for (int peer = 1; peer <= me; ++peer) all = then{}(all, affine_of(peer, i));
        append({all.m, all.c});
      }
      return wanted;
    case kind::exclusive_scan:
      for (std::size_t i = 0; i < c.bytes / sizeof(affine); ++i) {
        affine all = c.in_place ? affine_of(0, i) : affine{0, 0};  // member 0 keeps what it has
        if (me != 0) all = affine_of(0, i);
        for (int peer = 1; peer < me; ++peer) all = then{}(all, affine_of(peer, i));
        append({all.m, all.c});
      }
      return wanted;
    case kind::scatter: return bytes_of(c.root, c.bytes, c.bytes * static_cast<std::size_t>(me));
    case kind::gather:
      for (int peer = 0; peer < among.size() && me == c.root; ++peer) {
        append(bytes_of(peer, c.bytes));
      }
      return wanted;
    case kind::reduce: return me == c.root ? sum_of(among, c.bytes, 0) : wanted;
    case kind::reduce_scatter:
      return sum_of(among, c.bytes, c.bytes * static_cast<std::size_t>(me));
    default: return wanted;
  }
}

void run_and_compare(const team& among, const one_call& c) {
  std::vector<std::uint8_t> got;
  switch (c.what) {
    case kind::broadcast: got = run_broadcast(among, c); break;
    case kind::all_gather: got = run_all_gather(among, c); break;
    case kind::all_to_all: got = run_all_to_all(among, c); break;
    case kind::all_to_all_v: got = run_all_to_all_v(among, c); break;
    case kind::all_gather_v: got = run_all_gather_v(among, c); break;
    case kind::gather_v: got = run_gather_v(among, c); break;
    case kind::scatter_v: got = run_scatter_v(among, c); break;
    case kind::reduce_scatter_v: got = run_reduce_scatter_v(among, c); break;
    case kind::all_reduce: got = run_all_reduce(among, c); break;
    case kind::scan:
    case kind::exclusive_scan: got = run_scan(among, c); break;
    case kind::scatter: got = run_scatter(among, c); break;
    case kind::gather: got = run_gather(among, c); break;
    case kind::reduce: got = run_reduce(among, c); break;
    case kind::reduce_scatter: got = run_reduce_scatter(among, c); break;
    default: barrier(among, c.how()).wait();
  }
  ASSERT_EQ(got, oracle(among, c))
      << c.text() << ", member " << among.rank() << " of " << among.size();
}

constexpr std::array kinds{
    kind::barrier,    kind::broadcast,      kind::scatter,      kind::gather,
    kind::reduce,     kind::all_gather,     kind::all_to_all,   kind::all_to_all_v,
    kind::all_reduce, kind::reduce_scatter, kind::scan,         kind::exclusive_scan,
    kind::scatter_v,  kind::gather_v,       kind::all_gather_v, kind::reduce_scatter_v};

bool has_root(kind what) {
  return what == kind::broadcast || what == kind::scatter || what == kind::gather ||
         what == kind::reduce || what == kind::scatter_v || what == kind::gather_v;
}

bool has_in_place(kind what) {
  return what == kind::all_gather || what == kind::all_gather_v || what == kind::all_reduce ||
         what == kind::scan || what == kind::exclusive_scan;
}

bool serves(const collective::selection& chosen, const team& among,
            std::optional<mechanism> transfer = {}, std::size_t bytes = 0) {
  const kind what = chosen.chosen->of;
  collective::problem call{.what = what, .ranks = among.size(), .bytes = bytes};
  call.shared_scratch = 32U << 10U;  // of teams that are not the world
  // The scans are tested with an operator that does not commute.
  call.commutative = what != kind::scan && what != kind::exclusive_scan;
  call.direct_access = !transfer && all_direct(among);
  call.network_collectives = among.here().endpoint().describe().network_collectives;
  return collective::registry::objection(chosen, call).empty();
}

std::vector<const collective::algorithm*> serving(const collective::registry& all, kind what,
                                                  const team& among,
                                                  std::optional<mechanism> transfer = {}) {
  auto found = all.of(what);
  std::erase_if(found, [&](const collective::algorithm* each) {
    return !serves({each, model::initial_values(each->is)}, among, transfer);
  });
  return found;
}

/// Every algorithm, with values such as ":k=3", with edges that travel so.
void run_all(const team& among, std::optional<mechanism> transfer, const std::string& with = {}) {
  collective::registry all;
  collective::add_algorithms(all);
  for (const kind what : kinds) {
    for (const collective::algorithm* each : serving(all, what, among, transfer)) {
      for (const std::size_t bytes : {0, 1, 3, 8, 1000}) {
        const bool rooted = has_root(what);
        for (const int root : {0, among.size() / 2, among.size() - 1}) {
          if (root != 0 && !rooted) continue;
          one_call c{what, std::string(each->is.name) + with, bytes, root, false, transfer};
          run_and_compare(among, c);
          if (testing::Test::HasFatalFailure()) return;
          c.in_place = true;
          if (has_in_place(what)) run_and_compare(among, c);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace

JOB_TEST(product, every_algorithm_size_and_root, .most_ranks = 70) { run_all(here.world(), {}); }

// Whatever an edge's size, it may travel eagerly or not.
JOB_TEST(product, every_algorithm_with_any_size_of_eager_edges, .most_ranks = 9) {
  for (const char* eager : {":eager=0", ":eager=7", ":eager=512"}) {
    run_all(here.world(), {}, eager);
    if (testing::Test::HasFatalFailure()) return;
  }
}

JOB_TEST(product, every_algorithm_as_tagged_messages, .most_ranks = 9) {
  run_all(here.world(), mechanism::matched);
}

JOB_TEST(product, at_random, .most_ranks = 70) {
  collective::registry all;
  collective::add_algorithms(all);
  const team world = here.world();
  // The same draws at every rank, but for the colours.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    random_stream shared(seed, 0x70726f64);
    const auto colours = static_cast<int>(1 + shared.below(3));
    random_stream own(seed * 1000 + static_cast<std::uint64_t>(here.rank()), 0x636f6c);
    team among = world.split(static_cast<int>(own.below(static_cast<std::uint64_t>(colours))),
                             static_cast<int>(own.below(100)));
    for (int turn = 0; turn < 6; ++turn) {
      const kind what = kinds[shared.below(kinds.size())];
      const auto candidates = serving(all, what, among);
      const std::uint64_t which = shared.below(1000);
      if (candidates.empty()) continue;
      const collective::algorithm& chosen = *candidates[which % candidates.size()];
      model::values with = model::initial_values(chosen.is);
      for (std::size_t i = 0; i < chosen.is.parameters.size(); ++i) {
        const model::parameter& p = chosen.is.parameters[i];
        const std::uint64_t most = std::min<std::uint64_t>(p.most, p.least + 40);
        with[i] = p.least + shared.below(most - p.least + 1);
      }
      const std::size_t bytes = shared.below(shared.below(2) == 0 ? 70 : 3000);
      const int root = static_cast<int>(shared.below(1000)) % among.size();
      const bool in_place = shared.below(2) == 0 && has_in_place(what);
      if (!serves({&chosen, with}, among, {}, bytes)) continue;
      run_and_compare(among, {what, model::text_of(chosen.is, with), bytes, root, in_place});
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "drawn by seed " << seed;
        return;
      }
    }
    among.release();
  }
}
