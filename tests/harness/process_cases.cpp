// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/harness/process_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tests/harness/job_cases.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/launch/launcher.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/start.hpp"

namespace upwash::test {
namespace {

/// Ranks, and the processes in which they take turns.
using shape = std::pair<int, int>;

/// Keeps what the ranks print, to show it when one fails.
class captured_output final : public launch::output_sink {
 public:
  void line(int rank, bool /*standard_error*/, std::string_view text) override {
    all += fmt::format("[{}] {}", rank, text);
    if (!text.ends_with('\n')) all += '\n';
  }
  std::string all;
};

/// "suite.first,second": what `--rank-body` takes.
std::string names_of(std::span<const registered_body> bodies) {
  std::string names = bodies.front().suite + '.';
  for (const registered_body& each : bodies) {
    names += (&each == bodies.data() ? "" : ",") + each.name;
  }
  return names;
}

/// Runs bodies of one suite and one environment, one after the other, in one job. Fails the running
/// test when a rank does.
void run_processes(std::span<const registered_body> bodies, const std::string& conduit,
                   const shape& wanted, const std::vector<std::string>& variables = {}) {
  const auto& [ranks, processes] = wanted;
  const std::string names = names_of(bodies);
  SCOPED_TRACE(fmt::format("{}: {}, {} ranks in {} processes", conduit, names, ranks, processes));
  const conduit::conduit_row on = conduit_named(conduit);
  captured_output output;
  launch::launch_options options;
  options.ranks = ranks;
  options.processes = processes;
  options.program = {"/proc/self/exe", fmt::format("{}{}", rank_option, names)};
  options.timeout = duration::from_seconds(300 + 30 * static_cast<double>(bodies.size()));
  options.output = &output;
  options.environment = bodies.front().options.environment;
  options.environment.insert(options.environment.end(), variables.begin(), variables.end());
  options.environment.push_back("UPWASH_CONDUIT=" + conduit);
  if (!on.inside.empty() && processes > 1) {
    // As even as can be: nodes of different sizes where that is not at all.
    options.environment.push_back(fmt::format("UPWASH_FAKE_NODES={}", processes > 4 ? 3 : 2));
  }
  // Turns in an order of chance, another for each shape, find what the usual order hides.
  if (ranks > 2 * processes) {
    options.environment.push_back(fmt::format("UPWASH_TURNS={}", ranks + processes));
  }
  EXPECT_EQ(start(on, options), 0) << output.all;
}

class process_case final : public body_case {
 public:
  process_case(const registered_body& entry, std::string conduit)
      : body_case(entry), conduit_(std::move(conduit)) {}
  void TestBody() override {
    const auto all = numbers_of_ranks({1, 2, 3, 4, 7}, {1, 2, 4, 7}, {3});
    for (const int ranks : some_in_range(entry_.options, all)) {
      run_processes(std::span(&entry_, 1), conduit_, {ranks, ranks});
      if (HasFailure()) return;
    }
    if (!entry_.options.shares_process) return;
    for (const shape& each : shared_processes()) {
      if (in_range(entry_.options, {each.first}).empty()) continue;
      run_processes(std::span(&entry_, 1), conduit_, each);
      if (HasFailure()) return;
    }
  }

 private:
  static std::vector<shape> shared_processes() {
    if (long_run()) {
      return {{2, 1}, {3, 1}, {4, 1},  {7, 1}, {8, 1}, {3, 2},
              {4, 2}, {7, 2}, {16, 2}, {7, 3}, {8, 4}};
    }
    return sampled<std::vector<shape>>({{7, 2}, {8, 1}}, {{4, 2}});
  }

