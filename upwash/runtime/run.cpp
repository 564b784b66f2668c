// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/run.hpp"
#include "upwash/neighborhood/relay_family.hpp"
#include "upwash/runtime/run_on.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/core/host.hpp"
#include "upwash/runtime/detail/composition.hpp"
#include "upwash/runtime/detail/ending.hpp"

namespace upwash {
namespace {

using runtime_detail::compose;
using runtime_detail::composition;
using runtime_detail::install_layers;
using runtime_detail::keep_output_from_forks;
using runtime_detail::keep_streams;
using runtime_detail::leave_fork;
using runtime_detail::report;
using runtime_detail::type_of_exception;

/// SIGUSR1 at any time: every rank of this process says what it waits for.
void install_report_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) { process::report_live_jobs(STDERR_FILENO); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

/// Every local rank of the world; `failed` becomes the first whose body, or end, threw.
void run_all(conduit::world& on, const job_options& options, function_ref<void(job&)> install,
             function_ref<void(job&)> rank_main, int& failed) {
  const auto one_rank = [&](int rank) {
    try {
      const auto made = host::make(on.endpoint_of(rank), on.waiter_of(rank), rank, options);
      job& here = *made;
      install(here);
      const pid_t process = getpid();
      rank_main(here);
      if (getpid() != process) leave_fork();
      host(here).finish();
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
  neighborhoods::add_algorithms(algorithms);
  tagged_edges edges;
  neighborhoods::machine_by_name machine("laptop");
  const auto install = [&](job& here) {
    runtime_detail::installation{{.algorithms = &algorithms, .tagged = &edges}, {}, {}, &machine}
        .on(here);
  };
  run_all(on, options, install, rank_main, failed);
}

namespace detail {

int run_ranks(int /*argc*/, char** /*argv*/, function_ref<int(job&)> rank_main,
              const additions& own) {
  composition parts;
  parts.own = own;
  int failed = -1;
  try {
    install_report_signal();  // first of all: a signal must not kill a rank that only starts
    process::tell_of_stack_overflow();
    keep_output_from_forks();
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
    host(*parts_->here).finish();
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

void attached_job::abort(int status, std::string_view why) const noexcept {
  runtime_detail::end_job(parts_->composed, parts_->composed.world->first_rank(), status, why);
  _exit(status);
}

attached_job attach(int /*argc*/, char** /*argv*/, const additions& own) {
  auto made = std::make_unique<attached_job::parts>();
  composition& parts = made->composed;
  parts.own = own;
  keep_output_from_forks();
  compose(parts);
  if (!parts.boot || parts.world->local_ranks() != 1) {
    throw error(error_kind::environment,
                "attach: one rank a process on a real conduit is wanted; set UPWASH_CONDUIT=shm "
                "and UPWASH_RANKS_PER_PROCESS=1, or start the program through upwash::run");
  }
  const int rank = parts.world->first_rank();
  made->here =
      host::make(parts.world->endpoint_of(rank), parts.world->waiter_of(rank), rank, parts.options);
  install_layers(*made->here, parts);
  return attached_job(std::move(made));
}

}  // namespace upwash
