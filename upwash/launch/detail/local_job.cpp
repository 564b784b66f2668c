// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/local_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/group_limits.hpp"
#include "upwash/base/private_memfd.hpp"
#include "upwash/base/process.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/detail/cores.hpp"
#include "upwash/launch/detail/left_segments.hpp"

namespace upwash::launch::detail {
namespace {

const duration time_to_tell = duration::from_seconds(1);  // for a rank that deserts its job

std::string place_of(const std::string& host) {
  return host.empty() ? std::string() : fmt::format(" on host {}", host);
}

}  // namespace

local_job::local_job(const launch_options& options, const job_map& map, int node, output_sink& sink,
                     overseer& above)
    : options_(options),
      layout_(map.layout()),
      first_process_(map.first_process(node)),
      process_count_(map.process_count(node)),
      place_(place_of(map.hosts[static_cast<std::size_t>(node)])),
      sink_(sink),
      above_(above),
      spared_(own_children()),
      control_fd_(private_memfd("upwash-control")),
      kills_before_(kills_for_memory()) {
  static_cast<void>(process::raise_descriptor_limit());  // it takes three for each process
  if (control_fd_ < 0) throw system_error("cannot make the job's control block", errno);
  block_ = control_block::create(control_fd_, map);
  if (map.hosts.front().empty()) return;
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell_ < 0) throw system_error("cannot make the bell of the job's processes", errno);
  block_.header().bell = bell_;
}

local_job::~local_job() {
  // Reached with living children only when something threw.
  kill_groups(children_);
  for (child& one : children_) {
    if (!one.reaped) waitpid(one.pid, nullptr, 0);
    for (const int fd : {one.pidfd, one.standard_out, one.standard_error}) {
      if (fd >= 0) close(fd);
    }
  }
  kill_orphans(spared_);
  for (const int fd : {control_fd_, bell_}) {
    if (fd >= 0) close(fd);
  }
}

/// "rank 3 (pid 71)", or "ranks 3 to 5 (pid 71 on host b)".
std::string local_job::name_of(std::size_t child) const {
  const int first = layout_.first_of(process_of(child));
  const int last = first + layout_.count_of(process_of(child)) - 1;
  const auto where = fmt::format("(pid {}{})", children_[child].pid, place_);
  if (first == last) return fmt::format("rank {} {}", first, where);
  return fmt::format("ranks {} {} {} {}", first, last == first + 1 ? "and" : "to", last, where);
}

/// "[3] ", or "[3-5] "
std::string local_job::label_of(int process) const {
  const int first = layout_.first_of(process);
  const int last = first + layout_.count_of(process) - 1;
  return first == last ? fmt::format("[{}] ", first) : fmt::format("[{}-{}] ", first, last);
}

bool local_job::all_reaped() const noexcept {
  return std::all_of(children_.begin(), children_.end(), [](const child& c) { return c.reaped; });
}

void local_job::start() {
  auto added = options_.environment;
  added.push_back(fmt::format("UPWASH_BOOT_CONTROL={}", control_fd_));
  added.push_back(fmt::format("UPWASH_BOOT_FOLDER={}", folder_.path()));
  added.emplace_back("UPWASH_BOOT_PROCESS=0");
  const std::size_t number_at = added.size() - 1;
  auto environment = environment_with(added);
  auto program = options_.program;
  std::vector<cpu_set_t> cores;
  if (options_.bind == binding::core) cores = usable_core_sets();
  start_plan plan;
  for (auto& one : program) plan.arguments.push_back(one.data());
  for (auto& one : environment) plan.environment.push_back(one.data());
  plan.arguments.push_back(nullptr);
  plan.environment.push_back(nullptr);
  plan.inherited = {control_fd_, bell_};
  if (!cores.empty()) plan.cores = &cores;
  start_all(plan, number_at);
}

void local_job::start_all(start_plan& plan, std::size_t number_at) {
  start_report report;
  plan.report = report.to_tell();
  for (int i = 0; i < process_count_; ++i) {
    const int process = first_process_ + i;
    std::string number = fmt::format("UPWASH_BOOT_PROCESS={}", process);
    plan.environment[number_at] = number.data();
    children_.push_back(start_child(plan, i));
    const int first = layout_.first_of(process);
    for (const bool standard_error : {false, true}) {
      readers_.emplace_back(first, standard_error,
                            options_.prefix ? label_of(process) : std::string());
    }
  }
  const int why = report.error_number();
  if (why == 0) return;
  end(start_failed_status,
      fmt::format("cannot start '{}'{}: {}", options_.program[0], place_, std::strerror(why)));
}

