// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/running.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/core/host.hpp"
#include "upwash/observe/trace_files.hpp"
#include "upwash/runtime/detail/ending.hpp"

namespace upwash::runtime_detail {
namespace {

/// SIGUSR1 at any time: every rank of this process says what it waits for.
void install_report_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) { process::report_live_jobs(STDERR_FILENO); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace

int reported(const composition& parts, const int& failed, function_ref<int()> body) {
  try {
    return body();
  } catch (const conduit::rank_stopped&) {
    throw;  // another rank's error ends this one
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

void begin_process(composition& made, bool sharing_variables) {
  install_report_signal();  // first of all: a signal must not kill a rank that only starts
  process::tell_of_stack_overflow();
  keep_output_from_forks();
  compose(made);
  if (made.world->local_ranks() == 1) return;
  process::tell_who_ends_all();
  if (!made.options.checked) return;
  made.turns = std::make_unique<turn_watch>(made.values.time("turn_limit"), sharing_variables);
  made.world->watch_turns(*made.turns);
}

void end_process(const composition& parts) {
  keep_findings(parts);
  // Where there are other processes, who started them puts their parts together.
  const std::string& trace = parts.values.text("trace");
  if (!trace.empty() && parts.alone()) observe::merge_parts(trace);
  if (parts.boot) parts.boot->finished();
}

void run_all(const local_jobs& what, function_ref<void(job&)> body, int& failed) {
  const auto one_rank = [&](int rank) {
    try {
      job_options options = what.options;
      options.program = what.program(rank);
      const auto made =
          host::make(what.on.endpoint_of(rank), what.on.waiter_of(rank), rank, options);
      what.install(*made);
      body(*made);
    } catch (const conduit::rank_stopped&) {
      throw;  // not this one has failed
    } catch (...) {
      if (failed < 0) failed = rank;
      throw;
    }
  };
  what.on.run(one_rank);
}

}  // namespace upwash::runtime_detail
