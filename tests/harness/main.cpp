// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Started by CTest: runs GoogleTest. Started by the launcher as a rank (--rank-body=suite.name):
// runs that body and exits with 1 when an expectation failed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conduit/wire/pretended_world.hpp"
#include "tests/harness/composite_worlds.hpp"
#include "tests/harness/job_cases.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/harness/process_cases.hpp"
#include "tests/harness/weak_world.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run_on.hpp"

namespace upwash::test {
namespace {

std::vector<registered_body>& bodies() {
  static std::vector<registered_body> all;  // filled before main by the registrations
  return all;
}

class loopback_case final : public body_case {
 public:
  using body_case::body_case;
  void TestBody() override {
    const auto all = numbers_of_ranks({1, 2, 3, 4, 7, 16}, {1, 2, 3, 4, 7}, {2, 3, 7});
    const std::uint64_t seeds = long_run() ? 200 : sampled(3, 2);
    for (const int ranks : some_in_range(entry_.options, all)) {
      for (std::uint64_t seed = 1; seed <= last_seed_for(ranks, seeds); ++seed) {
        // Two ranks share an endpoint in every other run.
        const int per_endpoint = seed % 2 == 0 ? 2 : 1;
        SCOPED_TRACE(
            fmt::format("loopback: ranks {}, seed {}, {} a process", ranks, seed, per_endpoint));
        conduit::loopback_options options;
        options.ranks = ranks;
        options.ranks_per_endpoint = per_endpoint;
        options.seed = seed;
        const auto world = conduit::make_loopback_world(options);
        run_in_world(*world, entry_);
        if (HasFailure()) return;
      }
    }
  }
};

/// The simulated conduit: whole, with most of its capabilities hidden, or with ranks that load and
/// store each other's memory.
enum class simulated : std::uint8_t { whole, weak, direct };

constexpr std::string_view name_of(simulated how) {
  return how == simulated::whole ? "sim" : how == simulated::weak ? "weak" : "direct";
}

template <simulated How>
class simulated_case final : public body_case {
 public:
  using body_case::body_case;
  void TestBody() override {
    const machine on = load_machine("laptop");
    const bool whole = How != simulated::direct;
    const std::uint64_t seeds = long_run() ? 100 : whole ? 3 : 2;
    const auto all = How == simulated::direct ? std::vector{2, 3, 5, 16}
                     : How == simulated::weak
                         ? std::vector{1, 2, 3, 5, 16}
                         : numbers_of_ranks({1, 2, 3, 4, 5, 8, 16, 33}, {1, 2, 3, 5, 8, 16},
                                            {1, 2, 3, 5, 8, 16});
    for (const int ranks : in_range(entry_.options, all)) {
      for (std::uint64_t seed = whole ? 0 : 1; seed <= last_seed_for(ranks, seeds); ++seed) {
        run_one(on, ranks, seed);
        if (HasFailure()) return;
      }
    }
    if (How == simulated::whole) run_across_nodes();
    for (int ranks = 1; long_run() && ranks <= entry_.options.most_ranks; ++ranks) {
      if (in_range(entry_.options, {ranks}).empty()) continue;
      for (std::uint64_t seed = 1000; seed < 1005; ++seed) {
        run_one(on, ranks, seed);
        if (HasFailure()) return;
      }
    }
  }

 private:
  /// Processes of as many ranks as a node has, and of twice as many.
  void run_across_nodes() {
    const machine pairs = load_machine("edr:ranks_a_node=2");
    for (const int ranks : in_range(entry_.options, {4, 8})) {
      if (!entry_.options.shares_process || HasFailure()) return;
      run_one(pairs, ranks, 0, ranks / 2);
    }
  }
  void run_one(const machine& on, int ranks, std::uint64_t seed) {
    // As with faked nodes: direct access reaches further than a node.
    const bool in_pairs = How == simulated::direct && seed % 2 == 0;
    run_one(in_pairs ? load_machine("edr:ranks_a_node=2") : on, ranks, seed,
            seed % 5 == 2 && ranks % 2 == 0 ? 2 : 1);
  }
  void run_one(const machine& on, int ranks, std::uint64_t seed, int per_process) {
    SCOPED_TRACE(fmt::format("{}: {}, ranks {}, seed {}, perturbed {}, {} a process", name_of(How),
                             on.name, ranks, seed, seed != 0, per_process));
    conduit::sim_options options;
    options.ranks = ranks;
    options.ranks_per_process = per_process;
    options.on = on;
    options.seed = seed;
    options.perturb = seed != 0;
    options.stack_bytes = std::size_t{512} * 1024;
    options.direct_access = How == simulated::direct;
    options.find_conflicts = entry_.options.ordered_writes;
    auto world = conduit::make_sim_world(options);
    if (How == simulated::weak) world = make_weak_world(std::move(world));
    run_in_world(*world, entry_);
  }
};

/// On the simulated conduit, through switches: a tree with a rank a node, which has collectives of
/// its own, and a torus with two.
class packets_case final : public body_case {
 public:
  using body_case::body_case;
  void TestBody() override {
    const auto all = numbers_of_ranks({1, 2, 3, 8, 17}, {1, 3, 8}, {2, 3, 8});
    for (const int ranks : in_range(entry_.options, all)) {
      for (std::uint64_t seed = 0; seed <= last_seed_for(ranks, long_run() ? 40 : 3); ++seed) {
        run_one(ranks, seed);
        if (HasFailure()) return;
      }
    }
  }

