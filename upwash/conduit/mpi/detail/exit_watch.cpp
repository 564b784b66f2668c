// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/exit_watch.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "upwash/base/first_voice.hpp"
#include "upwash/conduit/failure_line.hpp"

namespace upwash::conduit::mpi {
namespace {

constexpr int deserting_ms = 1000;  // for what the program still has to say
constexpr int failing_ms = 100;     // for others to fail alike, and see that it has been said
constexpr int ended_ms = 5000;      // for the launcher to end whoever has nothing to add

void sleep_ms(int ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

void say(int rank, std::string_view why) {
  std::fflush(nullptr);
  std::fprintf(stderr, "upwash: %s\n", failure_line(rank, why).c_str());
  std::fflush(stderr);
}

}  // namespace

exit_watch& exit_watch::make(std::unique_ptr<mpi_engine> engine) {
  auto* made = new exit_watch(std::move(engine));
  on_exit(&note_status, made);
  made->engine_->at_end(&at_end, made);
  return *made;
}

void exit_watch::end_job(int rank, int status, std::string_view why) noexcept {
  now_ = state::outside;
  if (!why.empty() && speaks_first(job_)) {
    say(rank, why);
    sleep_ms(failing_ms);
  } else if (!why.empty()) {
    sleep_ms(ended_ms);
  }
  engine_->abort(status);
  _exit(status);
}

void exit_watch::end_job_soon(int rank, std::string_view why) noexcept {
  now_ = state::deserting;
  if (speaks_first(job_)) say(rank, why);
  std::thread([this] {
    sleep_ms(deserting_ms);
    engine_->abort(1);
  }).detach();
}

void exit_watch::note_status(int status, void* self) {
  static_cast<exit_watch*>(self)->status_ = status & 0xff;
}

/// Objects of the program that hold a job may have left it only now.
void exit_watch::at_end(void* self) {
  auto& own = *static_cast<exit_watch*>(self);
  // Alone it keeps nobody waiting.
  if (own.now_ == state::outside || getpid() != own.pid_ || own.engine_->size() == 1) return;
  std::string why;
  if (own.now_ == state::inside) {
    why = fmt::format("{} exited with status {} before it had finished; job ended", own.name_,
                      own.status_);
  }
  own.end_job(-1, own.status_ != 0 ? own.status_ : 1, why);
}

}  // namespace upwash::conduit::mpi
