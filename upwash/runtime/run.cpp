// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/run.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/conduit/shm/shm_world.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/core/control.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/runtime/tagged_edges.hpp"
#include "upwash/simulator/noise.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/tuning/stream_notes.hpp"
#include "upwash/tuning/tuned_selector.hpp"

namespace upwash {
namespace {

collective::adaptation adaptation_named(std::string_view name) {
  using collective::adaptation;
  if (name == "none") return adaptation::none;
  return name == "all" ? adaptation::all : adaptation::irregular;
}

/// What the layers above core are given on each job.
struct installation {
  collective::installation collectives;
  matching::message_options messages;
  streaming::installation streams{};

  void on(job& here) const {
    collective::install(here, collectives);
    matching::install(here, messages);
    streaming::install(here, streams);
    // They ask members for their memory, and who has left to compute answers no more: nobody
    // leaves before all have what they asked for.
    if (here.endpoint().describe().direct_access) control::barrier_by_messages(here.world());
  }
};

/// What a process needs to host ranks. Destroyed in reverse: the world before its bootstrap.
struct composition {
  pid_t process = getpid();
  settings values;
  std::unique_ptr<conduit::bootstrap> boot;  ///< null: no launcher, and no conduit that needs one
  std::unique_ptr<conduit::world> world;
  collective::registry algorithms;                ///< shared by the ranks of this process,
  std::unique_ptr<streaming::price_list> prices;  ///< as this; known once all has been learned
  /// Shared too; more than one where ranks are to choose as in processes of their own.
  std::vector<std::unique_ptr<tuning::tuned_selector>> selects;
  std::unique_ptr<tuning::stream_notes> streams;  ///< of all
  std::string forced;                             ///< algorithms, as installation has them
  tagged_edges edges;
  job_options options;

