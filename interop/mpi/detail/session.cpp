// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/session.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "interop/mpi/detail/library_names.hpp"
#include "interop/mpi/detail/library_progress.hpp"
#include "interop/mpi/detail/program_call.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

constinit session* session::own_ = nullptr;

namespace {

extern "C" {

int keep_end_here(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int end_session(MPI_Comm, int, void*, void*) {
  session::end();
  return MPI_SUCCESS;
}

}  // extern "C"

/// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the first one last (MPI 4.0,
/// 11.2.4): programs and libraries free there what they have. So upwash sets its own before any
/// other, and ends when that is deleted.
void end_with_self() {
  int key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(&keep_end_here, &end_session, &key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);  // stays until the attribute is deleted
}

/// An address in this library, whose functions are the job's handlers.
constexpr char here_in_library = 0;

/// What ranks must agree about before they take over.
struct introduction {
  std::uint64_t options = 0;
  int rank = -1;  ///< in upwash's world; -1: no job
  int threads = 0;
  int lets_us_go_on = 0;
  int needs_library = 0;  ///< for messages of upwash's own, between nodes
};

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : 0;
}

/// By what launchers say, each rank for itself: no message has gone yet.
bool spans_nodes() {
  if (number_in("UPWASH_FAKE_NODES") > 1) return true;
  const int all = std::max(number_in("OMPI_COMM_WORLD_SIZE"), number_in("PMI_SIZE"));
  const int here = std::max(number_in("OMPI_COMM_WORLD_LOCAL_SIZE"), number_in("MPI_LOCALNRANKS"));
  return (here > 0 && here < all) || number_in("SLURM_STEP_NUM_NODES") > 1;
}

/// A variable that this process has while this lives, unless the user has set it.
class default_variable {
 public:
  default_variable(const char* name, const std::string& value)
      : name_(name), is_set_(std::getenv(name) != nullptr) {
    if (!is_set_) setenv(name_, value.c_str(), 1);
  }
  ~default_variable() {
    if (!is_set_) unsetenv(name_);
  }
  default_variable(const default_variable&) = delete;
  default_variable& operator=(const default_variable&) = delete;

 private:
  const char* name_;
  bool is_set_;
};

/// Shared memory on one node; on several, MPI between them. Not where the user has named one.
attached_job attach_by_launcher(const preload_options& options) {
  const default_variable conduit("UPWASH_CONDUIT", spans_nodes() ? "shm+mpi" : "shm");
  const default_variable limit("UPWASH_UNEXPECTED_LIMIT", std::to_string(options.unexpected_bytes));
  return attach(0, nullptr, {.program = &here_in_library, .goes_on_alone = true});
}

}  // namespace

void say(std::string_view text) { fmt::print(stderr, "upwash: {}\n", text); }

void let_launcher_read() noexcept {
  const timespec until_read{0, 200'000'000};
  nanosleep(&until_read, nullptr);
}