 private:
  void run_one(int ranks, std::uint64_t seed) {
    const bool tree = seed % 2 == 0;
    const std::string network = tree ? fmt::format("fat-tree:ports=4,nodes={}", ranks)
                                     : fmt::format("torus:size=2x{}", (ranks + 3) / 4);
    SCOPED_TRACE(fmt::format("packets: {}, ranks {}, seed {}, perturbed {}", network, ranks, seed,
                             seed >= 2));
    conduit::sim_options options;
    options.ranks = ranks;
    options.on = load_machine(tree ? "edr:ranks_a_node=1" : "edr:ranks_a_node=2");
    options.seed = seed;
    options.perturb = seed >= 2;
    options.stack_bytes = std::size_t{512} * 1024;
    options.through = model::make_topology(model::parse_topology(network));
    const auto world = conduit::make_sim_world(options);
    run_in_world(*world, entry_);
  }
};

/// One conduit inside the nodes, another between them. The parts take turns with the seed.
class composite_case final : public body_case {
 public:
  using body_case::body_case;
  void TestBody() override {
    const auto all = numbers_of_ranks({1, 2, 3, 5, 8, 13}, {2, 3, 5, 8}, {5, 8});
    const std::uint64_t seeds = long_run() ? 60 : sampled(3, 2);
    for (const int ranks : some_in_range(entry_.options, all)) {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const inside kind = seed % 3 == 0   ? inside::weak
                            : seed % 3 == 1 ? inside::direct
                                            : inside::shm;
        const int node = 1 + static_cast<int>((seed + 1) % 4);  // 3, 4, 1, 2, ...
        SCOPED_TRACE(fmt::format("composite: ranks {}, {} a node, seed {}", ranks, node, seed));
        const auto world = composite_of(kind, ranks, node, seed);
        run_in_world(*world, entry_);
        if (HasFailure()) return;
      }
    }
  }
};

/// Over packets of a pretended network: processes of 1 to 3 ranks, nodes of 1 to 3 processes, with
/// and without memory that the network reaches by itself.
class wire_case final : public body_case {
 public:
  using body_case::body_case;
  void TestBody() override {
    const auto all = numbers_of_ranks({1, 2, 3, 4, 7, 16}, {1, 2, 3, 7}, {1, 3, 7});
    const std::uint64_t seeds = long_run() ? 200 : sampled(4, 2);
    for (const int ranks : some_in_range(entry_.options, all)) {
      for (std::uint64_t seed = 1; seed <= last_seed_for(ranks, seeds); ++seed) {
        run_one(ranks, seed);
        if (HasFailure()) return;
      }
    }
  }

 private:
  void run_one(int ranks, std::uint64_t seed) {
    const int per_process =
        entry_.options.shares_process ? static_cast<int>((seed + 1) % 3) + 1 : 1;
    pretended_options options;
    options.ranks = conduit::rank_layout::at_most(per_process, ranks);
    options.node_processes = 1 + static_cast<int>(seed / 2 % 3);
    options.window = seed % 3 == 0 ? 1 : 0;
    options.network.seed = seed;
    options.network.memory = seed % 2 == 0;
    if (seed % 4 == 0) options.network.atomics = {atomic_kind::add, atomic_kind::fetch_add};
    SCOPED_TRACE(
        fmt::format("wire: ranks {}, seed {}, {} a process, {} processes a node, memory {}", ranks,
                    seed, per_process, options.node_processes, options.network.memory));
    const auto world = make_pretended_world(options);
    run_in_world(*world, entry_);
  }
};

/// On a conduit of one process that no case above knows more of, as its knobs make it.
class listed_case final : public body_case {
 public:
  listed_case(const registered_body& entry, std::string conduit)
      : body_case(entry), conduit_(std::move(conduit)) {}
  void TestBody() override {
    knob_table table;
    add_all_knobs(table);
    for (const int ranks : in_range(entry_.options, {1, 2, 3, 4, 7})) {
      for (const char* seed : {"1", "2"}) {
        SCOPED_TRACE(fmt::format("{}: ranks {}, seed {}", conduit_, ranks, seed));
        settings values = settings::defaults(table);
        values.set("conduit", conduit_);
        values.set("ranks", fmt::to_string(ranks));
        values.set("seed", seed);
        const auto world = make_world(conduit_named(conduit_), values, nullptr);
        run_in_world(*world, entry_);
        if (HasFailure()) return;
      }
    }
  }

