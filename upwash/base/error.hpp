// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one exception type. A message states the event, the value seen, the valid values, and the
// remedy. Hot paths use statuses, never exceptions.
#pragma once

#include <stdexcept>
#include <string>

namespace upwash {

enum class error_kind {
  argument,       ///< a call or a command line was wrong; exit status 2
  configuration,  ///< a knob, file or machine description was wrong; exit status 2
  environment,    ///< the launcher or the surroundings do not fit; exit status 2
  system,         ///< the operating system refused; exit status 1
  fault,          ///< a rank died, a handler threw, ranks disagree; exit status 1
};

class error : public std::runtime_error {
 public:
  /// `what` states the event, with values, and the remedy.
  error(error_kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

  /// Returns the kind of error, which tells where the remedy lies.
  [[nodiscard]] error_kind kind() const noexcept { return kind_; }

  /// Returns the exit status for a program that ends with this error: 2 for bad input, else 1.
  [[nodiscard]] int exit_status() const noexcept {
    return kind_ == error_kind::system || kind_ == error_kind::fault ? 1 : 2;
  }

 private:
  error_kind kind_;
};

/// Returns an `error` of kind `system`: "<what>: <text of errno>".
[[nodiscard]] error system_error(const std::string& what, int error_number);

}  // namespace upwash