namespace {

[[noreturn]] void end_all(std::string_view text, int status) {
  std::fflush(nullptr);
  say(text);
  let_launcher_read();
  PMPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

/// Nothing where no job can be made, and why.
std::optional<attached_job> join(const preload_options& options, std::string& why) {
  try {
    return attach_by_launcher(options);
  } catch (const error& failure) {
    // Some ranks have not come: they are without this library, and would never answer.
    if (failure.kind() == error_kind::fault) {
      end_all(fmt::format("{}; all ranks must be started with the preload library and the same "
                          "UPWASH_MPI (docs/mpi.md), "
                          "or none",
                          failure.what()),
              failure.exit_status());
    }
    why = failure.what();
  }
  return std::nullopt;
}

/// Why the ranks do not take over, the same at all; empty: they do.
std::string disagreement(const std::vector<introduction>& all, const std::string& why,
                         bool threads) {
  const introduction& first = all.front();
  const auto any = [&](auto what) { return std::ranges::any_of(all, what); };
  if (any([](const introduction& each) { return each.rank < 0; })) {
    return why.empty() ? "another rank could join no job of upwash" : why;
  }
  if (any([&](const introduction& each) { return each.options != first.options; })) {
    return "UPWASH_MPI, UPWASH_MPI_ONLY, UPWASH_MPI_EXCEPT, UPWASH_MPI_THREADS or "
           "UPWASH_MPI_SAMPLE (or with it UPWASH_CHECKED) differ between ranks, or the functions "
           "of MPI that their programs define; give all the same";
  }
  if (!threads &&
      any([](const introduction& each) { return each.threads == MPI_THREAD_MULTIPLE; })) {
    return "MPI_THREAD_MULTIPLE: without UPWASH_MPI_THREADS=1 upwash takes calls of one thread at "
           "a time";
  }
  return {};
}

/// Why messages that were asked for are the MPI library's all the same; empty: they are not, or
/// were not asked for.
std::string without_messages(const preload_options& options, bool several_threads,
                             bool lets_us_go_on) {
  if (!options.missing.empty()) {
    return fmt::format("{} {}, and messages are taken over all or none", options.missing,
                       options.missing_why);
  }
  if (!options.unknown.empty()) {
    return fmt::format(
        "it has {}, which this preload library, built with {}, does not know, and "
        "messages are taken over all or none; build upwash with the MPI library that runs",
        options.unknown, built_with());
  }
  if (!options.messages || lets_us_go_on) return {};
  if (several_threads) {
    return "with MPI_THREAD_MULTIPLE and several nodes upwash takes over blocking collectives "
           "alone";
  }
  return "it does not let upwash go on while it waits";
}

/// Lines for the user: calls that upwash does not take over, and functions that are never called.
void say_what_is_left(const preload_options& options, const other_definitions& others,
                      bool several_threads, bool lets_us_go_on) {
  if (!options.requests) {
    say("the MPI library has all nonblocking and persistent calls and all messages: the program "
        "defines functions of MPI that take requests, so their calls do not reach upwash");
  } else if (const std::string why = without_messages(options, several_threads, lets_us_go_on);
             !why.empty()) {
    say(fmt::format("the MPI library has all messages: {}", why));
  }
  if (!others.hidden_file.empty()) {
    say(
        fmt::format("{} defines {} too, but is not called: upwash comes first, and calls the MPI "
                    "library directly; use one of both (docs/mpi.md)",
                    others.hidden_file, others.hidden_function));
  }
}

int highest_tag() {
  int* most = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &found);
  return found != 0 ? *most : INT_MAX;
}

}  // namespace

library_turns::library_turns(job& here, MPI_Comm quiet, turn_lock& threads)
    : here_(here), quiet_(quiet), threads_(threads) {
  host(here).add_waiter(*this);
}

library_turns::~library_turns() { host(here_).remove_waiter(*this); }

void library_turns::take_turn() const noexcept {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, quiet_, &found, MPI_STATUS_IGNORE);
}

void library_turns::let_threads_go_on() const {
  const turn_lock::given others(threads_);
  take_turn();
  sched_yield();
}

session::session(attached_job joined, preload_options options, std::vector<int> ranks,
                 bool several_threads, bool lets_us_go_on)
    : threads(several_threads),
      communicators(joined.job().world(), std::move(ranks), threads),
      persistent(requests),
      open(requests),
      messages(joined.job(), requests, options.unexpected_bytes),
      joined_(std::move(joined)),
      options_(std::move(options)),
      turns_(joined_.job(), between_us.handle(), threads),
      lets_us_go_on_(lets_us_go_on),
      most_tag_(highest_tag()) {
  if (!options_.report.empty()) measured = std::make_unique<measurements>();
  static_cast<void>(here().service<program_call>());
  matching::keep_early(here());
  spans_nodes_ = !all_direct(here().world());
  // Nonblocking calls find it there.
  if (membership* world = communicators.find(MPI_COMM_WORLD);
      world != nullptr && world->refused == fate::taken) {
    communicators.make_ready(*world, false);
    world->has_messages = has_messages();
  }
}