void local_job::say(const std::string& text) {
  sink_.line(-1, true, fmt::format("upwash: {}\n", text));
}

void local_job::stop(int status, const std::string& why) {
  if (ended_) return;
  ended_ = true;
  status_ = status;
  block_.fail(-1, status, why, false);
  kill_groups(children_);
  drain_all();
}

void local_job::end(int status, const std::string& why) {
  if (ended_) return;
  stop(status, why);
  above_.failed(status, why);
}

void local_job::drain_all() {
  for (std::size_t c = 0; c < children_.size(); ++c) {
    readers_[2 * c].drain(children_[c].standard_out, sink_);
    readers_[2 * c + 1].drain(children_[c].standard_error, sink_);
  }
}

void local_job::wait_for_events() {
  std::vector<pollfd> fds{{attention_.fd(), POLLIN, 0}};
  const bool takes_out = above_.takes_output(false);
  const bool takes_error = above_.takes_output(true);
  for (const child& one : children_) {
    // Negative descriptors are passed over.
    fds.push_back({one.pidfd, POLLIN, 0});
    fds.push_back({takes_out ? one.standard_out : -1, POLLIN, 0});
    fds.push_back({takes_error ? one.standard_error : -1, POLLIN, 0});
  }
  above_.add_descriptors(fds);
  if (poll(fds.data(), fds.size(), poll_ms) < 0 && errno != EINTR) {
    throw system_error("cannot wait for the job's processes", errno);
  }
  for (int signal = attention_.next(); signal != 0; signal = attention_.next()) {
    handle_signal(signal);
  }
  for (std::size_t c = 0; c < children_.size(); ++c) {
    if ((fds[3 * c + 2].revents) != 0) readers_[2 * c].drain(children_[c].standard_out, sink_);
    if ((fds[3 * c + 3].revents) != 0) {
      readers_[2 * c + 1].drain(children_[c].standard_error, sink_);
    }
    const bool asked_for = children_[c].pidfd < 0;
    if ((asked_for || fds[3 * c + 1].revents != 0) && reap(children_[c])) handle_death(c);
  }
}

void local_job::handle_signal(int signal) {
  if (signal == SIGUSR1) return above_.asked();
  if (signal == SIGTSTP) {
    suspend();
    attention::stop_process();
    return resume();
  }
  end(128 + signal, fmt::format("signal {} ({}){}; job ended", signal, strsignal(signal), place_));
}

void local_job::send_to_groups(int signal) const {
  for (const child& one : children_) {
    if (!one.reaped) kill(-one.pid, signal);
  }
}

void local_job::suspend() { send_to_groups(SIGSTOP); }

void local_job::resume() {
  forget_stops();
  send_to_groups(SIGCONT);
}

/// Ranks that this process has stopped itself are no news.
void local_job::forget_stops() {
  siginfo_t info{};
  while (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid != 0) info = {};
}

void local_job::pass_on_question() const {
  // Only to ranks that have a handler: others, front ends without one too, would die of it.
  for (std::size_t c = 0; c < children_.size(); ++c) {
    const process_slot& slot = slot_of(c);
    const pid_t pid = slot.pid.load();
    if (slot.state.load() == process_state::attached && pid > 0 && catches(pid, SIGUSR1)) {
      kill(pid, SIGUSR1);
    }
  }
}

/// Ends the job when one of its processes has left a reason to.
bool local_job::end_by_abort() {
  if (!block_.failure_told()) return false;
  const control_header& header = block_.header();
  if (header.failed_teller >= 0) {
    // Until it has ended, or has had its time, the deaths of others are no news.
    if (told_since_ == duration{}) told_since_ = steady_now();
    const auto teller = static_cast<std::size_t>(header.failed_teller - first_process_);
    if (!children_[teller].reaped && steady_now() - told_since_ < time_to_tell) return true;
  }
  end(header.failed_status, failure_line(header.failed_rank, header.failed_text.data()));
  return true;
}

