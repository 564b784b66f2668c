// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whole lines out of the pipes of a job's processes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "upwash/launch/launcher.hpp"

namespace upwash::launch::detail {

/// Writes lines to this process's standard output and error.
class standard_sink final : public output_sink {
 public:
  void line(int rank, bool standard_error, std::string_view text) override;
};

/// Likewise, and calls `waits` now and then while they take nothing more: a terminal that its user
/// has stopped, or a pipe to a slow reader.
class patient_sink final : public output_sink {
 public:
  explicit patient_sink(std::function<void()> waits) : waits_(std::move(waits)) {}
  void line(int rank, bool standard_error, std::string_view text) override;

 private:
  std::function<void()> waits_;
};

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
