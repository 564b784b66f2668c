// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/head.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/process.hpp"
#include "upwash/launch/detail/agent_setup.hpp"
#include "upwash/launch/detail/attention.hpp"
#include "upwash/launch/detail/hang_gatherer.hpp"
#include "upwash/launch/detail/host_answers.hpp"
#include "upwash/launch/detail/job_lines.hpp"
#include "upwash/launch/detail/local_job.hpp"
#include "upwash/launch/detail/remote_host.hpp"

namespace upwash::launch::detail {
namespace {

using phase = remote_host::phase;

/// Variables of this process that its programs on other hosts have too.
std::vector<std::string> travelling_variables(const launch_options& options) {
  std::vector<std::string> all;
  for (const std::string& entry : environment_with(options.environment)) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    const bool knob = name.starts_with("UPWASH_") && !name.starts_with("UPWASH_BOOT_");
    const bool given = std::find(options.environment.begin(), options.environment.end(), entry) !=
                       options.environment.end();
    if (knob || given || name == "PATH" || name == "LD_LIBRARY_PATH") all.push_back(entry);
  }
  return all;
}

std::string current_folder() {
  const std::unique_ptr<char, decltype(&std::free)> path(getcwd(nullptr, 0), &std::free);
  if (!path) throw system_error("cannot name the folder to run in", errno);
  return path.get();
}

class head {
 public:
  explicit head(const launch_options& options);

  int run();

 private:
  void start_hosts();
  void wait_for_events();
  void look_at(std::size_t node);
  void handle(std::size_t node, const frame& one);
  void handle_done(std::size_t node, const frame& one);
  void handle_signal(int signal);
  void start_when_all_are_ready();
  void check_clock();
  void look_for_hangs();
  void end(int status, const std::string& why);
  void end_hosts();
  void end_with(std::size_t node, const error& problem);
  void to_all(const frame& one, std::size_t but = SIZE_MAX);
  void say(const std::string& text) { sink_.line(-1, true, fmt::format("upwash: {}\n", text)); }
  void suspend();
  void hold_lines();
  [[nodiscard]] agent_setup setup_for(std::size_t node) const;
  [[nodiscard]] bool all_gone() const;

  const launch_options& options_;
  job_map map_;
  queued_sink standard_;
  output_sink& sink_;
  attention attention_;
  std::vector<std::unique_ptr<remote_host>> hosts_;  ///< by node
  exchange_gatherer exchanges_;
  standings_of_hosts standings_;
  observe::hang_reporter reporter_;
  patience ending_;  ///< of hosts that are to end
  duration begin_;
  std::string early_exit_;  ///< of a process that had not joined
  int joined_ = 0;          ///< processes of the job
  int held_streams_ = 0;    ///< as of frame_kind::hold
  bool started_ = false;
  bool asked_ = false;  ///< a report is wanted, whatever it says
  bool hung_ = false;   ///< a rank waits too long
  bool ended_ = false;
  int status_ = 0;
};

head::head(const launch_options& options)
    : options_(options),
      map_(job_map::over(options.hosts, options.ranks, options.ranks_a_process)),
      sink_(options.output != nullptr ? *options.output : standard_),
      exchanges_(map_),
      standings_(map_),
      ending_(options.remote.host_timeout),
      begin_(steady_now()) {
  static_cast<void>(process::raise_descriptor_limit());  // it takes four for each host
}

/// While lines wait for a slow reader, those on the hosts wait in the pipes of the ranks.
void head::hold_lines() {
  const int held = (standard_.takes(false) ? 0 : 1) + (standard_.takes(true) ? 0 : 2);
  if (std::exchange(held_streams_, held) != held) to_all(make_frame(frame_kind::hold, held));
}

/// By Ctrl-Z: agents must not take this process for dead, and their ranks stop too.
void head::suspend() {
  to_all(make_frame(frame_kind::suspend));
  attention::stop_process();
  to_all(make_frame(frame_kind::resume));
}

bool head::all_gone() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& host) { return host->gone(); });
}

void head::to_all(const frame& one, std::size_t but) {
  for (std::size_t node = 0; node < hosts_.size(); ++node) {
    if (node != but && hosts_[node]->now_in() != phase::done) hosts_[node]->link().send(one);
  }
}

void head::start_hosts() {
  for (const std::string& name : map_.hosts) {
    hosts_.push_back(std::make_unique<remote_host>(options_, name, sink_));
  }
  log(log_level::info, "launch",
      fmt::format("{} ranks in {} processes on {} of {} hosts, by '{}'", options_.ranks,
                  map_.processes(), hosts_.size(), options_.hosts.size(),
                  options_.remote.rsh.front()));
}

agent_setup head::setup_for(std::size_t node) const {
  agent_setup setup;
  setup.map = map_;
  setup.node = static_cast<std::int32_t>(node);
  setup.program = options_.program;
  setup.environment = travelling_variables(options_);
  setup.folder = current_folder();
  setup.bind_to_cores = options_.bind == binding::core ? 1 : 0;
  setup.prefix = options_.prefix ? 1 : 0;
  setup.patience_ps = options_.remote.host_timeout.ps();
  return setup;
}

void head::end(int status, const std::string& why) {
  if (ended_) return;
  ended_ = true;
  status_ = status;
  say(why);
  for (const auto& host : hosts_) {
    if (host->now_in() == phase::connecting) host->kill();
  }
  to_all(make_frame(frame_kind::end, status, why));
}