  const std::string conduit_;
};

/// What is always tried.
constexpr std::array<std::string_view, 19> quick_bodies{
    "active_message.payloads_of_any_size_arrive",
    "order.of_a_ranks_messages_holds_between_program_and_handlers",
    "memory.puts_reach_every_rank",
    "memory.gets_fetch_from_every_rank",
    "word_put.is_one_store",
    "memory.a_lack_of_memory_is_told_to_all_in_the_same_words",
    "atomics.lose_nothing",
    "collectives.broadcast_of_any_size_by_every_algorithm",
    "modes.every_mechanism_moves_the_same_data",
    "persistent.runs_and_starts_by_turns",
    "messages.of_any_size_arrive_posted_or_not",
    "stream.brings_items_of_1_byte_to_1_MiB_whole",
    "quiescence.waits_for_messages_that_beget_messages",
    "fence_barrier.all_that_members_began_is_there",
    "locks.one_rank_holds_a_lock_at_a_time",
    "lock_stress.no_hand_over_is_lost",
    "litmus.fences_are_between_puts_and_loads",
    "neighborhood.random_graphs_by_all_schemes",
    "object_array.calls_find_objects_that_wander"};

/// Those with a progress thread, which not all conduits have.
constexpr std::array<std::string_view, 7> threaded_bodies{
    "jobs.a_progress_thread_serves_memory",
    "lent_collectives.ask_for_private_memory_beside_a_network",
    "memory_handler.runs_on_the_progress_thread",
    "memory_handler.answers_leave_without_the_owner_polling",
    "memory_handler.answers_leave_without_the_owner_polling_by_a_thread_that_sleeps",
    "accumulate.beside_progress_threads",
    "atomic_pairs.beside_progress_threads"};

/// Engines leave memory and threads behind, at which the search for leaks ends the process. What
/// leaks above them is found where the job tests pretend a network.
std::vector<std::string> with_leaks(std::vector<std::string> variables) {
  if (sanitized) variables.emplace_back("ASAN_OPTIONS=detect_leaks=0");
  return variables;
}

/// A way to run on a conduit: over one of the libraries that have an engine, or transports of it.
struct variant {
  std::string name;
  std::vector<std::string> variables;
};

/// Of those that this machine has.
std::vector<variant> variants_of(const conduit::conduit_row& on) {
  knob_table table;
  add_all_knobs(table);
  settings values = settings::defaults(table);
  std::vector<variant> found;
  if (on.starter != nullptr) {
    for (const std::string library : {"openmpi", "mpich"}) {
      values.set("mpi_library", library);
      if (on.lacking(values).empty()) found.push_back({library, {"UPWASH_MPI_LIBRARY=" + library}});
    }
  } else if (on.lacking(values).empty()) {
    found.push_back({"as UCX likes", {}});
    found.push_back({"tcp", {"UCX_TLS=tcp,self"}});
  }
  return found;
}

/// MPICH starts and ends without giving its processor away: more processes than processors are slow
/// there. Of UCX's transports, shared memory is tried with all shapes.
std::vector<shape> shapes_for(const variant& of, bool composite) {
  const bool one_will_do = of.name == "mpich" || of.name == "tcp";
  if (long_run() && of.name == "as UCX likes") {
    return {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {7, 7}, {2, 1}, {8, 1}, {3, 2}, {7, 2}, {7, 3}, {8, 4}};
  }
  if (long_run()) return {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {7, 7}, {3, 2}, {8, 4}};
  if (composite) return {{3, 3}};
  if (one_will_do) return {{2, 2}};
  return {{2, 2}, {4, 4}, {3, 2}};
}

class spanning_case final : public testing::Test {
 public:
  spanning_case(std::vector<registered_body> bodies, conduit::conduit_row on, bool quick)
      : bodies_(std::move(bodies)), on_(std::move(on)), quick_(quick) {}
  void TestBody() override {
    if (!quick_ && !long_run()) GTEST_SKIP() << "with UPWASH_TEST_LONG=1";
    const std::vector<variant> variants = variants_of(on_);
    if (variants.empty()) {
      GTEST_SKIP() << (on_.starter != nullptr ? "no MPI library" : "no plugin for UCX")
                   << " is installed: conduit " << on_.name << " is not tried";
    }
    for (const variant& how : variants) {
      SCOPED_TRACE(how.name);
      for (const shape& each : shapes_for(how, !on_.inside.empty())) run_on(how, each);
    }
  }

 private:
  /// All bodies that go together share a job: starting one takes longer than most of them, and each
  /// has to get along with what others have left.
  void run_on(const variant& how, const shape& wanted) {
    const auto run = [&](std::span<const registered_body> bodies) {
      run_processes(bodies, std::string(on_.name), wanted, with_leaks(how.variables));
    };
    std::map<std::vector<std::string>, std::vector<registered_body>> together;
    for (const registered_body& entry : bodies_) {
      if (!goes(entry.options, wanted)) continue;
      if (entry.options.alone) {
        run(std::span(&entry, 1));
      } else {
        together[entry.options.environment].push_back(entry);
      }
    }
    for (const auto& [environment, bodies] : together) run(bodies);
  }
  static bool goes(const body_options& options, const shape& wanted) {
    const auto& [ranks, processes] = wanted;
    if (in_range(options, {ranks}).empty()) return false;
    if (processes == 1 && !options.environment.empty()) return false;  // it may want nodes
    return ranks == processes || options.shares_process;
  }

  const std::vector<registered_body> bodies_;
  const conduit::conduit_row on_;
  const bool quick_;
};

}  // namespace

testing::Test* make_process_case(const registered_body& entry, std::string conduit) {
  return new process_case(entry, std::move(conduit));
}

void register_spanning(std::span<const registered_body> bodies) {
  const auto add = [](const std::string& suite, const std::string& name,
                      const std::vector<registered_body>& what, const conduit::conduit_row& on,
                      bool quick) {
    testing::RegisterTest(fmt::format("{}_{}", suite, on.name).c_str(), name.c_str(), nullptr,
                          nullptr, __FILE__, __LINE__,
                          [=]() -> testing::Test* { return new spanning_case(what, on, quick); });
  };
  for (const conduit::conduit_row& row : conduits()) {
    if (!row.spans_nodes) continue;
    std::map<std::string, std::vector<registered_body>> suites;
    for (const registered_body& entry : bodies) {
      const std::string name = entry.suite + "." + entry.name;
      if (std::ranges::find(threaded_bodies, name) != threaded_bodies.end()) {
        add(entry.suite, entry.name, {entry}, row, true);
      }
      if (!is_for_any_conduit(entry)) continue;
      suites[entry.suite].push_back(entry);
      if (std::ranges::find(quick_bodies, name) == quick_bodies.end()) continue;
      add(entry.suite, entry.name, {entry}, row, true);
    }
    for (const auto& [suite, all] : suites) add(suite, "all_bodies", all, row, false);
  }
}

}  // namespace upwash::test
