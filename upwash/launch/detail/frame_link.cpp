// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/frame_link.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace upwash::launch::detail {
namespace {

/// A loop looks each 100 ms or more often; where it does not, the time was not its own.
const duration longest_look = duration::from_us(300e3);
constexpr int beats_in_limit = 4;
constexpr int reads_at_once = 16;  // then the others have their turn

/// As write, but without the signal when nobody reads: it would end this process, and its user may
/// want it for other descriptors.
ssize_t write_quietly(int fd, std::span<const std::byte> bytes) noexcept {
  sigset_t pipe_signal;
  sigset_t before;
  sigset_t waiting;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&waiting);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  const int why = errno;
  if (written < 0 && why == EPIPE && sigismember(&waiting, SIGPIPE) == 0) {
    const timespec now{};
    sigtimedwait(&pipe_signal, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  return written;
}

void close_and_forget(int& fd) noexcept {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

void patience::look(duration now) noexcept {
  waited_ += std::min(now - looked_, longest_look);
  looked_ = now;
}

frame_link::frame_link(int in, int out, duration limit, greeting_finder* before)
    : in_(in), out_(out), before_(before), heard_(limit) {
  for (const int fd : {in_, out_}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

frame_link::~frame_link() {
  close_and_forget(in_);
  close_and_forget(out_);
}

void frame_link::send(const frame& one) {
  if (written_ > pending()) {
    queued_.erase(queued_.begin(), queued_.begin() + static_cast<std::ptrdiff_t>(written_));
    written_ = 0;
  }
  append_frame(queued_, one);
  flush();
}

void frame_link::send_line(const std::string& text) {
  for (const char one : text) queued_.push_back(static_cast<std::byte>(one));
  queued_.push_back(static_cast<std::byte>('\n'));
  flush();
}

void frame_link::flush() noexcept {
  while (out_ >= 0 && pending() != 0) {
    const ssize_t written = write_quietly(out_, std::span(queued_).subspan(written_));
    if (written > 0) {
      written_ += static_cast<std::size_t>(written);
      said_ = steady_now();
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      close_and_forget(out_);
    }
  }
  queued_.clear();
  written_ = 0;
}

void frame_link::finish() noexcept {
  patience taken(heard_.limit());
  for (std::size_t left = pending(); left != 0 && !taken.lost(); left = pending()) {
    pollfd ready{out_, POLLOUT, 0};
    poll(&ready, 1, 100);
    flush();
    if (pending() != left) taken.renew();
    taken.look(steady_now());
  }
}

bool frame_link::receive() {
  std::array<std::byte, 65536> buffer;
  for (int turn = 0; in_ >= 0 && turn < reads_at_once; ++turn) {
    const ssize_t length = read(in_, buffer.data(), buffer.size());
    if (length > 0) {
      heard_.renew();
      auto bytes = std::span<const std::byte>(buffer).first(static_cast<std::size_t>(length));
      if (before_ != nullptr && !before_->found()) bytes = bytes.subspan(before_->add(bytes));
      reader_.add(bytes);
    } else if (length < 0 && errno == EAGAIN) {
      break;
    } else if (length == 0 || errno != EINTR) {
      close_and_forget(in_);
    }
  }
  return in_ >= 0;
}

std::optional<frame> frame_link::next() { return reader_.next(); }

void frame_link::look(duration now) {
  heard_.look(now);
  beat(now);
}

void frame_link::beat(duration now) {
  flush();
  const auto pause = duration::from_ps(heard_.limit().ps() / beats_in_limit);
  if (pending() == 0 && now - said_ >= pause) send(frame_kind::beat);
}

void frame_link::add_descriptors(std::vector<pollfd>& fds) const {
  // Negative descriptors are passed over.
  fds.push_back({in_, POLLIN, 0});
  fds.push_back({pending() != 0 ? out_ : -1, POLLOUT, 0});
}

}  // namespace upwash::launch::detail