/// What is known of the reason why the kernel, or a limit, has killed a process.
std::string local_job::why_killed(const child& one, int signal) const {
  if (signal == SIGXFSZ) {
    return ": the limit of file sizes counts for the memory that ranks share, too; raise it "
           "(ulimit -f)";
  }
  if (signal != SIGKILL || kills_for_memory() == kills_before_) return {};
  return fmt::format(
      ": the kernel has run out of memory; this process held {:.1f} MiB, of {} ranks here: start "
      "fewer, or let each hold less",
      static_cast<double>(one.most_memory) / (1 << 20), end_rank() - first_rank());
}

void local_job::handle_death(std::size_t child) {
  if (ended_) return;
  const int status = children_[child].status;
  const bool killed = WIFSIGNALED(status);
  const int number = killed ? WTERMSIG(status) : WEXITSTATUS(status);
  const auto state = slot_of(child).state.load();
  if (!killed && state == process_state::finished) {
    // It has said itself what there is to say; the others finish too.
    if (status_ == 0) status_ = number;
    return;
  }
  if (!killed && number == 0 && state == process_state::absent) {
    early_.push_back(child);
    return;
  }
  const std::string name = name_of(child);
  if (!killed && end_by_abort()) return;
  if (killed) {
    end(128 + number, fmt::format("{} {} killed by signal {} ({}){}; job ended", name,
                                  one_rank(child) ? "was" : "were", number, strsignal(number),
                                  why_killed(children_[child], number)));
  } else if (number == 0) {
    end(1, fmt::format("{} exited with status 0 before it had finished; job ended", name));
  } else {
    end(number, fmt::format("{} exited with status {}; job ended", name, number));
  }
}

std::string local_job::early_exit() const {
  if (early_.empty()) return {};
  return fmt::format("{} exited with status 0 before it had joined the job; job ended",
                     name_of(early_.front()));
}

/// A program that is no upwash program may come and go. But where some processes form a job, one
/// that left without having joined is missing for ever.
void local_job::check_early_exits() {
  if (ended_ || early_.empty() || block_.header().attached.load() == 0) return;
  end(1, early_exit());
}

/// Of stopped ranks, and of those that go on: who was stopped for shorter than between two looks
/// has no line of either kind.
void local_job::tell_stopped(std::size_t which, const siginfo_t& info) {
  child& process = children_[which];
  const bool goes_on = info.si_code == CLD_CONTINUED;
  if (goes_on && !process.told_stopped) return;
  process.told_stopped = !goes_on;
  const std::string name = name_of(which);
  const bool one = one_rank(which);
  say(goes_on ? fmt::format("{} {} on", name, one ? "goes" : "go")
              : fmt::format("{} {} stopped by signal {} ({}); kill -CONT {}{} lets {} go on", name,
                            one ? "is" : "are", info.si_status, strsignal(info.si_status),
                            info.si_pid, place_, one ? "it" : "them"));
}

/// A stopped rank stops the others as well, which wait for it: nobody else would say why.
void local_job::look_for_stopped() {
  siginfo_t info{};
  while (!ended_ && waitid(P_ALL, 0, &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
         info.si_pid != 0) {
    for (std::size_t c = 0; c < children_.size(); ++c) {
      if (children_[c].pid == info.si_pid) tell_stopped(c, info);
    }
    info = {};
  }
}

/// What processes that were killed could not take with them.
void local_job::clear_up() const {
  std::vector<pid_t> makers;
  for (std::size_t c = 0; c < children_.size(); ++c) {
    makers.push_back(children_[c].pid);
    makers.push_back(slot_of(c).pid.load());  // another one behind a shell
  }
  remove_segments_of(makers);
}

int local_job::run() {
  start();
  while (!all_reaped()) {
    wait_for_events();
    look_for_stopped();
    above_.look();
    check_early_exits();
    if (!ended_ && block_.header().failed.load() != 0) end_by_abort();
  }
  kill_orphans(spared_);
  if (ended_) clear_up();
  drain_all();
  for (auto& reader : readers_) reader.finish(sink_);
  return status_;
}

}  // namespace upwash::launch::detail
