// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm x team size x size x root, in place and not, against an oracle; then the same
// with teams, parameters and sizes drawn at random. A failure says the call; the harness says the
// world.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tests/collective/jobs/product_calls.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
using collective::kind;
using test::one_call;
using test::oracle;
using test::run_collective;

void run_and_compare(const team& among, const one_call& c) {
  const std::vector<std::uint8_t> got = run_collective(among, c);
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
  collective::problem call{.of = what, .ranks = among.size(), .bytes = bytes};
  call.shared_scratch = 32U << 10U;  // of teams that are not the world
  // The scans are tested with an operator that does not commute.
  call.commutative = what != kind::scan && what != kind::exclusive_scan;
  call.direct_access = !transfer && all_direct(among);
  if (!transfer) collective::tell_nodes(among, call);
  call.network_collectives = host(among.here()).endpoint().describe().network_collectives;
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
