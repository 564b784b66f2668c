// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/run.hpp"
#include "upwash/neighborhood/relay_family.hpp"
#include "upwash/runtime/run_on.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/runtime/detail/composition.hpp"
#include "upwash/runtime/detail/ending.hpp"
#include "upwash/runtime/detail/hosting.hpp"
#include "upwash/runtime/detail/running.hpp"

namespace upwash {
namespace {

using runtime_detail::compose;
using runtime_detail::composition;
using runtime_detail::install_layers;
using runtime_detail::keep_findings;
using runtime_detail::keep_output_from_forks;
using runtime_detail::leave_fork;
using runtime_detail::report;
using runtime_detail::reported;
using runtime_detail::run_all;

/// Where no rank has a program for itself.
const void* executable(int /*rank*/) { return nullptr; }

/// What a rank does in a process that is its own, or is told the program by a function.
void run_and_finish(job& here, function_ref<void(job&)> rank_main) {
  const pid_t process = getpid();
  rank_main(here);
  if (getpid() != process) leave_fork();
  host(here).finish();
}

/// The program's `run` in a copy of it that this process hosts.
int run_hosted(runtime_detail::hosted_rank& at, function_ref<int(job&)> rank_main,
               const additions& own) {
  const int failed = at.rank();
  return reported(at.parts(), failed, [&] {
    const int status = rank_main(at.join(own));
    if (getpid() != at.parts().process) leave_fork();
    at.leave();
    return status;
  });
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
  const auto whole = [&](job& here) { run_and_finish(here, rank_main); };
  run_all({on, options, install, executable}, whole, failed);
}

namespace detail {

int run_ranks(int /*argc*/, char** /*argv*/, function_ref<int(job&)> rank_main,
              const additions& own) {
  if (auto* at = runtime_detail::hosted_now()) return run_hosted(*at, rank_main, own);
  composition parts;
  parts.own = own;
  int failed = -1;
  return reported(parts, failed, [&] {
    runtime_detail::begin_process(parts, true);
    int status = 0;
    const auto one = [&](job& here) { status = std::max(status, rank_main(here)); };
    const auto whole = [&](job& here) { run_and_finish(here, one); };
    const auto install = [&](job& here) { install_layers(here, parts); };
    run_all({*parts.world, parts.options, install, executable}, whole, failed);
    runtime_detail::end_process(parts);
    return status;
  });
}

}  // namespace detail

struct attached_job::parts {
  std::unique_ptr<composition> made;  ///< null where this process hosts copies of the program
  std::unique_ptr<upwash::job> own;   ///< as this
  runtime_detail::hosted_rank* hosted = nullptr;
  const composition* composed = nullptr;
  upwash::job* here = nullptr;
  int exceptions = std::uncaught_exceptions();  ///< under way when the job was attached

  void finish() const {
    if (hosted != nullptr) return hosted->leave();
    host(*here).finish();
  }
};

attached_job::attached_job(std::unique_ptr<parts> made) : parts_(std::move(made)) {}
attached_job::attached_job(attached_job&&) noexcept = default;

attached_job::~attached_job() {
  if (!parts_) return;
  const composition& composed = *parts_->composed;
  if (getpid() != composed.process) {
    static_cast<void>(parts_.release());  // a forked child has the memory, and no place in the job
    return;
  }
  const int rank = parts_->here->rank();
  // An exception leaves the program's hands here: finishing would wait for ranks that wait for
  // this one. They are told, whatever becomes of it.
  if (std::uncaught_exceptions() > parts_->exceptions && composed.boot) {
    composed.boot->desert(rank, "an exception went past its attached job, which it left");
    return;
  }
  try {
    parts_->finish();
    if (parts_->hosted != nullptr) return;
    parts_->own.reset();
    keep_findings(composed);
    composed.boot->finished();
  } catch (const error& failure) {
    report(composed, rank, failure);
  } catch (const std::exception& failure) {
    report(composed, rank, error(error_kind::fault, failure.what()));
  }
}

job& attached_job::job() const noexcept { return *parts_->here; }

void attached_job::abort(int status, std::string_view why) const noexcept {
  runtime_detail::end_job(*parts_->composed, parts_->here->rank(), status, why);
  _exit(status);
}

void attached_job::give_up() && noexcept {
  if (parts_->composed->boot) parts_->composed->boot->finished();
  static_cast<void>(parts_.release());  // others may look at it
}

attached_job attach(int /*argc*/, char** /*argv*/, const additions& own) {
  auto made = std::make_unique<attached_job::parts>();
  if (auto* at = runtime_detail::hosted_now()) {
    made->hosted = at;
    made->composed = &at->parts();
    made->here = &at->join(own);
    return attached_job(std::move(made));
  }
  made->made = std::make_unique<composition>();
  composition& parts = *made->made;
  made->composed = &parts;
  parts.own = own;
  keep_output_from_forks();
  try {
    compose(parts);
  } catch (...) {
    if (parts.boot && own.goes_on_alone) parts.boot->finished();
    throw;
  }
  if (!parts.boot || parts.world->local_ranks() != 1) {
    throw error(error_kind::environment,
                "attach: one rank a process on a real conduit is wanted; set UPWASH_CONDUIT=shm "
                "and UPWASH_RANKS_PER_PROCESS=1, or start the program through upwash::run, or by "
                "upwash run --privatize");
  }
  const int rank = parts.world->first_rank();
  made->own =
      host::make(parts.world->endpoint_of(rank), parts.world->waiter_of(rank), rank, parts.options);
  made->here = made->own.get();
  install_layers(*made->here, parts);
  return attached_job(std::move(made));
}

}  // namespace upwash