  [[nodiscard]] tuning::tuned_selector& selector_of(int rank) const {
    return *selects[static_cast<std::size_t>(rank) % selects.size()];
  }
  [[nodiscard]] installation layers(int rank) {
    return {{&algorithms, &selector_of(rank), forced, values.flag("tune_log"),
             adaptation_named(values.text("adapt")), &edges,
             schedule::mechanism_named(values.text("transfer"))},
            matching::options_of(values),
            {prices.get(), streams.get()}};
  }
  [[nodiscard]] tuning::tuning_request tuning() const {
    return {values.text("tuning"), values.text("conduit"), values.text("machine"),
            values.source("machine") != knob_source::fallback};
  }
  /// Whether one process has all ranks: then nothing needs to be agreed about.
  [[nodiscard]] bool alone() const { return world->local_ranks() == world->size(); }
};

/// The knob `algorithms`, and behind it the collectives' own, which count more.
std::string forced_algorithms(const settings& values) {
  std::string all = values.text("algorithms");
  for (const std::string_view collective : collective::kind_names()) {
    const std::string& one = values.text(collective);
    if (!one.empty()) all += fmt::format("{}{}={}", all.empty() ? "" : ";", collective, one);
  }
  return all;
}

int positive(const settings& values, std::string_view name) {
  const std::int64_t value = values.integer(name);
  if (value < 1 || value > (1 << 28)) {
    throw error(error_kind::configuration,
                fmt::format("{} = {}: a number from 1 to 2^28 is wanted", name, value));
  }
  return static_cast<int>(value);
}

/// Ranks of different builds would run each other's messages with the wrong functions.
void check_builds(conduit::bootstrap& boot) {
  const std::uint64_t mine = build_fingerprint();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(boot.process_count()));
  boot.exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  const auto other = std::find_if(all.begin(), all.end(), [&](auto one) { return one != all[0]; });
  if (other != all.end()) {
    throw error(error_kind::environment,
                fmt::format("process {} runs another build of the program or of upwash than "
                            "process 0; all ranks must run the same files",
                            other - all.begin()));
  }
}

bool launched(const settings& values) { return values.integer("boot_control") >= 0; }

/// The network that packets cross, when they do: the one asked for, or the machine's.
std::shared_ptr<const model::topology> network_of(const settings& values, const machine& on,
                                                  int ranks) {
  const std::string& asked = values.text("topology");
  if (values.text("network") == "message") {
    if (asked.empty()) return nullptr;
    throw error(error_kind::configuration,
                fmt::format("topology = {}: messages have no topology; set network to packet, or "
                            "topology to nothing",
                            asked));
  }
  const int each = std::min(on.ranks_in(level_kind::node), ranks);
  const int nodes = (ranks + each - 1) / each;
  const model::topology_description described =
      asked.empty() ? model::topology_of(on, nodes) : model::parse_topology(asked);
  std::shared_ptr<const model::topology> made = model::make_topology(described);
  if (nodes == 1 && ranks > 1) {
    log(log_level::warning, "runtime",
        fmt::format("network = packet: all {} ranks are on one node of {}, nothing crosses its "
                    "network; {}:ranks_a_node=1 has one on each",
                    ranks, on.name, on.name));
  }
  if (made->nodes() >= nodes) return made;
  throw error(error_kind::configuration,
              fmt::format("network = packet: {} has {} nodes, {} ranks of {} need {}: run fewer "
                          "ranks, or set topology to a larger network",
                          made->name(), made->nodes(), ranks, on.name, nodes));
}

conduit::sim_options sim_options_of(const settings& values) {
  conduit::sim_options chosen;
  chosen.ranks = positive(values, "ranks");
  chosen.ranks_per_process = positive(values, "ranks_per_process");
  chosen.on = load_machine(values.text("machine"));
  chosen.seed = static_cast<std::uint64_t>(values.integer("seed"));
  chosen.perturb = values.flag("perturb");
  chosen.stack_bytes = values.bytes("stack_bytes");
  chosen.daemons = simulator::parse_noise(values.text("noise"), "noise =", chosen.seed);
  chosen.record_traffic = values.text("record_traffic");
  chosen.through = network_of(values, chosen.on, chosen.ranks);
  return chosen;
}

/// What only the simulated conduit does is not passed over on another.
void check_not_simulated(const settings& values) {
  for (const std::string_view name : {"network", "topology", "noise", "record_traffic"}) {
    const std::string& value = values.text(name);
    if (value.empty() || value == "message") continue;
    throw error(error_kind::configuration,
                fmt::format("{} = {}: only conduit sim does that, this job's is {}", name, value,
                            values.text("conduit")));
  }
}

/// A machine that the user named is not passed over for another when the first choice needs it.
void check_machine(const settings& values) {
  if (values.source("machine") == knob_source::fallback) return;
  static_cast<void>(load_machine(values.text("machine")));
}

conduit::loopback_options loopback_options_of(const settings& values) {
  conduit::loopback_options chosen;
  chosen.ranks = positive(values, "ranks");
  chosen.ranks_per_endpoint = positive(values, "ranks_per_process");
  chosen.seed = static_cast<std::uint64_t>(values.integer("seed"));
  chosen.stack_bytes = values.bytes("stack_bytes");
  return chosen;
}

/// Perturbed ranks choose apart, so that choices that depend on a rank's past are found; so many
/// do, the others share theirs.
constexpr int most_selectors = 64;

void make_selectors(composition& made, const std::shared_ptr<const model::topology>& network) {
  const bool apart = made.values.text("conduit") == "sim" && made.values.flag("perturb");
  const int wanted = apart ? std::min(made.world->local_ranks(), most_selectors) : 1;
  for (int i = 0; i < wanted; ++i) {
    made.selects.push_back(std::make_unique<tuning::tuned_selector>(made.values.text("machine")));
    if (network) made.selects.back()->see_contention(network);
    if (!made.alone()) continue;  // they learn together later
    const tuning::tuned_selector& first = *made.selects.front();
    if (i == 0) {
      tuning::learn_alone(made.tuning(), made.algorithms, *made.selects.front());
    } else {
      made.selects.back()->learn(first.known(), first.file());
    }
  }
  made.streams = std::make_unique<tuning::stream_notes>(&made.selects.front()->known());
}

/// Reads the knobs and makes the world that they describe. What is made before an error stays:
/// it is the way to tell of it.
void compose(composition& made) {
  knob_table table;
  add_all_knobs(table);
  made.values = settings::from_environment(table);
  set_log_level(made.values.text("log"));
  const std::string& name = made.values.text("conduit");
  const bool alone = name == "sim" || name == "loopback";
  if (!alone || launched(made.values)) made.boot = launch::make_bootstrap(made.values);
  std::shared_ptr<const model::topology> network;
  if (name != "sim") {
    check_not_simulated(made.values);
    check_machine(made.values);
  }
  if (name == "sim") {
    const conduit::sim_options simulated = sim_options_of(made.values);
    network = simulated.through;
    made.world = conduit::make_sim_world(simulated);
  } else if (name == "loopback") {
    made.world = conduit::make_loopback_world(loopback_options_of(made.values));
  } else {
    check_builds(*made.boot);
    made.world = conduit::make_shm_world(*made.boot, made.values);
  }
  collective::add_algorithms(made.algorithms);
  made.forced = forced_algorithms(made.values);
  make_selectors(made, network);
  made.options.deferred_limit = static_cast<std::size_t>(positive(made.values, "deferred_limit"));
  made.options.hang_report = made.values.time("hang_report");
  made.options.checked = made.values.flag("checked");
  made.options.progress_thread = made.values.flag("progress_thread");
  if (made.options.progress_thread && made.world->local_ranks() > 1) {
    log(log_level::warning, "runtime",
        fmt::format("progress_thread = 1: a process of {} ranks has none, it serves one rank only",
                    made.world->local_ranks()));
  }
  if (made.world->local_ranks() == 1) set_log_rank(made.world->first_rank());
  log(log_level::info, "runtime",
      fmt::format("{} ranks on conduit {}, {} in this process", made.world->size(), name,
                  made.world->local_ranks()));
}

/// SIGUSR1 at any time: every rank of this process says what it waits for.
void install_report_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) { process::report_live_jobs(STDERR_FILENO); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

/// Tells of the error that ended rank `rank` (-1: the start, or all ranks together) and ends the
/// job. The line is the launcher's to print; a process alone prints it, and only then this returns.
int report(const composition& parts, int rank, const error& failure) {
  const int status = failure.exit_status();
  std::fflush(nullptr);
  if (getpid() != parts.process) {  // a child that the program forked: the job goes on without it
    fmt::print(stderr, "upwash: a forked child of rank {}: {}\n", rank, failure.what());
    std::fflush(nullptr);
    _exit(status);
  }
  const int named = parts.world && parts.world->size() > 1 ? rank : -1;
  if (!parts.boot) {
    launch::abort_start(status, failure.what());
  } else if (launched(parts.values) || parts.boot->process_count() > 1) {
    parts.boot->abort(named, status, failure.what());
  }
  fmt::print(stderr, "upwash: {}\n", launch::failure_line(named, failure.what()));
  std::fflush(nullptr);
  return status;
}

/// In a catch block: the name of what was thrown.
std::string type_of_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "unknown";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type->name();
}

