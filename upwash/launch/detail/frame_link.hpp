// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One end of the connection between `upwash run` and an agent: frames through two descriptors,
// never blocking, and whether the other end lives.
#pragma once

#include <poll.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/frames.hpp"

namespace upwash::launch::detail {

/// Time in which something should happen. What passes while nobody looks, since this process was
/// stopped or had to wait elsewhere, does not count.
class patience {
 public:
  explicit patience(duration limit) : limit_(limit) {}

  /// Called each turn of a loop.
  void look(duration now) noexcept;
  /// It has happened: the time begins anew.
  void renew() noexcept { waited_ = {}; }
  void set_limit(duration limit) noexcept { limit_ = limit; }
  [[nodiscard]] duration limit() const noexcept { return limit_; }
  [[nodiscard]] bool lost() const noexcept { return waited_ > limit_; }

 private:
  duration limit_;
  duration waited_;
  duration looked_;
};

class frame_link {
 public:
  /// Takes the descriptors and makes them nonblocking. The other end is dead when it says nothing
  /// for `limit`. `before` takes what comes before the frames, if anything does, and outlives this.
  frame_link(int in, int out, duration limit, greeting_finder* before = nullptr);
  ~frame_link();
  frame_link(const frame_link&) = delete;
  frame_link& operator=(const frame_link&) = delete;

  /// Sends, or keeps what cannot be written yet.
  template <class... T>
  void send(frame_kind kind, const T&... values) {
    send(make_frame(kind, values...));
  }
  void send(const frame& one);
  /// Sends a line of text, before any frame.
  void send_line(const std::string& text);
  void flush() noexcept;
  /// Flushes until all is written, or the other end has taken nothing for the time that makes it
  /// dead.
  void finish() noexcept;

  /// Reads what is there. False at the end of the stream.
  bool receive();
  /// Throws `error` (fault) for bytes that are none of upwash's.
  [[nodiscard]] std::optional<frame> next();

  /// Each turn of a loop that receives: whether the other end is silent, and beat.
  void look(duration now);
  /// Says that this end lives, when it has said nothing else for a while.
  void beat(duration now);
  void set_limit(duration limit) noexcept { heard_.set_limit(limit); }
  /// The other end has a reason to be silent: its time begins anew.
  void excuse() noexcept { heard_.renew(); }
  [[nodiscard]] duration limit() const noexcept { return heard_.limit(); }
  [[nodiscard]] bool silent() const noexcept { return heard_.lost(); }
  /// Bytes that wait to be written.
  [[nodiscard]] std::size_t pending() const noexcept { return queued_.size() - written_; }

  void add_descriptors(std::vector<pollfd>& fds) const;

 private:
  int in_;   ///< -1 once it has ended
  int out_;  ///< -1 once nobody reads any more
  greeting_finder* before_;
  frame_reader reader_;
  std::vector<std::byte> queued_;
  std::size_t written_ = 0;  ///< of them
  patience heard_;
  duration said_;
};

}  // namespace upwash::launch::detail
