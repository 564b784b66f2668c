// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A folder in shared memory for files that network engines make and unlink at once: the launcher
// removes it, and with it the file of a process that was killed in between.
#pragma once

#include <string>

namespace upwash::launch::detail {

/// The name of the folder. A process of the job that needs the folder makes it; the launcher
/// removes it with its files at the end of the job.
class job_folder {
 public:
  job_folder();
  ~job_folder();
  job_folder(const job_folder&) = delete;
  job_folder& operator=(const job_folder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace upwash::launch::detail
