// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that only meet: what the launcher does for a job, without a conduit.
//   meeting exchange COUNT   all-gathers of many sizes, checked; where everybody is; the mean time
//   meeting wait             "talking", then for ever, however the job ends
//   meeting sleep|compute SECONDS   the last process does so between two barriers
//   meeting abort|early|leave|desert   process 1 does so once all have met
//   meeting status NUMBER    a good end, with this status of process 1
//   meeting hang             process 1 waits too long, the others wait for it; tells what it is in
//   meeting print COUNT      so many lines, and many more in pieces
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/knobs.hpp"

namespace {

using namespace upwash;

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

std::uint8_t byte_of(int process, int round, std::size_t at) {
  return static_cast<std::uint8_t>(process * 31 + round * 7 + static_cast<int>(at));
}

/// Whether all that came is what the others had to say.
bool exchanged(conduit::bootstrap& boot, int round) {
  const std::size_t bytes = static_cast<std::size_t>(round * 37) % (conduit::max_blob_bytes + 1);
  std::vector<std::uint8_t> mine(bytes);
  for (std::size_t i = 0; i < bytes; ++i) mine[i] = byte_of(boot.process(), round, i);
  std::vector<std::uint8_t> all(bytes * static_cast<std::size_t>(boot.process_count()));
  boot.exchange(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != byte_of(static_cast<int>(i / bytes), round, i % bytes)) return false;
  }
  return true;
}

void exchange(conduit::bootstrap& boot, int count) {
  std::string places;
  for (int p = 0; p < boot.process_count(); ++p) {
    places += fmt::format(" {}@{}", boot.layout().first_of(p), boot.node_of(p));
  }
  say(fmt::format("process {} on host {}, ranks at nodes:{}", boot.process(),
                  boot.host_of(boot.node_of(boot.process())), places));
  boot.barrier();
  const duration begin = steady_now();
  for (int round = 0; round < count; ++round) {
    if (!exchanged(boot, round)) boot.abort(boot.process(), 1, "an exchange went wrong");
  }
  if (boot.process() != 0) return;
  std::printf("%.1f us an exchange\n", (steady_now() - begin).us() / count);
}

[[noreturn]] void wait(const conduit::bootstrap& boot) {
  say("talking");
  while (!boot.failed()) usleep(1000);
  for (;;) pause();  // whoever has seen it does not end by itself
}

void keep_busy(conduit::bootstrap& boot, bool compute, double seconds) {
  boot.barrier();
  if (boot.process() == boot.process_count() - 1) {
    const duration begin = steady_now();
    if (!compute) usleep(static_cast<useconds_t>(seconds * 1e6));
    while (compute && (steady_now() - begin).seconds() < seconds) {
    }
  }
  boot.barrier();
  say("went on");
}

void hang(conduit::bootstrap& boot) {
  boot.barrier();
  observe::hang_board& board = *boot.hang_board();
  if (boot.process() == 1) board.tell_of_hang();
  // The last one does not answer. It hardly ever runs, so whoever looks at it sees it asleep.
  if (boot.process() == boot.process_count() - 1) {
    while (!boot.failed()) usleep(100'000);
    return;
  }
  std::uint32_t answered = 0;
  while (!boot.failed()) {
    usleep(1000);
    const std::uint32_t question = board.question().load();
    if (question == answered) continue;
    answered = question;
    observe::standing is;
    is.rank = boot.layout().first_of(boot.process());
    is.now = observe::doing::waits;
    is.operation = "meeting";
    is.peer = boot.process() == 1 ? boot.process_count() - 1 : 1;
    is.waited_ps = duration::from_seconds(61 + boot.process()).ps();
    board.answer(is, question);
  }
}

void print(const conduit::bootstrap& boot, int count) {
  const std::string name = std::to_string(boot.process());
  for (int i = 0; i < count; ++i) std::printf("%s: line %d\n", name.c_str(), i);
  std::fflush(stdout);
  for (int i = 0; i < count; ++i) {
    std::printf("%s: pie", name.c_str());
    if (i % 100 == 0) std::fflush(stdout);
    std::printf("ces %d\n", i);
  }
}

void play(conduit::bootstrap& boot, std::string_view role, const char* value) {
  const bool one = boot.process() == 1;
  const int number = value != nullptr ? std::atoi(value) : 0;
  if (role == "exchange") exchange(boot, number);
  if (role == "sleep" || role == "compute") keep_busy(boot, role == "compute", std::atof(value));
  if (role == "print") print(boot, number);
  if (role == "hang") hang(boot);
  boot.barrier();
  if (role == "wait") wait(boot);
  if (one && role == "abort") boot.abort(1, 3, "out of luck");
  if (one && role == "early") _exit(0);
  if (one && role == "leave") _exit(7);
  if (one && role == "desert") {
    boot.desert(1, "must leave");
    say("something more to tell");
    usleep(100'000);
    _exit(1);
  }
  if (role == "abort" || role == "early" || role == "leave" || role == "desert") wait(boot);
  boot.barrier();
  boot.finished();
  std::fflush(stdout);
  if (one && role == "status") _exit(number);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    knob_table table;
    base_knobs(table);
    launch::launch_knobs(table);
    const knob conduit_row{"conduit", knob_type::text, "shm", "set by upwash run"};
    table.add({&conduit_row, 1});
    const auto boot = launch::make_bootstrap(settings::from_environment(table));
    try {
      play(*boot, argc > 1 ? argv[1] : "exchange", argc > 2 ? argv[2] : nullptr);
    } catch (const error& problem) {
      if (!boot->failed()) boot->abort(-1, problem.exit_status(), problem.what());
      return problem.exit_status();
    }
  } catch (const error& problem) {
    std::fprintf(stderr, "meeting: %s\n", problem.what());
    return problem.exit_status();
  }
  return 0;
}
