// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/ending.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "upwash/base/log.hpp"
#include "upwash/launch/bootstrap.hpp"

namespace upwash::runtime_detail {

void end_job(const composition& parts, int rank, int status, std::string_view why) {
  std::fflush(nullptr);
  if (getpid() != parts.process) {  // a child that the program forked: the job goes on without it
    fmt::print(stderr, "upwash: a forked child of rank {}: {}\n", rank, why);
    std::fflush(nullptr);
    _exit(status);
  }
  const int named = parts.world && parts.world->size() > 1 ? rank : -1;
  if (!parts.boot) {
    launch::abort_start(status, why);
  } else if (launched(parts.values) || parts.boot->process_count() > 1) {
    parts.boot->abort(named, status, why);
  }
  fmt::print(stderr, "upwash: {}\n", launch::failure_line(named, why));
  std::fflush(nullptr);
}

int report(const composition& parts, int rank, const error& failure) {
  end_job(parts, rank, failure.exit_status(), failure.what());
  return failure.exit_status();
}

std::string type_of_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "unknown";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type->name();
}

void keep_findings(const composition& parts) {
  const tuning::tuning_request asked = parts.tuning();
  if (!asked.keeps() || parts.world->first_rank() != 0) return;
  tuning::knowledge fresh = parts.streams->fresh();
  fresh.merge(parts.selects.front()->prices().fresh(asked.build, parts.algorithms));
  if (fresh.empty()) return;
  try {
    tuning::add_to_file(asked.asked, fresh,
                        tuning::origin_of(asked.conduit, asked.simulated_machine()),
                        parts.algorithms);
  } catch (const error& wrong) {
    log(log_level::warning, "tuning",
        fmt::format("what was found out is not kept: {}", wrong.what()));
  }
}

void keep_output_from_forks() {
  [[maybe_unused]] static const int told =  // once a process: it cannot be taken back
      pthread_atfork(nullptr, nullptr, [] {
        __fpurge(stdout);
        __fpurge(stderr);
      });
}

void leave_fork() {
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace upwash::runtime_detail
