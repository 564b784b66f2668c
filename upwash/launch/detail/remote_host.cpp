// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/remote_host.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/printable.hpp"
#include "upwash/conduit/failure_line.hpp"
#include "upwash/launch/detail/local_job.hpp"

namespace upwash::launch::detail {
namespace {

/// The path of the program that this process runs.
std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) throw system_error("cannot find the path of upwash itself", errno);
  return {path.data(), static_cast<std::size_t>(length)};
}

/// As a shell takes it for one word: most remote shells hand the command to one.
std::string as_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char one) {
    return std::isalnum(one) != 0 || std::strchr("/._-+:@%,=", one) != nullptr;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char one : text) quoted += one == '\'' ? std::string("'\\''") : std::string(1, one);
  return quoted + "'";
}

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

remote_host::remote_host(const launch_options& options, std::string name, output_sink& sink)
    : options_(options),
      name_(std::move(name)),
      label_(fmt::format("[host {}] ", name_)),
      sink_(sink),
      words_(options.remote.rsh),
      errors_(-1, true, label_),
      due_(options.remote.start_timeout) {
  words_.push_back(name_);
  words_.push_back(as_word(options.remote.upwash.empty() ? own_program() : options.remote.upwash));
  words_.emplace_back("agent");
  start_shell();
}

remote_host::~remote_host() {
  if (shell_.pid < 0) return;
  kill();
  if (!shell_.reaped) waitpid(shell_.pid, nullptr, 0);
  for (const int fd : {shell_.pidfd, shell_.standard_error}) {
    if (fd >= 0) close(fd);
  }
}

void remote_host::start_shell() {
  std::array<int, 2> input{};
  if (pipe2(input.data(), O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  start_plan plan;
  auto environment = environment_with({});
  for (auto& one : words_) plan.arguments.push_back(one.data());
  for (auto& one : environment) plan.environment.push_back(one.data());
  plan.arguments.push_back(nullptr);
  plan.environment.push_back(nullptr);
  plan.standard_in = input[0];
  start_report report;
  plan.report = report.to_tell();
  shell_ = start_child(plan, 0);
  close(input[0]);
  link_.emplace(std::exchange(shell_.standard_out, -1), input[1], options_.remote.host_timeout,
                &greeting_);
  const int why = report.error_number();
  if (why == 0) return;
  const auto text = fmt::format("cannot start '{}' for host {}: {} (--rsh, UPWASH_RSH)", words_[0],
                                name_, std::strerror(why));
  waitpid(shell_.pid, nullptr, 0);
  shell_.reaped = true;
  throw error(error_kind::environment, text);
}

/// What remote shell and agent write to standard error. Before the agent has answered it may be the
/// reason why it never does.
void remote_host::line(int /*rank*/, bool /*standard_error*/, std::string_view text) {
  if (phase_ == phase::connecting) {
    held_.emplace_back(text);
  } else {
    sink_.line(-1, true, text);
  }
}

void remote_host::add_descriptors(std::vector<pollfd>& fds) const {
  link_->add_descriptors(fds);
  fds.push_back({shell_.standard_error, POLLIN, 0});
  fds.push_back({shell_.pidfd, POLLIN, 0});
}

void remote_host::look(duration now) {
  // Before what came is read: what a dead shell has left is read once more, and then there is no
  // more.
  if (!shell_.reaped) static_cast<void>(reap(shell_));
  static_cast<void>(link_->receive());
  errors_.drain(shell_.standard_error, *this);
  read_greeting();
  if (phase_ != phase::done) link_->look(now);
  due_.look(now);
}

void remote_host::read_greeting() {
  if (phase_ != phase::connecting) return;
  for (const std::string& one : greeting_.take_foreign(shell_.reaped)) {
    sink_.line(-1, false, fmt::format("{}{}\n", label_, printable(without_end(one))));
  }
  if (!greeting_.found() || greeting_.line() != greeting()) return;
  phase_ = phase::ready;
  for (const std::string& one : std::exchange(held_, {})) sink_.line(-1, true, one);
}

void remote_host::done() noexcept {
  phase_ = phase::done;
  due_.renew();
  due_.set_limit(options_.remote.host_timeout);
}

std::string remote_host::how_it_ended() const {
  const std::string command = fmt::format("'{}'", fmt::join(words_, " "));
  if (WIFEXITED(shell_.status)) {
    return fmt::format("{} exited with status {}", command, WEXITSTATUS(shell_.status));
  }
  const int signal = WTERMSIG(shell_.status);
  return fmt::format("{} was killed by signal {} ({})", command, signal, strsignal(signal));
}

std::optional<trouble> remote_host::wrong() {
  if (phase_ == phase::done) return std::nullopt;
  if (phase_ != phase::connecting) {
    if (gone()) return trouble{1, conduit::lost_host_line("host " + name_, how_it_ended())};
    if (!link_->silent()) return std::nullopt;
    return trouble{1, conduit::silent_host_line("host " + name_, link_->limit())};
  }
  if (greeting_.found()) {
    return trouble{start_failed_status,
                   fmt::format("host {} has another upwash: it says '{}', this one '{}' "
                               "(--remote-upwash names the one to use there)",
                               name_, printable(greeting_.line()), greeting())};
  }
  if (gone()) {
    errors_.finish(*this);
    std::string last;
    if (!held_.empty()) {
      last = ": " + printable(without_end(held_.back().substr(label_.size())));
      held_.pop_back();
    }
    for (const std::string& one : std::exchange(held_, {})) sink_.line(-1, true, one);
    return trouble{start_failed_status,
                   fmt::format("cannot start on host {}: {}{}", name_, how_it_ended(), last)};
  }
  if (!due_.lost()) return std::nullopt;
  return trouble{start_failed_status,
                 fmt::format("host {} has not answered for {:g} s (start_timeout, "
                             "UPWASH_START_TIMEOUT) to '{}'",
                             name_, due_.limit().seconds(), fmt::join(words_, " "))};
}

void remote_host::kill() noexcept {
  if (!shell_.reaped) ::kill(-shell_.pid, SIGKILL);
}

}  // namespace upwash::launch::detail
