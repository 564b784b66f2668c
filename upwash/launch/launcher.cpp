// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher's loop: pipes, deaths, signals and the clock in one poll.
#include "upwash/launch/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/detail/child.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/cores.hpp"
#include "upwash/launch/detail/hang_gatherer.hpp"
#include "upwash/launch/detail/output.hpp"
#include "upwash/launch/detail/process_facts.hpp"

namespace upwash::launch {
namespace {

using detail::child;
using detail::process_state;

constexpr int poll_ms = 100;  // for a job that fails by its flag alone
constexpr int start_failed_status = 2;
const duration time_to_tell = duration::from_seconds(1);  // for a rank that deserts its job

/// The signals that the launcher takes, as a descriptor, while it lives; and its being the parent
/// of whatever its processes leave behind.
class attention {
 public:
  attention() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&wanted, one);
    sigprocmask(SIG_BLOCK, &wanted, &before_);
    fd_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~attention() {
    if (fd_ >= 0) close(fd_);
    prctl(PR_SET_CHILD_SUBREAPER, was_reaper_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  attention(const attention&) = delete;
  attention& operator=(const attention&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

  /// The next signal that came, or 0.
  [[nodiscard]] int next() const {
    signalfd_siginfo info{};
    return read(fd_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_{};
  int fd_ = -1;
  int was_reaper_ = 0;
};

conduit::rank_layout layout_of(const launch_options& options) {
  return conduit::rank_layout::even(options.ranks,
                                    options.processes == 0 ? options.ranks : options.processes);
}

class job {
 public:
  explicit job(const launch_options& options);
  ~job();
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  int run();

 private:
  [[nodiscard]] int processes() const { return layout_.processes(); }
  /// The first of those that the process hosts.
  [[nodiscard]] int rank_of(std::size_t process) const {
    return layout_.first_of(static_cast<int>(process));
  }
  /// "rank 3 (pid 71)", or "ranks 3 to 5 (pid 71)".
  [[nodiscard]] std::string name_of(std::size_t process) const {
    const int first = rank_of(process);
    const int last = first + layout_.count_of(static_cast<int>(process)) - 1;
    const pid_t pid = children_[process].pid;
    if (first == last) return fmt::format("rank {} (pid {})", first, pid);
    return fmt::format("ranks {} {} {} (pid {})", first, last == first + 1 ? "and" : "to", last,
                       pid);
  }
  /// "[3] ", or "[3-5] "
  [[nodiscard]] std::string label_of(int process) const {
    const int first = layout_.first_of(process);
    const int last = first + layout_.count_of(process) - 1;
    return first == last ? fmt::format("[{}] ", first) : fmt::format("[{}-{}] ", first, last);
  }
  [[nodiscard]] bool all_reaped() const {
    return std::all_of(children_.begin(), children_.end(), [](const child& c) { return c.reaped; });
  }

  bool start();
  void say(const std::string& text);
  void say_lines(std::string_view text);
  void end(int status, const std::string& why);
  void wait_for_events();
  void drain_all();
  void handle_signal(int signal);
  void handle_death(std::size_t process);
  void check_early_exits();
  void check_clock_and_flag();
  void look_for_stopped();
  void look_for_hangs();
  void tell_of_strangers();
  bool end_by_abort();

  const launch_options& options_;
  conduit::rank_layout layout_;
  detail::standard_sink standard_;
  output_sink& sink_;
  attention attention_;
  std::vector<pid_t> spared_;  ///< the caller's own children
  int control_fd_;
  detail::control_block block_;
  std::optional<detail::hang_gatherer> hangs_;
  std::vector<child> children_;
  std::vector<detail::line_reader> readers_;  ///< two for each process
  std::vector<std::size_t> early_;            ///< exited with 0 before they joined the job
  duration begin_;
  duration told_since_;  ///< when a job was first seen to be failed by a deserter
  bool ended_ = false;
  int status_ = 0;
};

job::job(const launch_options& options)
    : options_(options),
      layout_(layout_of(options)),
      sink_(options.output != nullptr ? *options.output : standard_),
      spared_(detail::own_children()),
      control_fd_(memfd_create("upwash-control", MFD_CLOEXEC)),
      begin_(steady_now()) {
  static_cast<void>(process::raise_descriptor_limit());  // it takes three for each process
  if (control_fd_ < 0) throw system_error("cannot make the job's control block", errno);
  block_ = detail::control_block::create(control_fd_, options.ranks, processes());
  hangs_.emplace(block_);
}

job::~job() {
  // Reached with living children only when something threw.
  detail::kill_groups(children_);
  for (child& one : children_) {
    if (!one.reaped) waitpid(one.pid, nullptr, 0);
    for (const int fd : {one.pidfd, one.standard_out, one.standard_error}) {
      if (fd >= 0) close(fd);
    }
  }
  detail::kill_orphans(spared_);
  if (control_fd_ >= 0) close(control_fd_);
}

bool job::start() {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  auto added = options_.environment;
  added.push_back(fmt::format("UPWASH_BOOT_CONTROL={}", control_fd_));
  added.emplace_back("UPWASH_BOOT_PROCESS=0");
  const std::size_t place = added.size() - 1;
  auto environment = detail::environment_with(added);
  auto program = options_.program;
  std::vector<cpu_set_t> cores;
  if (options_.bind == binding::core) cores = detail::usable_core_sets();
  detail::start_plan plan;
  for (auto& one : program) plan.arguments.push_back(one.data());
  for (auto& one : environment) plan.environment.push_back(one.data());
  plan.arguments.push_back(nullptr);
  plan.environment.push_back(nullptr);
  plan.control = control_fd_;
  plan.report = report[1];
  if (!cores.empty()) plan.cores = &cores;
  for (int p = 0; p < processes(); ++p) {
    std::string number = fmt::format("UPWASH_BOOT_PROCESS={}", p);
    plan.environment[place] = number.data();
    children_.push_back(detail::start_child(plan, p));
    const int first = layout_.first_of(p);
    for (const bool standard_error : {false, true}) {
      readers_.emplace_back(first, standard_error, options_.prefix ? label_of(p) : std::string());
    }
  }
  close(report[1]);
  int why = 0;
  const bool failed = read(report[0], &why, sizeof why) == sizeof why;
  close(report[0]);
  if (failed) {
    end(start_failed_status, fmt::format("cannot start '{}': {}", program[0], std::strerror(why)));
  }
  return !failed;
}

void job::say(const std::string& text) { sink_.line(-1, true, fmt::format("upwash: {}\n", text)); }

/// The first line as `say` does, the others as they are.
void job::say_lines(std::string_view text) {
  const std::size_t first = text.find('\n');
  say(std::string(text.substr(0, first)));
  for (std::size_t at = first + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    sink_.line(-1, true, text.substr(at, end - at));
    at = end;
  }
}

void job::end(int status, const std::string& why) {
  if (ended_) return;
  ended_ = true;
  status_ = status;
  block_.fail(-1, status, why, false);
  detail::kill_groups(children_);
  drain_all();
  say(why);
}

void job::drain_all() {
  for (std::size_t p = 0; p < children_.size(); ++p) {
    readers_[2 * p].drain(children_[p].standard_out, sink_);
    readers_[2 * p + 1].drain(children_[p].standard_error, sink_);
  }
}

void job::wait_for_events() {
  std::vector<pollfd> fds{{attention_.fd(), POLLIN, 0}};
  for (const child& one : children_) {
    // Negative descriptors are passed over.
    fds.push_back({one.pidfd, POLLIN, 0});
    fds.push_back({one.standard_out, POLLIN, 0});
    fds.push_back({one.standard_error, POLLIN, 0});
  }
  if (poll(fds.data(), fds.size(), poll_ms) < 0 && errno != EINTR) {
    throw system_error("cannot wait for the job's processes", errno);
  }
  for (int signal = attention_.next(); signal != 0; signal = attention_.next()) {
    handle_signal(signal);
  }
  for (std::size_t p = 0; p < children_.size(); ++p) {
    if ((fds[3 * p + 2].revents) != 0) readers_[2 * p].drain(children_[p].standard_out, sink_);
    if ((fds[3 * p + 3].revents) != 0) {
      readers_[2 * p + 1].drain(children_[p].standard_error, sink_);
    }
    const bool asked_for = children_[p].pidfd < 0;
    if ((asked_for || fds[3 * p + 1].revents != 0) && detail::reap(children_[p])) handle_death(p);
  }
}

void job::handle_signal(int signal) {
  if (signal != SIGUSR1) {
    end(128 + signal, fmt::format("signal {} ({}); job ended", signal, strsignal(signal)));
    return;
  }
  // Only to ranks that have a handler: others, front ends without one too, would die of it.
  for (std::size_t p = 0; p < children_.size(); ++p) {
    const detail::process_slot& slot = block_.slot(static_cast<int>(p));
    const pid_t pid = slot.pid.load();
    if (slot.state.load() == process_state::attached && pid > 0 && detail::catches(pid, SIGUSR1)) {
      kill(pid, SIGUSR1);
    }
  }
  hangs_->ask();
}

/// Ends the job when one of its processes has left a reason to.
bool job::end_by_abort() {
  if (!block_.failure_told()) return false;
  const detail::control_header& header = block_.header();
  if (header.failed_teller >= 0) {
    // Until it has ended, or has had its time, the deaths of others are no news.
    if (told_since_ == duration{}) told_since_ = steady_now();
    const auto teller = static_cast<std::size_t>(header.failed_teller);
    if (!children_[teller].reaped && steady_now() - told_since_ < time_to_tell) return true;
  }
  end(header.failed_status, failure_line(header.failed_rank, header.failed_text.data()));
  return true;
}

void job::handle_death(std::size_t process) {
  if (ended_) return;
  const child& one = children_[process];
  const bool killed = WIFSIGNALED(one.status);
  const int number = killed ? WTERMSIG(one.status) : WEXITSTATUS(one.status);
  const auto state = block_.slot(static_cast<int>(process)).state.load();
  if (!killed && state == process_state::finished) {
    // It has said itself what there is to say; the others finish too.
    if (status_ == 0) status_ = number;
    return;
  }
  if (!killed && number == 0 && state == process_state::absent) {
    early_.push_back(process);
    return;
  }
  const std::string name = name_of(process);
  if (!killed && end_by_abort()) return;
  if (killed) {
    end(128 + number, fmt::format("{} {} killed by signal {} ({}); job ended", name,
                                  layout_.count_of(static_cast<int>(process)) == 1 ? "was" : "were",
                                  number, strsignal(number)));
  } else if (number == 0) {
    end(1, fmt::format("{} exited with status 0 before it had finished; job ended", name));
  } else {
    end(number, fmt::format("{} exited with status {}; job ended", name, number));
  }
}

/// A program that is no upwash program may come and go. But where some processes form a job, one
/// that left without having joined is missing for ever.
void job::check_early_exits() {
  if (ended_ || early_.empty() || block_.header().attached.load() == 0) return;
  const std::size_t process = early_.front();
  end(1, fmt::format("{} exited with status 0 before it had joined the job; job ended",
                     name_of(process)));
}

void job::check_clock_and_flag() {
  if (ended_) return;
  if (block_.header().failed.load() != 0 && end_by_abort()) return;
  if (options_.timeout > duration{} && steady_now() - begin_ > options_.timeout) {
    end(timeout_status,
        fmt::format("the time-out of {:g} s has passed; job ended", options_.timeout.seconds()));
  }
}

/// A stopped rank stops the others as well, which wait for it: nobody else would say why.
void job::look_for_stopped() {
  siginfo_t info{};
  while (!ended_ && waitid(P_ALL, 0, &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
         info.si_pid != 0) {
    for (std::size_t p = 0; p < children_.size(); ++p) {
      if (children_[p].pid != info.si_pid) continue;
      const std::string name = name_of(p);
      say(info.si_code == CLD_CONTINUED
              ? name + " goes on"
              : fmt::format("{} {} stopped by signal {} ({}); kill -CONT {} lets {} go on", name,
                            layout_.count_of(static_cast<int>(p)) == 1 ? "is" : "are",
                            info.si_status, strsignal(info.si_status), info.si_pid,
                            layout_.count_of(static_cast<int>(p)) == 1 ? "it" : "them"));
    }
    info = {};
  }
}

/// One report for the job when a rank waits too long, or somebody asks by SIGUSR1.
void job::look_for_hangs() {
  if (ended_) return;
  const std::optional<std::string> report = hangs_->look(steady_now());
  if (!report) return;
  drain_all();
  say_lines(*report);
}

/// Programs that are none of upwash run as well, each for itself; whoever did not mean it is told.
void job::tell_of_strangers() {
  if (!options_.tell_of_strangers || ended_ || status_ != 0 || processes() == 1 ||
      block_.header().attached.load() != 0) {
    return;
  }
  say(
      fmt::format("none of the {} processes has joined the job: '{}' calls neither upwash::run nor "
                  "upwash::attach, so each ran by itself",
                  processes(), options_.program[0]));
}

int job::run() {
  start();
  while (!all_reaped()) {
    wait_for_events();
    look_for_stopped();
    look_for_hangs();
    check_early_exits();
    check_clock_and_flag();
  }
  detail::kill_orphans(spared_);
  drain_all();
  for (auto& reader : readers_) reader.finish(sink_);
  tell_of_strangers();
  return status_;
}

void check(const launch_options& options) {
  const auto wrong = [](const std::string& text) { throw error(error_kind::argument, text); };
  if (options.ranks < 1 || options.ranks > most_ranks) {
    wrong(fmt::format("cannot start {} ranks: expected 1 to {} (-n)", options.ranks, most_ranks));
  }
  if (options.program.empty() || options.program[0].empty()) wrong("no program to start");
}

}  // namespace

int launch(const launch_options& options) {
  check(options);
  job one(options);
  return one.run();
}

}  // namespace upwash::launch
