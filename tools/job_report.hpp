// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UPWASH_REPORT: what a job did, told at its end by what started it.
#pragma once

#include <filesystem>
#include <string>

namespace upwash::tools {

/// Made of a trace, which it asks for where the user does not, and removes then.
class job_report {
 public:
  /// `report`: "0" or empty: none; "1": on standard error; else a file, which gets JSON. `trace`:
  /// the file that the user wants; empty: none.
  job_report(std::string report, std::string trace);
  job_report(const job_report&) = delete;
  job_report& operator=(const job_report&) = delete;
  ~job_report();

  /// Where the job is to be traced; empty: nowhere.
  [[nodiscard]] const std::string& trace() const noexcept { return trace_; }
  /// When the job has ended and its trace is one file. What fails is told as a warning.
  void tell() const noexcept;

 private:
  void write() const;

  std::string report_;
  std::string trace_;
  std::filesystem::file_time_type before_ =
      std::filesystem::file_time_type::min();  ///< when there was a trace before
  std::string folder_;                         ///< of its own; empty: none
};

}  // namespace upwash::tools
