// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/detail/exit_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>

#include "upwash/base/first_voice.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/conduit/failure_line.hpp"
#include "upwash/conduit/foreign/detail/quiet_thread.hpp"

namespace upwash::conduit::foreign {
namespace {

constexpr int deserting_ms = 1000;  // for what the program still has to say
constexpr int failing_ms = 100;     // for others to fail alike, and see that it has been said
constexpr int ended_ms = 5000;      // for the launcher to end whoever has nothing to add
constexpr int noticed_ms = 2000;    // for the launcher to notice a death, of which it knows more
constexpr int cut_off_ms =
    500;  // for the launcher to end a host's processes, if it is within reach

void sleep_ms(int ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

void say(int rank, std::string_view why) {
  std::fflush(nullptr);
  std::fprintf(stderr, "upwash: %s\n", failure_line(rank, why).c_str());
  std::fflush(stderr);
}

/// From a thread of ours: whatever the program holds locked, and before it is killed.
void write_line(const std::string& text) {
  const std::string line = fmt::format("upwash: {}\n", text);
  static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
}

}  // namespace

exit_watch& exit_watch::make(std::unique_ptr<foreign_engine> engine) {
  auto* made = new exit_watch(std::move(engine));
  on_exit(&note_status, made);
  made->engine_->at_end(&at_end, made);
  return *made;
}

/// What the library says of it goes nowhere: whoever ends the job has said why.
void exit_watch::abort(int status) noexcept {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  engine_->abort(status);
  _exit(status);  // GCC 12 sees a virtual function return that is not to
}

meeting_place exit_watch::watch_hosts(int self, int count, duration limit,
                                      std::vector<watched_process> here) {
  here_ = std::move(here);
  host_listener& listener = *this;
  hosts_ = std::make_unique<host_watch>(listener, self, count, limit);
  return hosts_->open();
}

void exit_watch::set_board(launcher_board* at) noexcept {
  const std::lock_guard hold(board_lock_);
  board_ = at;
}

void exit_watch::left() noexcept {
  now_ = state::outside;
  neighbor_.settle();
  if (hosts_) hosts_->leave();
}

void exit_watch::died(const std::string& text) noexcept {
  if (now_ == state::outside) return;
  if (speaks_first(job_)) write_line(text);
  sleep_ms(noticed_ms);
  abort(1);
}

void exit_watch::changed(const std::string& text) noexcept {
  if (now_ != state::outside) write_line(text);
}

/// The launcher may be where nothing comes from: this host's processes are ended without it.
void exit_watch::lost(const std::string& text, bool found_here) noexcept {
  if (now_ == state::outside) return;
  ended(text);
  // Also where another host has said it: those that die here need no word then.
  if (speaks_first(job_) && found_here) write_line(text);
  now_ = state::outside;
  start_without_signals([this] { end_host(); });
  abort(1);
}

void exit_watch::ended(const std::string& text) noexcept {
  const std::lock_guard hold(board_lock_);
  if (board_ != nullptr && now_ != state::outside) board_->lost(text);
}

void exit_watch::end_host() noexcept {
  sleep_ms(cut_off_ms);
  for (const watched_process& each : here_) {
    if (each.pid != pid_ && process_lives(each.pid, each.started)) kill(each.pid, SIGKILL);
  }
  _exit(1);
}

void exit_watch::end_job(int rank, int status, std::string_view why) noexcept {
  now_ = state::outside;
  neighbor_.settle();
  if (!why.empty() && speaks_first(job_)) {
    say(rank, why);
    sleep_ms(failing_ms);
  } else if (!why.empty()) {
    sleep_ms(ended_ms);
  }
  abort(status);
}

void exit_watch::end_job_soon(int rank, std::string_view why) noexcept {
  now_ = state::deserting;
  neighbor_.settle();
  if (speaks_first(job_)) say(rank, why);
  std::thread([this] {
    sleep_ms(deserting_ms);
    abort(1);
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

}  // namespace upwash::conduit::foreign
