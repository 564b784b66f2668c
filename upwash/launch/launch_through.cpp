// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/launch_through.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/find_program.hpp"
#include "upwash/base/standard_descriptors.hpp"
#include "upwash/conduit/failure_line.hpp"
#include "upwash/launch/detail/attention.hpp"
#include "upwash/launch/detail/child.hpp"
#include "upwash/launch/detail/foreign_board.hpp"
#include "upwash/launch/detail/job_lines.hpp"
#include "upwash/launch/detail/job_map.hpp"
#include "upwash/launch/detail/local_job.hpp"
#include "upwash/launch/detail/output.hpp"
#include "upwash/launch/detail/told_lines.hpp"

namespace upwash::launch {
namespace {

namespace fs = std::filesystem;

const duration time_to_end = duration::from_seconds(3);      // for a launcher to end its processes
const duration time_to_blame = duration::from_seconds(2.5);  // for one to say who went first
const duration time_for_lost =
    duration::from_seconds(0.5);  // and where it waits for a host in vain
const duration time_for_failed =
    duration::from_seconds(5);  // for a launcher to notice that a job has said why it ends

/// A launcher elsewhere, or one that forks once more, would find another program there.
std::string own_program(const std::string& name) {
  std::error_code ignored;
  return name == "/proc/self/exe" ? fs::read_symlink(name, ignored).string() : name;
}

/// Other launchers say it in many words, and some not at all.
void check_program(const std::string& name) {
  const std::string found = find_program(name);
  const int why = found.empty() ? ENOENT : access(found.c_str(), X_OK) == 0 ? 0 : errno;
  if (why == 0) return;
  throw error(error_kind::argument, fmt::format("cannot start '{}': {}", name, std::strerror(why)));
}

std::string_view name_of_variable(std::string_view entry) {
  return entry.substr(0, entry.find('='));
}

detail::job_map map_of(const launch_options& options) {
  if (!options.hosts.empty()) {
    return detail::job_map::over(options.hosts, options.ranks, options.ranks_a_process);
  }
  return detail::job_map::here(options.ranks,
                               options.processes == 0 ? options.ranks : options.processes);
}

/// Whether processes of the job are to start on this machine, beside others.
bool is_among(const std::vector<std::string>& hosts) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return std::ranges::find(hosts, std::string_view(name.data())) != hosts.end();
}

conduit::start_request request_for(const launch_options& options, const detail::job_map& map,
                                   const std::vector<std::string>& environment) {
  conduit::start_request wanted;
  wanted.processes = map.processes();
  wanted.bind_to_cores = options.bind == binding::core;
  wanted.tag_lines = options.prefix;
  if (options.remote.rsh_is_chosen) wanted.remote_shell = options.remote.rsh;
  for (int n = 0; n < map.node_count() && !options.hosts.empty(); ++n) {
    wanted.hosts.push_back({map.hosts[static_cast<std::size_t>(n)], map.process_count(n)});
  }
  for (const std::string& entry : environment) {
    if (entry.starts_with("UPWASH_")) wanted.variables.emplace_back(name_of_variable(entry));
  }
  for (const std::string& entry : options.environment) {
    if (!entry.starts_with("UPWASH_")) wanted.variables.emplace_back(name_of_variable(entry));
  }
  return wanted;
}

class foreign_job {
 public:
  foreign_job(const launch_options& options, const conduit::start_command& by,
              const detail::job_map& map, detail::foreign_board& board,
              std::vector<std::string> environment)
      : options_(options),
        by_(by),
        environment_(std::move(environment)),
        sink_(options.output != nullptr ? *options.output : standard_),
        lines_(by.manner, map, options.prefix, sink_),
        board_(board),
        waits_for_join_(is_among(map.hosts)),
        spared_(detail::own_children()) {}
  ~foreign_job() {
    if (!started_.empty() && !started_[0].reaped) {
      detail::kill_groups(started_);
      waitpid(started_[0].pid, nullptr, 0);
    }
    detail::kill_orphans(spared_);
  }
  foreign_job(const foreign_job&) = delete;
  foreign_job& operator=(const foreign_job&) = delete;

  int run() {
    if (!start()) return detail::start_failed_status;
    while (!launcher().reaped) {
      wait_for_events();
      check_clock();
    }
    drain();
    for (detail::line_reader& each : readers_) each.finish(lines_);
    return detail::finish_output(standard_, attention_, ended_ ? status_ : conclude());
  }

 private:
  [[nodiscard]] detail::child& launcher() noexcept { return started_[0]; }
  [[nodiscard]] const std::string& name() const noexcept { return by_.words[0]; }

