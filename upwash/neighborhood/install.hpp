// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gives the neighborhoods of a job the machine that their schemes are chosen for.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace upwash {
class job;
struct machine;
}  // namespace upwash

namespace upwash::neighborhoods {

/// A machine by name. Its file is read at the first use. The ranks of a process share the object.
class machine_by_name {
 public:
  explicit machine_by_name(std::string name) : name_(std::move(name)) {}
  /// Returns the machine. Throws `error` (configuration) as `load_machine` does.
  [[nodiscard]] const machine& get();

 private:
  std::string name_;
  std::once_flag once_;
  std::shared_ptr<const machine> read_;
};

/// Sets the machine with the costs by which schemes are chosen. Called on every rank when the job
/// starts. Local. `on` outlives the job.
void install(job& here, machine_by_name& on);

}  // namespace upwash::neighborhoods
