// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI in this process, and how the process ends: MPI's launchers do not all notice one that leaves
// a job that the others are still in.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "upwash/conduit/mpi/mpi_engine.hpp"

namespace upwash::conduit::mpi {

/// One a process, from MPI's start on; lives as long as the process, as what MPI began does.
class exit_watch {
 public:
  /// Never freed.
  [[nodiscard]] static exit_watch& make(std::unique_ptr<mpi_engine> engine);
  exit_watch(const exit_watch&) = delete;
  exit_watch& operator=(const exit_watch&) = delete;

  [[nodiscard]] mpi_engine& engine() noexcept { return *engine_; }
  /// A name that only this job has, and one of this process for messages: "rank 3", "ranks 4 to 7".
  void set_names(std::string job, std::string self) {
    job_ = std::move(job);
    name_ = std::move(self);
  }

  /// The process has left its job in good order.
  void left() noexcept { now_ = state::outside; }
  /// Says why, unless another process of the node has, and ends the job. An empty text says
  /// nothing.
  [[noreturn]] void end_job(int rank, int status, std::string_view why) noexcept;
  /// Says why, and ends the job when the process does, with status 1 at least, or in a second.
  void end_job_soon(int rank, std::string_view why) noexcept;

 private:
  enum class state { inside, deserting, outside };

  explicit exit_watch(std::unique_ptr<mpi_engine> engine) : engine_(std::move(engine)) {}
  static void note_status(int status, void* self);
  static void at_end(void* self);

  std::unique_ptr<mpi_engine> engine_;
  pid_t pid_ = getpid();
  std::string job_ = std::to_string(getpid());  ///< until all have met
  std::string name_ = "a process";
  state now_ = state::inside;
  int status_ = 0;  ///< that the process exits with
};

}  // namespace upwash::conduit::mpi