  bool start() {
    std::vector<std::string> words = by_.words;
    words.push_back(own_program(options_.program[0]));
    words.insert(words.end(), options_.program.begin() + 1, options_.program.end());
    detail::start_plan plan;
    for (std::string& one : words) plan.arguments.push_back(one.data());
    for (std::string& one : environment_) plan.environment.push_back(one.data());
    plan.arguments.push_back(nullptr);
    plan.environment.push_back(nullptr);
    detail::start_report report;
    plan.report = report.to_tell();
    started_.push_back(detail::start_child(plan, 0));
    const int why = report.error_number();
    if (why == 0) return true;
    say(fmt::format("cannot start '{}': {}", name(), std::strerror(why)));
    return false;
  }

  void say(const std::string& text) { sink_.line(-1, true, fmt::format("upwash: {}\n", text)); }

  void drain() {
    readers_[0].drain(launcher().standard_out, lines_);
    readers_[1].drain(launcher().standard_error, lines_);
  }

  void wait_for_events() {
    const bool takes_out = standard_.takes(false);
    const bool takes_error = standard_.takes(true);
    std::vector<pollfd> fds{{attention_.fd(), POLLIN, 0},
                            {launcher().pidfd, POLLIN, 0},
                            {takes_out ? launcher().standard_out : -1, POLLIN, 0},
                            {takes_error ? launcher().standard_error : -1, POLLIN, 0}};
    board_.add_descriptors(fds);
    standard_.add_descriptors(fds);
    if (poll(fds.data(), fds.size(), detail::poll_ms) < 0 && errno != EINTR) {
      throw system_error("cannot wait for the job's launcher", errno);
    }
    board_.look();
    standard_.flush();
    for (int signal = attention_.next(); signal != 0; signal = attention_.next()) handle(signal);
    if (takes_out) readers_[0].drain(launcher().standard_out, lines_);
    if (takes_error) readers_[1].drain(launcher().standard_error, lines_);
    static_cast<void>(detail::reap(launcher()));
  }

  void handle(int signal) {
    if (signal == SIGUSR1) return asked();
    if (signal == SIGTSTP) return detail::attention::stop_process();
    end(128 + signal, fmt::format("signal {} ({}); job ended", signal, strsignal(signal)));
  }

  void asked() {
    if (board_.reaches_all()) return board_.hangs().ask();
    say(
        fmt::format("what ranks wait for is not to be had from here: {} has started them, on other "
                    "hosts too; kill -USR1 the processes of the job there, or give it conduit "
                    "shm+ucx",
                    name()));
  }

  /// One report for the job when a rank waits too long, or somebody asks.
  void look_for_hangs() {
    if (ended_ || !board_.reaches_all()) return;
    if (const auto report = board_.hangs().look(steady_now())) {
      drain();
      detail::say_lines(sink_, *report);
    }
  }

  /// Launchers wait for ever for a host whose remote shell neither comes through nor ends.
  /// Processes that wait for others know more, and have begun later.
  void look_whether_joined() {
    if (!waits_for_join_) return;
    if (steady_now() - begin_ < options_.remote.start_timeout + time_for_failed) return;
    waits_for_join_ = false;
    if (board_.was_joined() || lines_.said_why()) return;
    say(
        fmt::format("no process has joined the job here for {:g} s (start_timeout, "
                    "UPWASH_START_TIMEOUT): does {} wait for a host that does not answer?",
                    options_.remote.start_timeout.seconds(), name()));
  }

  void check_clock() {
    look_for_hangs();
    look_whether_joined();
    lines_.put_right(board_.lost());
    lines_.show_held(time_to_blame);
    if (lines_.said_lost() && !ended_) leave_lost_host();
    if (lines_.said_end() && !ended_) leave_failed_job();
    if (ended_ && steady_now() - ending_since_ > time_to_end) detail::kill_groups(started_);
    if (options_.timeout > duration{} && steady_now() - begin_ > options_.timeout) {
      end(timeout_status, detail::timeout_line(options_.timeout));
    }
  }

  /// The launcher may wait for it for ever. The processes of all hosts end by themselves.
  void leave_lost_host() {
    if (lost_since_ == duration{}) lost_since_ = steady_now();
    if (steady_now() - lost_since_ < time_for_lost) return;
    ended_ = true;
    status_ = 1;
    ending_since_ = steady_now();
    lines_.go_deaf();
    detail::kill_groups(started_);
  }

  /// The launcher waits for processes or hosts that do not answer, and would for ever.
  void leave_failed_job() {
    if (failed_since_ == duration{}) failed_since_ = steady_now();
    if (steady_now() - failed_since_ < time_for_failed) return;
    end(1);
    if (!lines_.said_why()) say(last_words(false, 1, 1, -1));
  }