/// Those that do not end by themselves are beyond reach.
void head::end_hosts() {
  if (ended_) ending_.look(steady_now());
  for (const auto& host : hosts_) {
    const bool beyond_reach = ended_ && (ending_.lost() || host->link().silent());
    if (beyond_reach || host->overdue()) host->kill();
  }
}

void head::end_with(std::size_t node, const error& problem) {
  hosts_[node]->kill();
  end(1, fmt::format("host {} is lost: {}; job ended", hosts_[node]->name(), problem.what()));
}

void head::wait_for_events() {
  std::vector<pollfd> fds{{attention_.fd(), POLLIN, 0}};
  for (const auto& host : hosts_) host->add_descriptors(fds);
  standard_.add_descriptors(fds);
  if (poll(fds.data(), fds.size(), poll_ms) < 0 && errno != EINTR) {
    throw system_error("cannot wait for the job's hosts", errno);
  }
  for (int signal = attention_.next(); signal != 0; signal = attention_.next()) {
    handle_signal(signal);
  }
}

void head::handle_signal(int signal) {
  if (signal == SIGUSR1) {
    to_all(make_frame(frame_kind::pass_on));
    asked_ = true;
    return;
  }
  if (signal == SIGTSTP) return suspend();
  end(128 + signal, fmt::format("signal {} ({}); job ended", signal, strsignal(signal)));
}

void head::look_at(std::size_t node) {
  remote_host& host = *hosts_[node];
  const bool connecting = host.now_in() == phase::connecting;
  host.look(steady_now());
  if (connecting && host.now_in() == phase::ready) {
    host.link().send(frame_kind::setup, setup_for(node));
  }
  try {
    while (const auto one = host.next()) handle(node, *one);
  } catch (const error& problem) {
    end_with(node, problem);
  }
  if (ended_) return;
  if (const auto trouble = host.wrong()) {
    host.kill();
    end(trouble->status, trouble->why);
  }
}

void head::handle(std::size_t node, const frame& one) {
  switch (one.kind) {
    case frame_kind::line: {
      int rank = -1;
      int standard_error = 0;
      std::string text;
      read_frame(one, rank, standard_error, text);
      return sink_.line(rank, standard_error != 0, text);
    }
    case frame_kind::joined: {
      int count = 0;
      read_frame(one, count);
      joined_ += count;
      return to_all(one, node);
    }
    case frame_kind::exchange: {
      exchange_blobs share;
      read_frame(one, share);
      const auto whole = exchanges_.add(static_cast<int>(node), std::move(share));
      if (whole) to_all(make_frame(frame_kind::exchanged, *whole));
      return;
    }
    case frame_kind::failed: {
      int status = 0;
      std::string why;
      read_frame(one, status, why);
      return end(status, why);
    }
    case frame_kind::hang: hung_ = true; return;
    case frame_kind::standings: {
      std::uint32_t question = 0;
      std::vector<observe::standing> some;
      read_frame(one, question, some);
      return standings_.add(question, some);
    }
    case frame_kind::done: return handle_done(node, one);
    default: return;  // a sign of life
  }
}

void head::handle_done(std::size_t node, const frame& one) {
  int status = 0;
  std::string early;
  read_frame(one, status, early);
  hosts_[node]->done();
  if (status_ == 0) status_ = status;
  if (early_exit_.empty()) early_exit_ = early;
}

void head::start_when_all_are_ready() {
  if (started_ || ended_) return;
  for (const auto& host : hosts_) {
    if (host->now_in() == phase::connecting) return;
  }
  started_ = true;
  to_all(make_frame(frame_kind::start));
  for (const auto& host : hosts_) host->started();
}

void head::check_clock() {
  if (ended_) return;
  if (!early_exit_.empty() && joined_ != 0) return end(1, early_exit_);
  if (options_.timeout > duration{} && steady_now() - begin_ > options_.timeout) {
    end(timeout_status, timeout_line(options_.timeout));
  }
}

/// One report for the job when a rank waits too long, or somebody asks by SIGUSR1.
void head::look_for_hangs() {
  if (ended_ || !started_) return;
  if (standings_.asking()) {
    const auto all = standings_.look(steady_now());
    if (!all) return;
    const auto report = reporter_.report(*all, std::exchange(asked_, false));
    if (report) say_lines(sink_, *report);
  } else if (asked_ || hung_) {
    hung_ = false;
    to_all(make_frame(frame_kind::question, standings_.ask(steady_now())));
  }
}

int head::run() {
  start_hosts();
  while (!all_gone()) {
    wait_for_events();
    standard_.flush();
    hold_lines();
    for (std::size_t node = 0; node < hosts_.size(); ++node) look_at(node);
    start_when_all_are_ready();
    check_clock();
    look_for_hangs();
    end_hosts();
  }
  if (options_.tell_of_strangers && status_ == 0 && !ended_ && joined_ == 0 &&
      map_.processes() > 1) {
    say(strangers_line(map_.processes(), options_.program[0]));
  }
  return finish_output(standard_, attention_, status_);
}

}  // namespace

int launch_over_hosts(const launch_options& options) { return head(options).run(); }

}  // namespace upwash::launch::detail