/// What the layers above core do on every rank before the program.
void install_layers(job& here, composition& parts) {
  if (!parts.alone()) {
    tuning::learn_together(here, parts.tuning(), parts.algorithms, parts.selector_of(here.rank()));
  }
  if (parts.prices == nullptr) {  // not by another rank of this process
    parts.prices =
        std::make_unique<streaming::price_list>(parts.selector_of(here.rank()).machine_name());
  }
  parts.layers(here.rank()).on(here);
}

/// What streams found out goes to the tuning file that was named, from the process of rank 0. A
/// file that cannot be written is no reason to fail a job that is done.
void keep_streams(const composition& parts) {
  const std::string& file = parts.values.text("tuning");
  const bool named = !file.empty() && file != "none";
  if (!named || parts.world->first_rank() != 0 || parts.streams->fresh().empty()) return;
  try {
    tuning::add_to_file(
        file, parts.streams->fresh(),
        tuning::origin_of(parts.values.text("conduit"), parts.values.text("machine")),
        parts.algorithms);
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("what streams found out is not kept: {}", wrong.what()));
  }
}

/// A child that the program forked has the job's memory and no place in the job: it ends here,
/// without a word to the others.
[[noreturn]] void leave_fork() {
  std::fflush(nullptr);
  _exit(0);
}

