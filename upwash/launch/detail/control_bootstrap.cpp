// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchange and end of a job over its control block.
#include "upwash/launch/detail/control_bootstrap.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {
namespace {

constexpr int max_named = 8;  // of the missing processes in an error
constexpr useconds_t until_launcher_sees = 500'000;

void nap(int turn) {
  // Start-up waits for processes that are still being started: the core is better theirs.
  if (turn < 64) {
    sched_yield();
  } else {
    const timespec pause{0, turn < 1024 ? 50'000 : 500'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

control_bootstrap::control_bootstrap(control_block block, int process, duration start_timeout,
                                     std::optional<meeting_place> place)
    : observe::hang_board(block.header().question),
      block_(std::move(block)),
      layout_(block_.layout()),
      process_(process),
      start_timeout_(start_timeout),
      launcher_(!place),
      place_(std::move(place)) {
  process_slot& mine = block_.slot(process);
  auto expected = process_state::absent;
  if (!mine.state.compare_exchange_strong(expected, process_state::attached)) {
    throw error(error_kind::environment,
                fmt::format("process {} of this job is another program already (pid {}): each "
                            "process that a launcher starts can be one program of upwash",
                            process, mine.pid.load()));
  }
  mine.started = process_started(getpid());
  mine.running.store(-1);
  mine.pid.store(getpid());
  process::show_current_rank(&mine.running);
  const std::uint32_t before = block_.header().attached.fetch_add(1);
  if (launcher_) return;
  if (before + 1 == block_.header().processes) close_place();
  watch_ = std::make_unique<peer_watch>(block_, layout_, process_);
}

control_bootstrap::~control_bootstrap() {
  process::show_current_rank(nullptr);
  close_place();
}

void control_bootstrap::close_place() noexcept {
  if (place_) place_->close();
  place_.reset();
}

int control_bootstrap::node_of(int process) const noexcept {
  return static_cast<int>(block_.slot(process).node);
}

std::string_view control_bootstrap::host_of(int node) const noexcept {
  return block_.node(node).host.data();
}

/// Wakes who carries to other nodes what this process has just published.
void control_bootstrap::ring() const noexcept {
  const int bell = block_.header().bell;
  if (bell >= 0) eventfd_write(bell, 1);
}

void control_bootstrap::exchange(std::span<const std::byte> mine, std::span<std::byte> all) {
  const auto count = static_cast<std::size_t>(process_count());
  if (mine.size() > conduit::max_blob_bytes || all.size() != mine.size() * count) {
    throw error(error_kind::argument,
                fmt::format("exchange of {} bytes into {} for {} processes; at most {} a process",
                            mine.size(), all.size(), count, conduit::max_blob_bytes));
  }
  const std::uint32_t generation = generation_++;
  process_slot& slot = block_.slot(process_);
  slot.blob_bytes[generation % 2] = static_cast<std::uint32_t>(mine.size());
  if (!mine.empty()) std::memcpy(slot.blobs[generation % 2].data(), mine.data(), mine.size());
  // Release: the blob is visible to whoever sees the new generation.
  slot.generation.store(generation + 1, std::memory_order_release);
  ring();
  await_all(generation + 1);
  for (std::size_t p = 0; p < count && !mine.empty(); ++p) {
    std::memcpy(all.data() + p * mine.size(),
                block_.slot(static_cast<int>(p)).blobs[generation % 2].data(), mine.size());
  }
  place_.reset();  // whoever came last has closed it
}

void control_bootstrap::await_all(std::uint32_t generation) {
  const duration start = steady_now();
  int turn = 0;
  for (int p = 0; p < process_count();) {
    // Acquire: pairs with the release above. The difference is signed: the others may be ahead.
    const std::uint32_t seen = block_.slot(p).generation.load(std::memory_order_acquire);
    if (static_cast<std::int32_t>(seen - generation) >= 0) {
      ++p;
      continue;
    }
    if (block_.header().failed.load() != 0) check_missing(generation, "the job failed");
    if (watch_ && watch_->look()) check_missing(generation, "a process died");
    if (steady_now() - start > start_timeout_) {
      check_missing(generation, "the knob start_timeout has passed");
    }
    nap(turn++);
  }
}

void control_bootstrap::check_missing(std::uint32_t generation, const char* what) {
  std::string names;
  int found = 0;
  for (int p = 0; p < process_count(); ++p) {
    const std::uint32_t seen = block_.slot(p).generation.load();
    if (static_cast<std::int32_t>(seen - generation) >= 0) continue;
    if (++found <= max_named) names += fmt::format("{}{}", names.empty() ? "" : ", ", p);
  }
  if (found == 0) return;
  if (found > max_named) names += fmt::format(" and {} more", found - max_named);
  close_place();
  throw error(error_kind::fault,
              fmt::format("{} while process {} of {} waited for process {} (start_timeout {:g} s, "
                          "UPWASH_START_TIMEOUT)",
                          what, process_, process_count(), names, start_timeout_.seconds()));
}

void control_bootstrap::finished() noexcept {
  block_.slot(process_).state.store(process_state::finished);
}

void control_bootstrap::abort(int rank, int status, std::string_view why) noexcept {
  std::fflush(nullptr);
  close_place();
  if (!why.empty()) block_.fail(rank, status, why, !launcher_);
  // Another launcher ends the job with the status of the process that died, if that is the first
  // one that it sees end.
  if (watch_ && watch_->look()) usleep(until_launcher_sees);
  _exit(block_.failure_told() ? block_.header().failed_status : status);
}

void control_bootstrap::desert(int rank, std::string_view why) noexcept {
  close_place();
  std::fflush(nullptr);
  block_.fail(rank, 1, why, !launcher_, process_);
  ring();
}

void control_bootstrap::answer(const observe::standing& mine, std::uint32_t question) noexcept {
  observe::standing told = mine;
  told.process = getpid();
  block_.standing(mine.rank).write(told, question);
}

/// The first process whose rank hangs gathers what all are in, where no launcher does.
void control_bootstrap::tell_of_hang() noexcept {
  block_.header().hangs.fetch_add(1);
  std::int32_t nobody = 0;
  if (!launcher_ && block_.header().gatherer.compare_exchange_strong(nobody, getpid())) {
    gatherer_.emplace(block_);
  }
}

void control_bootstrap::look() {
  if (!gatherer_) return;
  if (const auto text = gatherer_->look(steady_now())) {
    std::fprintf(stderr, "upwash: %s", text->c_str());
  }
}

bool control_bootstrap::failed() const noexcept {
  // Relaxed: nothing is read on the strength of it but by seq_cst loads.
  if (block_.header().failed.load(std::memory_order_relaxed) != 0) return true;
  return watch_ && watch_->look();
}

}  // namespace upwash::launch::detail
