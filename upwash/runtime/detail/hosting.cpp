// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/detail/hosting.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/team.hpp"
#include "upwash/runtime/detail/ending.hpp"
#include "upwash/runtime/privatized.hpp"

namespace upwash {
namespace runtime_detail {
namespace {

// Decision 19: programs call `run`, C names and exit without saying for which rank.
constinit std::atomic<hosting*> hosts{nullptr};

/// What the program's calls of exit become.
[[noreturn]] void exit_of_rank(int status) {
  hosted_rank* here = hosted_now();
  if (here == nullptr) std::exit(status);
  here->exit(status);
}

/// For lines of the C library, and for whoever lists processes.
void name_process(const char* path) {
  const char* slash = std::strrchr(path, '/');
  program_invocation_name = const_cast<char*>(path);
  program_invocation_short_name = const_cast<char*>(slash != nullptr ? slash + 1 : path);
  prctl(PR_SET_NAME, program_invocation_short_name);
}

/// And of sched_yield, by which programs wait for what others write: ranks of this process would
/// never come to it.
int yield_of_rank() {
  if (hosted_rank* here = hosted_now()) here->give_way();
  return sched_yield();
}

}  // namespace

hosted_rank::hosted_rank(const composition& parts, int rank, privatize::private_copy copy,
                         const std::vector<std::string>& arguments)
    : parts_(parts), rank_(rank), copy_(std::move(copy)), words_(arguments) {
  for (std::string& word : words_) argv_.push_back(word.data());
  argv_.push_back(nullptr);
  copy_.redirect("exit", reinterpret_cast<const void*>(&exit_of_rank));
  copy_.redirect("sched_yield", reinterpret_cast<const void*>(&yield_of_rank));
}

int hosted_rank::live(upwash::job& here) {
  here_ = &here;
  // exit leaves frames of the program as they are, as in a process of its own.
  if (setjmp(end_) == 0) run_program();
  if (getpid() != parts_.process) exit(status_);
  if (winding_up_) {
    end_job(parts_, rank_, status_ != 0 ? status_ : 1, "exit was called while the rank ended");
  }
  winding_up_ = true;
  wind_up();
  return status_;
}

void hosted_rank::run_program() {
  const int count = static_cast<int>(words_.size());
  optind = 1;  // the C library's place in the last rank's arguments
  copy_.construct(count, argv_.data(), environ);
  status_ = copy_.run_main(count, argv_.data(), environ);
}

void hosted_rank::exit(int status) {
  if (getpid() != parts_.process) {  // a forked child: the other ranks' ends are not its own
    copy_.destruct();
    std::fflush(nullptr);
    _exit(status);
  }
  status_ = status & 0xFF;
  std::longjmp(end_, 1);
}

void hosted_rank::give_way() const {
  if (here_->in_handler()) return;
  if (parts_.simulated) {
    here_->progress();  // virtual time passes there
  } else {
    parts_.world->waiter_of(rank_).yield(rank_);
  }
}

/// Each rank says once whether its program has joined the job; all or none must have.
bool hosted_rank::all_alike(bool joined) const {
  std::array<std::uint64_t, 1> joins{joined ? 1U : 0U};
  control::all_reduce(here_->world(), joins, control::fold::sum);
  return joins[0] == (joined ? static_cast<std::uint64_t>(here_->size()) : 0);
}

void hosted_rank::wind_up() {
  copy_.destruct();
  while (!at_end_.empty()) {
    const auto what = at_end_.back();
    at_end_.pop_back();
    what();
  }
  if (now_ == stage::joined) {
    end_job(parts_, rank_, status_ != 0 ? status_ : 1,
            fmt::format("its program ended with status {} before it had left the job", status_));
  }
  if (now_ == stage::outside) {
    if (status_ != 0) {
      end_job(parts_, rank_, status_, fmt::format("its program ended with status {}", status_));
    } else if (!all_alike(false)) {
      end_job(parts_, rank_, 1,
              "its program ended with status 0 before it had joined the job, as others have");
    }
    host(*here_).finish();
  }
  now_ = stage::ended;
}

upwash::job& hosted_rank::join(const additions& own) {
  if (now_ != stage::outside) {
    throw error(error_kind::argument,
                fmt::format("rank {} {} its job: run() and attach() join the "
                            "job of upwash run once",
                            rank_, now_ == stage::joined ? "is in" : "has left"));
  }
  if (own.add_algorithms != nullptr) {
    throw error(
        error_kind::argument,
        "a program that adds algorithms cannot run with --privatize: all ranks of a process "
        "choose among the same");
  }
  static_cast<void>(all_alike(true));  // those that have not say so
  now_ = stage::joined;
  return *here_;
}

void hosted_rank::leave() {
  host(*here_).finish();
  now_ = stage::left;
}

hosting::hosting(const composition& parts, const privatize::program_file& program,
                 const std::vector<std::string>& arguments)
    : parts_(parts), driver_(std::this_thread::get_id()) {
  name_process(program.path().c_str());
  const int first = parts.world->first_rank();
  for (int rank = first; rank < first + parts.world->local_ranks(); ++rank) {
    process::set_current_rank(rank);
    const std::string name = fmt::format("rank {}", rank);
    ranks_.push_back(std::make_unique<hosted_rank>(
        parts, rank, privatize::private_copy(program, name.c_str()), arguments));
  }
  process::set_current_rank(-1);
  hosts.store(this);
  on_exit(&at_exit, this);
}

hosting::~hosting() { hosts.store(nullptr); }

hosted_rank& hosting::of(int rank) {
  return *ranks_[static_cast<std::size_t>(rank - parts_.world->first_rank())];
}

/// A library, or a thread, ended the process while ranks of it still ran.
void hosting::at_exit(int status, void* self) {
  if (hosts.load() != self) return;
  const hosting& own = *static_cast<const hosting*>(self);
  if (getpid() != own.parts_.process) return;
  const bool ended = std::ranges::all_of(own.ranks_, [](const auto& one) { return one->ended(); });
  if (ended) return;
  end_job(
      own.parts_, process::current_rank(), status != 0 ? status : 1,
      fmt::format("a library or a thread of the program called exit({}), which ends all ranks of "
                  "the process",
                  status));
  _exit(status != 0 ? status : 1);
}

hosted_rank* hosted_now() noexcept {
  hosting* all = hosts.load(std::memory_order_relaxed);
  if (all == nullptr || all->driver_ != std::this_thread::get_id()) return nullptr;
  const int rank = process::current_rank();
  const int local = rank - all->parts_.world->first_rank();
  if (rank < 0 || local >= static_cast<int>(all->ranks_.size())) return nullptr;
  return all->ranks_[static_cast<std::size_t>(local)].get();
}

}  // namespace runtime_detail

bool privatized() noexcept {
  return runtime_detail::hosts.load(std::memory_order_relaxed) != nullptr;
}

void at_end_of_rank(void (*leave)()) {
  if (auto* here = runtime_detail::hosted_now()) return here->at_end(leave);
  static_cast<void>(std::atexit(leave));
}

}  // namespace upwash