 private:
  const std::string conduit_;
};

/// Ends a case that hangs: some seconds are plenty on an idle machine.
class watchdog final : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*info*/) override { alarm(long_run() ? 3400 : 800); }
  void OnTestEnd(const testing::TestInfo& /*info*/) override { alarm(0); }
};

template <class Case>
void register_case(const registered_body& entry, const std::string& conduit) {
  testing::RegisterTest((entry.suite + "_" + conduit).c_str(), entry.name.c_str(), nullptr, nullptr,
                        __FILE__, __LINE__,
                        [entry]() -> testing::Test* { return new Case(entry); });
}

/// Conduits of the table that have no case of their own here get one: a new conduit is tested by
/// its line in cmake/conduits.txt.
void register_listed(const registered_body& entry) {
  if (!is_for_any_conduit(entry)) return;
  for (const conduit::conduit_row& row : conduits()) {
    if (row.name == "shm" || row.name == "sim" || row.name == "loopback") continue;
    if (row.spans_nodes) continue;  // register_spanning
    const std::string name(row.name);
    const bool processes = row.several_processes;
    testing::RegisterTest((entry.suite + "_" + name).c_str(), entry.name.c_str(), nullptr, nullptr,
                          __FILE__, __LINE__, [entry, name, processes]() -> testing::Test* {
                            if (processes) return make_process_case(entry, name);
                            return new listed_case(entry, name);
                          });
  }
}

/// The bodies of "suite.first,second", in that order.
std::vector<registered_body> bodies_named(std::string_view wanted) {
  const std::size_t dot = wanted.find('.');
  const std::string_view suite = wanted.substr(0, dot);
  std::vector<registered_body> found;
  for (std::string_view names = wanted.substr(dot + 1); !names.empty();) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto at = std::ranges::find_if(bodies(), [&](const registered_body& each) {
      return each.suite == suite && each.name == name;
    });
    if (at == bodies().end()) {
      throw error(error_kind::argument, fmt::format("no body {}.{}", suite, name));
    }
    found.push_back(*at);
  }
  return found;
}

int run_rank(int argc, char** argv, std::string_view wanted) {
  const std::vector<registered_body> all = bodies_named(wanted);
  const int status = run(argc, argv, [&](job& here) {
    for (const registered_body& entry : all) {
      SCOPED_TRACE(fmt::format("{}.{}", entry.suite, entry.name));
      if (&entry != all.data()) control::barrier(here.world());
      entry.body(here);
    }
  });
  const bool failed = testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed();
  return status != 0 ? status : (failed ? 1 : 0);
}

}  // namespace

bool register_body(const registered_body& entry) {
  bodies().push_back(entry);
  return true;
}

}  // namespace upwash::test

int main(int argc, char** argv) {
  using namespace upwash::test;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option(argv[i]);
    if (option.starts_with(rank_option)) {
      int one = 1;
      testing::InitGoogleTest(&one, argv);
      return run_rank(argc, argv, option.substr(rank_option.size()));
    }
  }
  testing::InitGoogleTest(&argc, argv);
  for (const registered_body& entry : bodies()) {
    if (entry.options.on_loopback) register_case<loopback_case>(entry, "loopback");
    if (entry.options.on_loopback && entry.options.on_composite)
      register_case<composite_case>(entry, "composite");
    if (entry.options.on_loopback) register_case<wire_case>(entry, "wire");
    if (entry.options.on_sim && entry.options.on_packets) {
      register_case<packets_case>(entry, "packets");
    }
    if (entry.options.on_sim) {
      register_case<simulated_case<simulated::whole>>(entry, "sim");
      register_case<simulated_case<simulated::weak>>(entry, "weak");
    }
    if (entry.options.on_direct) {
      register_case<simulated_case<simulated::direct>>(entry, "direct");
    }
    if (entry.options.on_shm) {
      testing::RegisterTest(
          (entry.suite + "_shm").c_str(), entry.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [entry]() -> testing::Test* { return make_process_case(entry, "shm"); });
    }
    register_listed(entry);
  }
  register_spanning(bodies());
  testing::UnitTest::GetInstance()->listeners().Append(new watchdog);  // GoogleTest owns it
  return RUN_ALL_TESTS();
}
