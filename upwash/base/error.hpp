// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one exception type. A message says what happened, the value seen, the
// valid values, and what to do. Hot paths use statuses, never exceptions.
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
  /// `what` says what happened, with values, and what to do.
  error(error_kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

  /// What sort of error: who can mend it.
  [[nodiscard]] error_kind kind() const noexcept { return kind_; }

  /// What a program that dies of this error should return: 2 for bad input, else 1.
  [[nodiscard]] int exit_status() const noexcept {
    return kind_ == error_kind::system || kind_ == error_kind::fault ? 1 : 2;
  }

 private:
  error_kind kind_;
};

/// An `error` of kind `system`: "<what>: <text of errno>".
[[nodiscard]] error system_error(const std::string& what, int error_number);

}  // namespace upwash
