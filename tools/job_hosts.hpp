// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The options of `upwash run`, `bench` and `tune` that put a job on several hosts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/conduit_row.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::tools {

class job_hosts {
 public:
  void add_to(CLI::App& command);

  [[nodiscard]] bool given() const noexcept { return !hosts_.empty(); }
  /// The hosts of a job that has any, in their order. Throws `error` (argument).
  [[nodiscard]] std::vector<launch::host_share> hosts() const;
  /// Has the job start there. `values`: the knobs that the job will have. Throws `error` when
  /// options contradict each other or the conduit.
  void put(const conduit::conduit_row& on, const settings& values,
           launch::launch_options& options) const;
  /// The same by the knobs of the environment; nothing where no hosts are given.
  void put(const conduit::conduit_row& on, launch::launch_options& options) const;

 private:
  [[nodiscard]] bool in_allocation() const noexcept { return hosts_ == "allocation"; }
  [[nodiscard]] std::string rsh(const settings& values) const;

  std::string hosts_;
  std::string rsh_;
  std::string upwash_;
  std::vector<std::string> exports_;
};

}  // namespace upwash::tools
