// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `--ranks-per-process`, of all subcommands that start ranks: how many of them share a process.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "upwash/conduit/conduit_row.hpp"
#include "upwash/launch/launcher.hpp"

namespace upwash::tools {

class rank_hosting {
 public:
  /// The command line writes to this object, which outlives it.
  void add_to(CLI::App& command);

  [[nodiscard]] bool given() const noexcept { return text_.has_value(); }
  /// Takes the value of the knob ranks_per_process where the option is not given.
  void follow(const std::string& knob) {
    if (!given() && !knob.empty()) text_ = knob;
  }
  /// Whether the option is given with another value.
  [[nodiscard]] bool contradicts(const std::string& knob) const {
    return given() && *text_ != knob;
  }
  /// The option as it is given, for errors.
  [[nodiscard]] std::string option() const { return "--ranks-per-process " + *text_; }

  /// Puts `ranks` ranks into processes of `options`, or tells those of a conduit of one process by
  /// its knobs. Throws `error` (argument) for what is neither a number from 1 nor auto.
  void host(int ranks, const conduit::conduit_row& on, launch::launch_options& options) const;

 private:
  [[nodiscard]] int most(int ranks) const;

  std::optional<std::string> text_;
};

/// At log level info: what ranks that share cores as processes would have of sharing processes.
void suggest_hosting(int ranks);

}  // namespace upwash::tools
