// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// On every machine, in teams of many sizes: what is chosen takes at most a quarter more than the
// best that there is, by replay of all ranks, not by the prices that were chosen by.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/eager_sizes.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

constexpr double allowed = 1.25;
constexpr kind kinds[] = {
    kind::broadcast,      kind::reduce,  kind::all_gather, kind::all_to_all, kind::all_reduce,
    kind::reduce_scatter, kind::barrier, kind::scan,       kind::scatter,    kind::gather};
constexpr std::uint64_t eager_limit = 16'384;  ///< as over shared memory
constexpr std::uint64_t sizes[] = {8, 1024, 65'536, 1U << 20U};

/// A replay has a core for every rank, so prices are to have one, too.
std::string with_cores_enough(const std::string& name) {
  std::ifstream in(load_machine(name).origin);
  nlohmann::json text = nlohmann::json::parse(in);
  text["processor"].erase("cores_per_node");
  const std::string path = testing::TempDir() + "upwash-sweep-" + name + ".json";
  std::ofstream(path) << text.dump();
  return path;
}

class sweep {
 public:
  explicit sweep(const std::string& name)
      : name_(name),
        prices_(load_machine(with_cores_enough(name))),
        selects_(make_model_selector(prices_.on().origin)) {
    add_algorithms(algorithms_);
  }

  /// The time of what is chosen, over that of the best.
  [[nodiscard]] double ratio(kind what, int ranks, std::uint64_t bytes) {
    problem call{.of = what, .ranks = ranks, .bytes = what == kind::barrier ? 0 : bytes};
    call.element_bytes = 8;
    call.ranks_per_node = std::min(ranks, prices_.on().ranks_in(level_kind::node));
    call.eager_limit = eager_limit;
    call.eager_bytes = selects_->usual_eager_bytes(call);
    const selector::choice chosen = selects_->choose(algorithms_, call);
    const duration mine = replayed(chosen.what, call);
    duration best = mine;
    const auto consider = [&](const selection& one) {
      const duration time = replayed(one, call);
      if (time >= best) return;
      best = time;
      best_ = text_of(one);
    };
    best_ = chosen_ = text_of(chosen.what);
    for (const algorithm* each : algorithms_.of(what)) {
      const selection one{each, model::initial_values(each->is)};
      if (!registry::objection(one, call).empty()) continue;
      consider(one);
      for (const selection& other : travelling_otherwise(one, call)) consider(other);
    }
    for (const ranked& each : chosen.others) consider(each.what);
    return best.ps() == 0 ? 1 : mine.ns() / best.ns();
  }

  void check(kind what, int ranks, std::uint64_t bytes) {
    const double found = ratio(what, ranks, bytes);
    EXPECT_LE(found, allowed) << name_ << ": " << to_string(what) << " of " << bytes
                              << " bytes among " << ranks << ": " << chosen_ << " instead of "
                              << best_;
  }

 private:
  /// The same with all edges eager that can, and with none.
  [[nodiscard]] std::vector<selection> travelling_otherwise(const selection& one,
                                                            const problem& call) const {
    const std::uint64_t sent = edge_sizes_of(one, call);
    std::vector<selection> found;
    for (const std::uint64_t eager : {std::uint64_t{0}, eager_limit}) {
      if (!travels_otherwise(sent, eager, call.eager_bytes)) continue;
      found.push_back(one);
      found.back().eager_bytes = eager;
    }
    return found;
  }

  /// As of a price, by the schedules of all ranks; 0 where edges are too small to tell.
  [[nodiscard]] static std::uint64_t edge_sizes_of(const selection& one, const problem& call) {
    constexpr std::uint64_t small = 256;
    if (call.bytes < small) return 0;
    schedule::generator steps = one.priced_schedule_of(call, call.ranks / 2);
    std::uint64_t sent = 0;
    for (schedule::step s; steps.next(s);) {
      if (s.kind == schedule::step_kind::send && s.left.bytes != 0) {
        sent |= std::uint64_t{1} << std::bit_width(s.left.bytes - 1);
      }
    }
    return sent;
  }

  [[nodiscard]] duration replayed(const selection& one, const problem& call) const {
    simulator::replay_options options;
    options.free_where_absent = true;
    duration last;
    const auto steps = [&](int rank) { return one.priced_schedule_of(call, rank); };
    for (const auto& each :
         simulator::replay(call.ranks, steps, prices_.edged(), rules_of(one, call), options)) {
      last = std::max(last, each.completion);
    }
    return last;
  }

  std::string name_;
  predictor prices_;
  registry algorithms_;
  std::unique_ptr<selector> selects_;
  std::string chosen_;
  std::string best_;
};

/// One of all combinations of collective and size after the other; `bytes` at most `most_bytes`.
void check_some(sweep& on, int ranks, int count, std::size_t& next, std::uint64_t most_bytes) {
  for (int i = 0; i < count; ++next) {
    const std::uint64_t bytes = sizes[next / std::size(kinds) % std::size(sizes)];
    if (bytes > most_bytes) continue;
    on.check(kinds[next % std::size(kinds)], ranks, bytes);
    ++i;
  }
}

/// Every so many team sizes of the long sweep: the value of UPWASH_TEST_LONG; 0: none.
int long_stride() {
  const char* text = std::getenv("UPWASH_TEST_LONG");
  return text == nullptr ? 0 : std::max(1, std::atoi(text));
}

}  // namespace

TEST(selection_sweep, is_near_the_best_by_replay_in_small_teams) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for other tests";
  std::size_t next = 0;
  for (const std::string& name : known_machines()) {
    sweep on(name);
    for (int ranks = 2; ranks <= 17; ++ranks) check_some(on, ranks, 5, next, 1U << 20U);
    for (int ranks = 31; ranks <= 33; ++ranks) check_some(on, ranks, 5, next, 1U << 20U);
  }
}

TEST(selection_sweep, is_near_the_best_by_replay_in_large_teams) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for other tests";
  std::size_t next = 0;
  for (const std::string& name : known_machines()) {
    sweep on(name);
    for (const int ranks : {63, 64, 65, 100, 127, 128, 129}) {
      check_some(on, ranks, 1, next, 65'536);
    }
    for (const int ranks : {255, 256, 257}) check_some(on, ranks, 1, next, 65'536);
  }
  next = 0;
  for (const char* name : {"edr", "frontera", "summit", "xt5"}) {
    sweep on(name);
    for (const int ranks : {1000, 1024}) on.check(kinds[next++ % 8], ranks, 8);
  }
}

TEST(selection_sweep, is_near_the_best_by_replay_in_all_teams) {
  const int stride = long_stride();
  if (stride == 0) GTEST_SKIP() << "hours; UPWASH_TEST_LONG=1 runs it, 10 every tenth size";
  std::size_t next = 0;
  int first = 2;
  for (const std::string& name : known_machines()) {
    sweep on(name);
    // Each machine begins elsewhere, so that a sample has all sizes.
    for (int ranks = first++ % stride + 2; ranks <= 1024; ranks += stride) {
      check_some(on, ranks, ranks <= 129 ? 10 : 1, next, ranks <= 129 ? 1U << 20U : 65'536);
    }
  }
}
