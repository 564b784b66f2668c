// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/exit_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "upwash/conduit/failure_line.hpp"

namespace upwash::conduit::mpi {
namespace {

constexpr int deserting_ms = 1000;  // for what the program still has to say
// Processes that fail alike would all say so. MPI has nothing to agree by in the meantime, so they
// take turns: whoever was first has ended the job before the next speaks.
constexpr int turn_ms = 50;
constexpr int longest_turn_ms = 500;

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
  on_exit(&at_exit, made);
  return *made;
}

void exit_watch::end_job(int process, int rank, int status, std::string_view why) noexcept {
  now_ = state::outside;
  if (!why.empty()) {
    sleep_ms(std::min(process * turn_ms, longest_turn_ms));
    say(rank, why);
  }
  engine_->abort(status);
  _exit(status);
}

void exit_watch::end_job_soon(int rank, std::string_view why) noexcept {
  now_ = state::deserting;
  say(rank, why);
  std::thread([this] {
    sleep_ms(deserting_ms);
    engine_->abort(1);
  }).detach();
}

void exit_watch::at_exit(int status, void* self) {
  auto& own = *static_cast<exit_watch*>(self);
  // Alone it keeps nobody waiting.
  if (own.now_ == state::outside || getpid() != own.pid_ || own.engine_->size() == 1) return;
  if (own.now_ == state::inside) {
    say(-1, fmt::format("{} exited with status {} before it had finished; job ended", own.name_,
                        status));
  }
  own.now_ = state::outside;
  std::fflush(nullptr);
  own.engine_->abort(status != 0 ? status & 0xff : 1);
}

}  // namespace upwash::conduit::mpi
