// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What happens to bad input: nothing throws out of a C name. A function with a code returns it and
// says why in a line on standard error; one without ends the job with that line.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "interop/armci/detail/session.hpp"

namespace upwash::armci {

/// ARMCI's codes; 0 is success.
enum class code : int {
  address = -1,  ///< null, or in no memory that its owner has from ARMCI_Malloc
  list = -2,     ///< no array where there must be one
  count = -3,    ///< negative or too large: bytes, counts, strides, lengths
  levels = -4,   ///< of strides
  rank = -5,     ///< none of the job's
  failed = -6,   ///< not now: what must come before has not, or the machine refuses
  kind = -7,     ///< no such type or operation
  number = -8    ///< no such mutex
};

/// Why a call is refused: `what` goes behind the function's name.
class refusal final : public std::exception {
 public:
  refusal(code which, std::string what) : which_(which), what_(std::move(what)) {}
  [[nodiscard]] code which() const noexcept { return which_; }
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  code which_;
  std::string what_;
};

/// In a catch block. Bad input: a line, and the code. What the job cannot go on after ends it.
int tell(const char* function) noexcept;
/// In a catch block: a line, and the job ends.
[[noreturn]] void tell_and_end(const char* function) noexcept;

/// Runs what a function with a code does, which returns nothing or the result.
template <class Body>
int answer(const char* function, Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, session&>>) {
      body(session::in_armci());
      return 0;
    } else {
      return body(session::in_armci());
    }
  } catch (...) {
    return tell(function);
  }
}

/// The same for functions without a code, between ARMCI_Init and ARMCI_Finalize.
template <class Body>
auto must(const char* function, Body&& body) noexcept {
  try {
    return body(session::in_armci());
  } catch (...) {
    tell_and_end(function);
  }
}

/// The same for messages, which need no ARMCI_Init: the first call joins the job.
template <class Body>
auto must_in_job(const char* function, Body&& body) noexcept {
  try {
    return body(session::in_job());
  } catch (...) {
    tell_and_end(function);
  }
}

}  // namespace upwash::armci
