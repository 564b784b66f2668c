// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whole lines out of the pipes of a job's processes, and to the launcher's own standard output and
// error. The launcher never waits for their reader: deaths, signals and the time-out come first.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/attention.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

/// Writes lines to this process's standard output and error without blocking. Lines that a stopped
/// terminal or a slow reader does not take are queued, up to about 256 KiB a stream: then `takes`
/// is false, and the lines of the ranks wait in their pipes.
class queued_sink final : public output_sink {
 public:
  void line(int rank, bool standard_error, std::string_view text) override;

  /// Whether there is room for more lines of the ranks.
  [[nodiscard]] bool takes(bool standard_error) const noexcept;
  /// Adds the descriptors for which lines are queued.
  void add_descriptors(std::vector<pollfd>& fds) const;
  /// Writes the queued bytes that can be written now. Each turn of the launcher's loop.
  void flush();
  /// Writes the queued rest at the end of a job. Gives up after a signal, or when nobody has read
  /// for `limit` (zero: never), and tells how many bytes are lost. Returns the signal, or 0.
  [[nodiscard]] int finish(const attention& signals, duration limit);
  /// Whether the system has refused a write; one line on standard error has said so.
  [[nodiscard]] bool failed() const noexcept;

 private:
  struct stream {
    int descriptor;
    const char* name;
    std::string queue{};
    std::size_t written = 0;  ///< of the queue
    int refused = 0;          ///< errno of a write; nothing is written any more

    [[nodiscard]] std::size_t pending() const noexcept { return queue.size() - written; }
  };

  static void flush(stream& to);
  void tell_refused();
  [[nodiscard]] std::size_t pending() const noexcept;
  void give_up(std::string_view reason);

  std::array<stream, 2> streams_{{{1, "standard output"}, {2, "standard error"}}};
  bool told_ = false;  ///< that a write was refused
};

/// How long a job that has failed waits for a reader of its last lines.
inline const duration time_to_read = duration::from_seconds(2);

/// The end of a launcher: writes the rest of its output, for a failed job at most until nobody has
/// read for `time_to_read`. Returns the job's `status`; if that is 0, 1 for output that could not
/// be written and 128 + signal for a signal that came first.
[[nodiscard]] int finish_output(queued_sink& sink, const attention& signals, int status);

/// Text of the launcher's own, of several lines: the first begins with "upwash: ".
void say_lines(output_sink& sink, std::string_view text);

/// One pipe: keeps the beginning of a line until its end comes.
class line_reader {
 public:
  /// `rank`: the first of the process. `label`: begins each line.
  line_reader(int rank, bool standard_error, std::string label)
      : rank_(rank), standard_error_(standard_error), label_(std::move(label)) {}

  /// Reads what is there and hands whole lines on; at the end of the pipe, or of a line's
  /// patience (1 MiB), also a piece. Closes `fd` and sets it to -1 at the end.
  void drain(int& fd, output_sink& sink);

  /// Hands on the piece that is left.
  void finish(output_sink& sink);

 private:
  void split(output_sink& sink);
  void emit(std::string_view text, output_sink& sink) const;

  int rank_;
  bool standard_error_;
  std::string label_;
  std::string kept_;
};

}  // namespace upwash::launch::detail
