// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of pipes, splitting into lines, writing them out.
#include "upwash/launch/detail/output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

namespace upwash::launch::detail {
namespace {

constexpr std::size_t longest_piece = std::size_t{1} << 20U;
constexpr int reads_at_once = 16;  // then the other pipes and the deaths have their turn
constexpr std::size_t enough_pending = std::size_t{256} << 10U;
constexpr int look_ms = 100;

/// Bytes that a descriptor takes without blocking once poll says that it is ready. A terminal may
/// say so with little room.
std::size_t bytes_at_once(int fd) {
  constexpr std::size_t of_terminal = 256;
  return isatty(fd) != 0 ? of_terminal : PIPE_BUF;
}

}  // namespace

void queued_sink::line(int /*rank*/, bool standard_error, std::string_view text) {
  stream& to = streams_[standard_error ? 1 : 0];
  if (to.refused != 0) return;
  if (to.written > to.pending()) to.queue.erase(0, std::exchange(to.written, 0));
  to.queue += text;
  flush(to);
  tell_refused();
}

bool queued_sink::takes(bool standard_error) const noexcept {
  return streams_[standard_error ? 1 : 0].pending() < enough_pending;
}

void queued_sink::add_descriptors(std::vector<pollfd>& fds) const {
  for (const stream& each : streams_) {
    if (each.pending() != 0) fds.push_back({each.descriptor, POLLOUT, 0});
  }
}

void queued_sink::flush() {
  for (stream& each : streams_) flush(each);
  tell_refused();
}

void queued_sink::flush(stream& to) {
  if (to.pending() == 0) return;
  const std::size_t most = bytes_at_once(to.descriptor);
  while (to.pending() != 0) {
    pollfd ready{to.descriptor, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return;
    const ssize_t written =
        write(to.descriptor, to.queue.data() + to.written, std::min(to.pending(), most));
    if (written > 0) {
      to.written += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      to.refused = errno;
      to.written = to.queue.size();
    }
  }
  to.queue.clear();
  to.written = 0;
}

/// Lost output is a failure that somebody must hear of.
void queued_sink::tell_refused() {
  const stream& out = streams_[0];
  if (out.refused == 0 || told_) return;
  told_ = true;
  line(-1, true,
       fmt::format("upwash: cannot write standard output: {}; what ranks print there is lost\n",
                   std::strerror(out.refused)));
}

bool queued_sink::failed() const noexcept {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const stream& each) { return each.refused != 0; });
}

std::size_t queued_sink::pending() const noexcept {
  return streams_[0].pending() + streams_[1].pending();
}

int queued_sink::finish(const attention& signals, duration limit) {
  flush();
  duration since = steady_now();
  while (pending() != 0) {
    std::vector<pollfd> fds{{signals.fd(), POLLIN, 0}};
    add_descriptors(fds);
    poll(fds.data(), fds.size(), look_ms);
    const std::size_t before = pending();
    flush();
    if (pending() != before) since = steady_now();
    for (int signal = signals.next(); signal != 0; signal = signals.next()) {
      if (signal == SIGUSR1) continue;
      give_up(fmt::format("signal {} ({}) came first", signal, strsignal(signal)));
      return signal;
    }
    if (limit > duration{} && steady_now() - since > limit) {
      give_up(fmt::format("nobody has read them for {:g} s", limit.seconds()));
    }
  }
  return 0;
}

void queued_sink::give_up(std::string_view reason) {
  std::string lines;
  for (stream& each : streams_) {
    if (each.pending() == 0) continue;
    lines +=
        fmt::format("upwash: {} bytes of {} are lost: {}\n", each.pending(), each.name, reason);
    each.queue.clear();
    each.written = 0;
  }
  line(-1, true, lines);
  streams_[1].queue.clear();  // for want of a reader
  streams_[1].written = 0;
}

int finish_output(queued_sink& sink, const attention& signals, int status) {
  const int signal = sink.finish(signals, status == 0 ? duration{} : time_to_read);
  if (status != 0) return status;
  return signal != 0 ? 128 + signal : sink.failed() ? 1 : 0;
}

void say_lines(output_sink& sink, std::string_view text) {
  const std::size_t first = text.find('\n');
  sink.line(-1, true, fmt::format("upwash: {}\n", text.substr(0, first)));
  for (std::size_t at = first + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    sink.line(-1, true, text.substr(at, end - at));
    at = end;
  }
}

void line_reader::drain(int& fd, output_sink& sink) {
  std::array<char, 16384> buffer;
  for (int turn = 0; fd >= 0 && turn < reads_at_once; ++turn) {
    const ssize_t length = read(fd, buffer.data(), buffer.size());
    if (length > 0) {
      kept_.append(buffer.data(), static_cast<std::size_t>(length));
      split(sink);
      continue;
    }
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) return;
    close(fd);
    fd = -1;
    finish(sink);
  }
}

void line_reader::split(output_sink& sink) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = kept_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    emit(std::string_view(kept_).substr(begin, end + 1 - begin), sink);
  }
  kept_.erase(0, begin);
  if (kept_.size() > longest_piece) {
    emit(kept_, sink);
    kept_.clear();
  }
}

void line_reader::finish(output_sink& sink) {
  if (!kept_.empty()) emit(kept_, sink);
  kept_.clear();
}

void line_reader::emit(std::string_view text, output_sink& sink) const {
  if (label_.empty()) return sink.line(rank_, standard_error_, text);
  sink.line(rank_, standard_error_, label_ + std::string(text));
}

}  // namespace upwash::launch::detail
