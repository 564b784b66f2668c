// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the composition root gives a job's neighborhoods.
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

/// A machine by name, read from its file when it is first asked for. Shared by the ranks of a
/// process.
class machine_by_name {
 public:
  explicit machine_by_name(std::string name) : name_(std::move(name)) {}
  /// Throws `error` (configuration) as `load_machine` does.
  [[nodiscard]] const machine& get();

 private:
  std::string name_;
  std::once_flag once_;
  std::shared_ptr<const machine> read_;
};

/// On every rank when the job starts: schemes are chosen by this machine's costs. Local.
/// `on` outlives the job.
void install(job& here, machine_by_name& on);

}  // namespace upwash::neighborhoods
