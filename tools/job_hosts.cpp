// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job_hosts.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "upwash/base/error.hpp"
#include "upwash/base/text_words.hpp"
#include "upwash/launch/allocation.hpp"
#include "upwash/launch/hosts.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::tools {
namespace {

[[noreturn]] void wrong(const std::string& text) { throw error(error_kind::argument, text); }

/// "NAME=value" of "NAME", which must be set here, or of itself.
std::string exported(const std::string& given) {
  if (given.empty() || given.front() == '=') {
    wrong(fmt::format("--export '{}': expected NAME or NAME=value", given));
  }
  if (given.find('=') != std::string::npos) return given;
  const char* value = std::getenv(given.c_str());
  if (value == nullptr) wrong(fmt::format("--export {}: no such variable is set here", given));
  return fmt::format("{}={}", given, value);
}

}  // namespace

void job_hosts::add_to(CLI::App& command) {
  auto* hosts = command.add_option(
      "--hosts", hosts_,
      "Hosts with their numbers of ranks, as a:8,b:8; @FILE: a file with one host per line; "
      "allocation: the hosts of the surrounding Slurm job (default: this machine)");
  command
      .add_option("--rsh", rsh_,
                  "Command that runs a command on a host; host and command are appended (default: "
                  "ssh -o BatchMode=yes, in an allocation srun; knob rsh)")
      ->needs(hosts);
  command
      .add_option("--remote-upwash", upwash_,
                  "Path of the upwash command on the hosts (default: the path of this one)")
      ->needs(hosts);
  command
      .add_option("--export", exports_,
                  "NAME or NAME=value: a variable for the ranks on all hosts, in addition to PATH, "
                  "LD_LIBRARY_PATH and UPWASH_*; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->needs(hosts);
}

std::vector<launch::host_share> job_hosts::hosts() const {
  if (!in_allocation()) return launch::parse_hosts(hosts_);
  return launch::allocated_hosts([](const char* name) -> const char* { return std::getenv(name); });
}

/// The option, else the knob where somebody has set it.
std::string job_hosts::rsh(const settings& values) const {
  if (!rsh_.empty()) return rsh_;
  const bool own = values.source("rsh") == knob_source::fallback && in_allocation();
  return own ? std::string(launch::slurm_rsh) : values.text("rsh");
}

void job_hosts::put(const conduit::conduit_row& on, const settings& values,
                    launch::launch_options& options) const {
  if (!on.several_processes) {
    wrong(fmt::format("--hosts needs ranks in processes of their own: {} is one process, here",
                      on.name));
  }
  if (options.ranks_a_process == 0) {
    wrong(
        "--ranks-per-process auto: how many cores other hosts have is not known here; give a "
        "number");
  }
  options.hosts = hosts();
  options.remote.rsh = words_of(rsh(values));
  if (options.remote.rsh.empty()) wrong("--rsh: expected a command");
  options.remote.rsh_is_chosen = !rsh_.empty() || values.source("rsh") != knob_source::fallback;
  options.remote.upwash = upwash_;
  options.remote.start_timeout = values.time("start_timeout");
  options.remote.host_timeout = values.time("host_timeout");
  for (const std::string& one : exports_) options.environment.push_back(exported(one));
}

void job_hosts::put(const conduit::conduit_row& on, launch::launch_options& options) const {
  if (!given()) return;
  if (hosts().size() > 1 && !on.spans_nodes) {
    wrong(
        fmt::format("--conduit {}: its ranks are on one host; over several shm+ucx, shm+mpi, ucx "
                    "or mpi",
                    on.name));
  }
  knob_table table;
  add_all_knobs(table);
  put(on, settings::from_environment(table), options);
}

}  // namespace upwash::tools
