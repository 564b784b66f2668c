// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/agent.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/launch/detail/agent_setup.hpp"
#include "upwash/launch/detail/frame_link.hpp"
#include "upwash/launch/detail/local_job.hpp"
#include "upwash/launch/detail/replica.hpp"
#include "upwash/launch/detail/standing_gatherer.hpp"

namespace upwash::launch {
namespace {

using detail::frame;
using detail::frame_kind;

/// Until the head says how long it is waited for.
const duration first_patience = duration::from_seconds(10);
/// Lines wait in the pipes of the processes while so much has not been written.
constexpr std::size_t enough_pending = std::size_t{256} << 10U;

/// The descriptor under a number that no process of the job has; what stood there is `instead`.
int take_descriptor(int fd, int instead) {
  const int taken = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (taken < 0) throw system_error("agent: cannot take its standard input and output", errno);
  dup2(instead, fd);
  return taken;
}

int nothing_to_read() {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw system_error("agent: cannot open /dev/null", errno);
  return fd;
}

/// The lines of the processes here are the head's to print.
class line_sender final : public output_sink {
 public:
  explicit line_sender(detail::frame_link& link) : link_(link) {}
  void line(int rank, bool standard_error, std::string_view text) override {
    link_.send(frame_kind::line, rank, standard_error ? 1 : 0, std::string(text));
  }

 private:
  detail::frame_link& link_;
};

class agent final : public detail::overseer {
 public:
  agent(int in, int out) : link_(in, out, first_patience), lines_(link_) {}

  int serve();

  void add_descriptors(std::vector<pollfd>& fds) override;
  void look() override;
  [[nodiscard]] bool takes_output(bool standard_error) const noexcept override {
    const int bit = standard_error ? 2 : 1;
    return (held_streams_ & bit) == 0 && link_.pending() < enough_pending;
  }
  void asked() override { job_->pass_on_question(); }
  void failed(int status, const std::string& why) override {
    link_.send(frame_kind::failed, status, why);
  }

 private:
  /// As the head calls this host.
  [[nodiscard]] std::string name() const {
    return setup_.map.hosts.at(static_cast<std::size_t>(setup_.node));
  }

  bool await_start();
  bool handle_before_start(const frame& one);
  void settle();
  void play();
  void handle(const frame& one);
  void tell_news();
  void check_head(bool open);

  detail::frame_link link_;
  line_sender lines_;
  detail::agent_setup setup_;
  launch_options options_;
  std::optional<detail::local_job> job_;
  std::optional<detail::replica> replica_;
  std::optional<detail::standing_gatherer> standings_;
  int held_streams_ = 0;    ///< as of frame_kind::hold
  bool suspended_ = false;  ///< with the head
  bool ended_ = false;      ///< before the start
};

int agent::serve() {
  link_.send_line(fmt::format("\n{}", detail::greeting()));
  try {
    if (!await_start()) return 1;
    play();
  } catch (const error& problem) {
    const std::string place = setup_.map.hosts.empty() ? "" : fmt::format("host {}: ", name());
    if (job_) job_->stop(problem.exit_status(), problem.what());
    failed(problem.exit_status(), fmt::format("{}{}; job ended", place, problem.what()));
  }
  const bool played = job_.has_value();
  link_.send(frame_kind::done, played ? job_->status() : 1,
             played ? job_->early_exit() : std::string());
  link_.finish();
  return 0;
}

/// Whether there is something to start.
bool agent::await_start() {
  for (;;) {
    std::vector<pollfd> fds;
    link_.add_descriptors(fds);
    poll(fds.data(), fds.size(), detail::poll_ms);
    const bool open = link_.receive();
    while (const auto one = link_.next()) {
      if (handle_before_start(*one)) return true;
      if (ended_) return false;
    }
    if (suspended_) link_.excuse();
    if (!open || link_.silent()) return false;
    link_.look(steady_now());
  }
}

/// Whether it is the order to start.
bool agent::handle_before_start(const frame& one) {
  switch (one.kind) {
    case frame_kind::setup:
      detail::read_frame(one, setup_);
      settle();
      return false;
    case frame_kind::start: return true;
    case frame_kind::end: ended_ = true; return false;
    case frame_kind::hold: detail::read_frame(one, held_streams_); return false;
    case frame_kind::suspend: suspended_ = true; return false;
    case frame_kind::resume: suspended_ = false; return false;
    default: return false;
  }
}

/// Has this process in the surroundings of its job: those it starts inherit them.
void agent::settle() {
  link_.set_limit(duration::from_ps(setup_.patience_ps));
  // The knobs are those of the head, the same on all hosts.
  std::vector<std::string> own;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("UPWASH_")) own.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : own) unsetenv(name.c_str());
  for (const std::string& entry : setup_.environment) {
    const std::string name = entry.substr(0, entry.find('='));
    if (name.size() < entry.size()) setenv(name.c_str(), entry.c_str() + name.size() + 1, 1);
  }
  if (chdir(setup_.folder.c_str()) != 0) {
    throw error(error_kind::environment,
                system_error(fmt::format("no folder {} to run in", setup_.folder), errno).what());
  }
  options_.program = setup_.program;
  options_.bind = setup_.bind_to_cores != 0 ? binding::core : binding::none;
  options_.prefix = setup_.prefix != 0;
}