int session::go_on() noexcept {
  session* own = current();
  if (own == nullptr || !own->lets_us_go_on_ || !own->threads.try_take()) return 0;
  // Of one thread: it is in upwash already. Of several: others wait there.
  const bool goes = (own->threads.several_threads() || own->depth_ == 0) &&
                    (own->serves_others_ || own->has_messages());
  int told = 0;
  if (goes) {
    ++own->depth_;
    own->turns_.set_in_library(true);
    if (own->threads.several_threads()) own->requests.begin_in_library();
    try {
      own->here().progress();
      told = own->open.collect();
    } catch (...) {
      own->fail(own->open.at());
    }
    own->requests.end_in_library();
    own->turns_.set_in_library(false);
    --own->depth_;
  }
  own->threads.give();
  return told;
}

void session::let_go_late() noexcept {
  try {
    requests.let_go_late();
  } catch (...) {
    fail(function::of_MPI_Request_free);
  }
}

void session::begin_look() const noexcept {
  if (!is_turn()) host(here()).keep_processor();
}

void session::go_on_here() {
  begin_look();
  here().progress();
  open.collect();
}

void session::await(own_request& of) {
  struct waited {
    session* own;
    own_request* of;
  } const what{this, &of};
  const auto over = [](const void* context) {
    const auto& seen = *static_cast<const waited*>(context);
    seen.own->open.collect();
    return seen.of->is_over();
  };
  if (over(&what)) return;
  host(here()).wait(conduit::wait_target::predicate(over, &what),
                    {.operation = function_names[static_cast<std::size_t>(of.which)]});
}

std::string session::begin(int thread_level) {
  preload_options options;
  try {
    options = preload_options::read();
  } catch (const error& wrong) {
    end_all(wrong.what(), wrong.exit_status());
  }
  const other_definitions others = find_other_definitions();
  options.leave_out(others);
  int size = 1;
  int rank = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string report = options.report;
  if (size == 1 || options.nothing()) return report;
  std::string why;
  std::optional<attached_job> joined = join(options, why);
  const introduction mine{options.fingerprint(), joined ? joined->job().rank() : -1, thread_level,
                          options.requests && join_library_progress(&session::go_on) ? 1 : 0,
                          joined && !reach_of(joined->job().world()).all_direct() ? 1 : 0};
  std::vector<introduction> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  const std::string against = disagreement(all, why, options.threads);
  if (against.empty()) {
    std::vector<int> ranks;
    for (const introduction& each : all) ranks.push_back(each.rank);
    const bool several_threads = std::ranges::any_of(
        all, [](const introduction& each) { return each.threads == MPI_THREAD_MULTIPLE; });
    // With several threads MPICH lets nobody call it from within its progress.
    const bool goes_on = std::ranges::all_of(all, [&](const introduction& each) {
      return each.lets_us_go_on != 0 && !(several_threads && each.needs_library != 0);
    });
    if (rank == 0) say_what_is_left(options, others, several_threads, goes_on);
    own_ = new session(std::move(*joined), std::move(options), std::move(ranks),  // NOLINT: end
                       several_threads, goes_on);
    end_with_self();
    return report;
  }
  if (rank == 0) say(fmt::format("the MPI library has all calls: {}", against));
  const bool complete =
      std::ranges::none_of(all, [](const introduction& each) { return each.rank < 0; });
  // A job that some could not join is no job that others could leave together.
  if (joined && !complete) std::move(*joined).give_up();
  return report;
}

void session::end() {
  if (own_ == nullptr) return;
  try {
    const inside here(*own_);
    own_->requests.let_go_late();
    own_->open.finish(own_->here(), nullptr);
    own_->messages.end();
    own_->persistent.end();
  } catch (...) {
    own_->fail(own_->open.at());
  }
  session* going = std::exchange(own_, nullptr);
  delete going;  // NOLINT: made by begin
}

void session::fail(function in) const noexcept {
  const char* name = function_names[static_cast<std::size_t>(in)];
  try {
    throw;
  } catch (const error& failure) {
    joined_.abort(failure.exit_status(), fmt::format("{}: {}", name, failure.what()));
  } catch (const std::exception& failure) {
    joined_.abort(1, fmt::format("{}: {}", name, failure.what()));
  }
}

}  // namespace upwash::mpi