/// Every local rank of the world; `failed` becomes the first whose body, or end, threw.
void run_all(conduit::world& on, const job_options& options, function_ref<void(job&)> install,
             function_ref<void(job&)> rank_main, int& failed) {
  const auto one_rank = [&](int rank) {
    try {
      job here(on.endpoint_of(rank), on.waiter_of(rank), rank, options);
      install(here);
      const pid_t process = getpid();
      rank_main(here);
      if (getpid() != process) leave_fork();
      here.finish();
    } catch (const conduit::rank_stopped&) {
      throw;  // not this one has failed
    } catch (...) {
      if (failed < 0) failed = rank;
      throw;
    }
  };
  on.run(one_rank);
}

}  // namespace

void run_on(conduit::world& on, const job_options& options, function_ref<void(job&)> rank_main) {
  int failed = -1;
  collective::registry algorithms;
  collective::add_algorithms(algorithms);
  tagged_edges edges;
  const auto install = [&](job& here) {
    installation{{.algorithms = &algorithms, .tagged = &edges}, {}}.on(here);
  };
  run_all(on, options, install, rank_main, failed);
}

namespace detail {

int run_ranks(int /*argc*/, char** /*argv*/, function_ref<int(job&)> rank_main) {
  composition parts;
  int failed = -1;
  try {
    install_report_signal();  // first of all: a signal must not kill a rank that only starts
    process::tell_of_stack_overflow();
    compose(parts);
    int status = 0;
    const auto one = [&](job& here) { status = std::max(status, rank_main(here)); };
    const auto install = [&](job& here) { install_layers(here, parts); };
    run_all(*parts.world, parts.options, install, one, failed);
    keep_streams(parts);
    if (parts.boot) parts.boot->finished();
    return status;
  } catch (const error& failure) {
    return report(parts, failed, failure);
  } catch (const std::exception& failure) {
    return report(parts, failed,
                  error(error_kind::fault, fmt::format("the program threw: {}", failure.what())));
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being cancelled
  } catch (...) {
    return report(
        parts, failed,
        error(error_kind::fault, fmt::format("the program threw a value of type {}, which is no "
                                             "std::exception and has no text",
                                             type_of_exception())));
  }
}

}  // namespace detail

struct attached_job::parts {
  composition composed;
  std::unique_ptr<upwash::job> here;
  int exceptions = std::uncaught_exceptions();  ///< under way when the job was attached
};

attached_job::attached_job(std::unique_ptr<parts> made) : parts_(std::move(made)) {}
attached_job::attached_job(attached_job&&) noexcept = default;

attached_job::~attached_job() {
  if (!parts_) return;
  if (getpid() != parts_->composed.process) {
    static_cast<void>(parts_.release());  // a forked child has the memory, and no place in the job
    return;
  }
  const composition& composed = parts_->composed;
  const int rank = composed.world->first_rank();
  // An exception leaves the program's hands here: finishing would wait for ranks that wait for
  // this one. They are told, whatever becomes of it.
  if (std::uncaught_exceptions() > parts_->exceptions) {
    composed.boot->desert(rank, "an exception went past its attached job, which it left");
    return;
  }
  try {
    parts_->here->finish();
    parts_->here.reset();
    keep_streams(composed);
    composed.boot->finished();
  } catch (const error& failure) {
    report(composed, rank, failure);
  } catch (const std::exception& failure) {
    report(composed, rank, error(error_kind::fault, failure.what()));
  }
}

job& attached_job::job() const noexcept { return *parts_->here; }

attached_job attach(int /*argc*/, char** /*argv*/) {
  auto made = std::make_unique<attached_job::parts>();
  composition& parts = made->composed;
  compose(parts);
  if (!parts.boot || parts.world->local_ranks() != 1) {
    throw error(error_kind::environment,
                "attach: one rank a process on a real conduit is wanted; set UPWASH_CONDUIT=shm "
                "and UPWASH_RANKS_PER_PROCESS=1, or start the program through upwash::run");
  }
  const int rank = parts.world->first_rank();
  made->here = std::make_unique<job>(parts.world->endpoint_of(rank), parts.world->waiter_of(rank),
                                     rank, parts.options);
  install_layers(*made->here, parts);
  return attached_job(std::move(made));
}

}  // namespace upwash