void agent::play() {
  job_.emplace(options_, setup_.map, setup_.node, lines_, *this);
  const int first = setup_.map.first_process(setup_.node);
  replica_.emplace(job_->block(), first, first + setup_.map.process_count(setup_.node));
  standings_.emplace(job_->block(), job_->first_rank(), job_->end_rank());
  static_cast<void>(job_->run());
}

void agent::add_descriptors(std::vector<pollfd>& fds) {
  link_.add_descriptors(fds);
  fds.push_back({job_->bell(), POLLIN, 0});
}

void agent::look() {
  eventfd_t rung = 0;
  eventfd_read(job_->bell(), &rung);
  tell_news();
  const bool open = link_.receive();
  while (const auto one = link_.next()) handle(*one);
  if (suspended_) link_.excuse();
  link_.look(steady_now());
  check_head(open);
}

/// A head that was stopped without a warning reads the reason when it goes on.
void agent::check_head(bool open) {
  if (!open) return job_->stop(1, "upwash run has ended; job ended");
  if (!link_.silent()) return;
  job_->end(1, fmt::format("host {} has heard nothing from upwash run for {:g} s (host_timeout, "
                           "UPWASH_HOST_TIMEOUT); job ended",
                           name(), link_.limit().seconds()));
}

void agent::tell_news() {
  if (job_->ended()) return;
  if (const int joined = replica_->joined(); joined != 0) {
    link_.send(frame_kind::joined, joined);
  }
  if (const auto blobs = replica_->published()) link_.send(frame_kind::exchange, *blobs);
  if (replica_->hung()) link_.send(frame_kind::hang);
  if (const auto all = standings_->look(steady_now())) {
    link_.send(frame_kind::standings, standings_->question(), *all);
  }
}

void agent::handle(const frame& one) {
  switch (one.kind) {
    case frame_kind::joined: {
      int count = 0;
      detail::read_frame(one, count);
      return replica_->others_joined(count);
    }
    case frame_kind::exchanged: {
      detail::exchange_blobs all;
      detail::read_frame(one, all);
      return replica_->take(all);
    }
    case frame_kind::question: {
      std::uint32_t question = 0;
      detail::read_frame(one, question);
      return standings_->ask(question, steady_now());
    }
    case frame_kind::pass_on: return job_->pass_on_question();
    case frame_kind::end: {
      int status = 0;
      std::string why;
      detail::read_frame(one, status, why);
      return job_->stop(status, why);
    }
    case frame_kind::hold: return detail::read_frame(one, held_streams_);
    case frame_kind::suspend: suspended_ = true; return job_->suspend();
    case frame_kind::resume: suspended_ = false; return job_->resume();
    default: return;  // a sign of life
  }
}

}  // namespace

int serve_head() {
  if (isatty(STDIN_FILENO) != 0) {
    throw error(error_kind::argument,
                "agent: upwash run --hosts starts this on the hosts of a job");
  }
  // What the processes print by mistake, or libraries do here, is no frame.
  const int nothing = nothing_to_read();
  const int in = take_descriptor(STDIN_FILENO, nothing);
  const int out = take_descriptor(STDOUT_FILENO, STDERR_FILENO);
  close(nothing);
  return agent(in, out).serve();
}

}  // namespace upwash::launch
