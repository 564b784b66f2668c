// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `upwash run` and its agents say to each other: frames on the standard input and output of
// the remote shell. A frame is its length (4 bytes, of kind and payload), its kind (1 byte) and its
// payload (base/archive.hpp). Before its first frame an agent writes one line, `greeting()`; a line
// end goes before it, since a login shell may have said something without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/archive.hpp"

namespace upwash::launch::detail {

enum class frame_kind : std::uint8_t {
  beat,       ///< both ways, while nothing else is said: whoever sends lives
  joined,     ///< both ways: int, so many more processes (of others) have joined the job
  setup,      ///< down: agent_setup; the host is not to start anything yet
  start,      ///< down: all hosts have answered
  exchanged,  ///< down: exchange_blobs of all processes of the job
  question,   ///< down: std::uint32_t; all ranks are to tell what they are in
  pass_on,    ///< down: SIGUSR1 has come, for ranks that have a handler
  end,        ///< down: int status, string why; the job has failed
  hold,       ///< down: int, bits of streams (1 output, 2 error) whose lines are to wait
  suspend,    ///< down: the head is about to be stopped, and the ranks with it
  resume,     ///< down: it goes on
  line,       ///< up: int rank, int 1 for standard error, string text
  exchange,   ///< up: exchange_blobs of the host's processes
  failed,     ///< up: int status, string why
  hang,       ///< up: a rank of the host waits too long
  standings,  ///< up: std::uint32_t question, vector of observe::standing
  done,       ///< up: int status, string early exit; the host's processes have ended
};
inline constexpr auto last_frame_kind = frame_kind::done;

/// One all-gather of the bootstrap, or the share of a host in it.
struct exchange_blobs {
  std::uint32_t generation = 0;               ///< so many exchanges came before
  std::vector<std::vector<std::byte>> blobs;  ///< by process

  template <class A>
  void serialize(A& a) {
    a(generation, blobs);
  }
};

struct frame {
  frame_kind kind = frame_kind::beat;
  std::vector<std::byte> payload;
};

/// No frame is longer: what announces more is none of upwash.
inline constexpr std::size_t largest_frame = std::size_t{256} << 20U;

/// "upwash agent VERSION PROTOCOL": head and agent must agree on it.
[[nodiscard]] std::string greeting();

/// Appends a frame. Throws `error` (fault) when it would be larger than the largest.
void append_frame(std::vector<std::byte>& out, const frame& one);

template <class... T>
[[nodiscard]] frame make_frame(frame_kind kind, const T&... values) {
  frame made{kind, {}};
  archive_writer(made.payload)(values...);
  return made;
}

/// The values of a frame. Throws `error` (fault) when it has others.
template <class... T>
void read_frame(const frame& from, T&... values) {
  archive_reader reader(from.payload);
  reader(values...);
  if (!reader.rest().empty()) throw error(error_kind::fault, "a frame is longer than its values");
}

/// Frames out of a stream of bytes, however it is cut.
class frame_reader {
 public:
  void add(std::span<const std::byte> bytes);

  /// The next whole frame. Throws `error` (fault) for bytes that are none.
  [[nodiscard]] std::optional<frame> next();

  /// Whether a part of a frame is left: the stream must not end here.
  [[nodiscard]] bool in_the_middle() const noexcept { return taken_ != kept_.size(); }

 private:
  std::vector<std::byte> kept_;
  std::size_t taken_ = 0;  ///< of them, by frames that were handed out
};

/// Finds the greeting in what a remote shell prints: login shells may say something before.
class greeting_finder {
 public:
  /// Takes bytes until the greeting has come; answers with how many it took.
  std::size_t add(std::span<const std::byte> bytes);

  [[nodiscard]] bool found() const noexcept { return found_; }
  /// The greeting's line, when found: of this version or of another.
  [[nodiscard]] const std::string& line() const noexcept { return line_; }
  /// Whole lines that came before, once each; all that is left when the stream has ended.
  [[nodiscard]] std::vector<std::string> take_foreign(bool ended);

 private:
  std::string line_;  ///< not yet whole
  std::vector<std::string> foreign_;
  bool found_ = false;
};

}  // namespace upwash::launch::detail