  /// Tells why, and has the launcher end its processes, wherever they are.
  void end(int status, const std::string& why) {
    if (ended_) return;
    end(status);
    say(why);
  }

  void end(int status) {
    ended_ = true;
    status_ = status;
    ending_since_ = steady_now();
    drain();
    lines_.show_held();
    lines_.go_deaf();
    kill(launcher().pid, SIGTERM);
  }

  int tell_lost(std::string_view host) {
    say(conduit::lost_host_line(fmt::format("host {}", host),
                                fmt::format("{} has lost its daemon there", name())));
    return 1;
  }

  /// Where neither its processes nor its launcher have said why the job has ended.
  [[nodiscard]] std::string last_words(bool killed, int own, int status, int process) const {
    const int signal = status - 128;
    if (signal > 0 && signal < NSIG) {
      return fmt::format("{} killed by signal {} ({}); job ended",
                         killed ? name() + " was" : lines_.victim(process), signal,
                         strsignal(signal));
    }
    if (const auto lost = board_.lost(); !lost.empty()) return std::string(lost);
    const auto cut = by_.manner != nullptr ? by_.manner->host_cut_off(lines_.comments()) : "";
    if (!cut.empty()) return conduit::ended_host_line(lines_.host_named(cut));
    const int left = board_.unfinished();
    if (left < 0) return fmt::format("{} ended with status {}", name(), own);
    return fmt::format("{} exited before it had finished; {} ended with status {}",
                       lines_.name_of(left), name(), own);
  }

  /// The status of a job that has ended by itself.
  int conclude() {
    const bool killed = WIFSIGNALED(launcher().status);
    const int own = killed ? 128 + WTERMSIG(launcher().status) : WEXITSTATUS(launcher().status);
    const bool known = by_.manner != nullptr && !killed;
    const int status = known ? by_.manner->status(own, lines_.comments()) : own;
    const auto lost = known ? by_.manner->lost_host(lines_.comments()) : std::string_view{};
    lines_.put_right(board_.lost());
    if (lost.empty()) {
      lines_.show_held();
    } else {
      lines_.drop_held();
    }
    if (own == 0) {  // the launcher may see no failure in that
      const int left = board_.unfinished();
      if (lines_.said_end() || left < 0) return lines_.said_end() ? 1 : 0;
      say(fmt::format("{} exited with status 0 before it had finished; job ended",
                      lines_.name_of(left)));
      return 1;
    }
    if (lines_.said_lost()) return 1;
    if (!lost.empty()) return tell_lost(lost);
    if (lines_.said_why()) return status;
    const int process = known ? by_.manner->failed_process(lines_.comments()) : -1;
    if (process < 0 && !lines_.comments().empty()) sink_.line(-1, true, lines_.comments());
    say(last_words(killed, own, status, process));
    return status;
  }

  const launch_options& options_;
  const conduit::start_command& by_;
  std::vector<std::string> environment_;
  detail::queued_sink standard_;
  output_sink& sink_;
  detail::told_lines lines_;
  detail::attention attention_;
  detail::subreaper reaper_;
  detail::foreign_board& board_;
  bool waits_for_join_;  ///< and says where it is in vain
  std::vector<pid_t> spared_;
  std::vector<detail::child> started_;  ///< the launcher alone
  std::array<detail::line_reader, 2> readers_{detail::line_reader(-1, false, {}),
                                              detail::line_reader(-1, true, {})};
  duration begin_ = steady_now();
  duration ending_since_;
  duration lost_since_;    ///< where a host is
  duration failed_since_;  ///< where the job has said that it has
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

int launch_through(function_ref<conduit::start_command(const conduit::start_request&)> by,
                   const launch_options& options) {
  open_standard_descriptors();
  check_program(options.program[0]);
  const detail::job_map map = map_of(options);
  std::vector<std::string> added = options.environment;
  detail::foreign_board board(map);
  added.push_back("UPWASH_BOOT_RANKS=" + map.ranks_text());
  added.push_back("UPWASH_BOOT_BOARD=" + board.name());
  std::vector<std::string> environment = detail::environment_with(added);
  const auto command = by(request_for(options, map, environment));
  if (options.prefix && command.manner == nullptr) {
    throw error(
        error_kind::argument,
        fmt::format("--prefix: '{}' is not known to say whose a line is", command.words[0]));
  }
  return foreign_job(options, command, map, board, std::move(environment)).run();
}

}  // namespace upwash::launch
