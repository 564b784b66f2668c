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

namespace upwash::launch::detail {
namespace {

constexpr std::size_t longest_piece = std::size_t{1} << 20U;
constexpr int look_ms = 200;
constexpr int reads_at_once = 16;  // then the other pipes and the deaths have their turn

}  // namespace

void standard_sink::line(int /*rank*/, bool standard_error, std::string_view text) {
  const int fd = standard_error ? STDERR_FILENO : STDOUT_FILENO;
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;  // nobody to tell
    }
  }
}

void patient_sink::line(int /*rank*/, bool standard_error, std::string_view text) {
  const int fd = standard_error ? STDERR_FILENO : STDOUT_FILENO;
  while (!text.empty()) {
    waits_();
    pollfd ready{fd, POLLOUT, 0};
    if (poll(&ready, 1, look_ms) <= 0) continue;
    // What is ready takes so much at once without waiting.
    const ssize_t written = write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      return;  // nobody to tell
    }
  }
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
