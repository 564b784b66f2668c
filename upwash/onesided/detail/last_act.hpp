// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For destructors that do what their object stands for: send, hand over.
#pragma once

#include <exception>

namespace upwash::detail {

/// Made with the object. In its destructor `run` does the last act: what that throws goes up, but
/// not while an exception unwinds the stack that was not there when the object was made. The job,
/// which has failed, then says so at its next progress.
class last_act {
 public:
  template <class Act>
  void run(const Act& act) const {
    if (std::uncaught_exceptions() == exceptions_) return act();
    try {
      act();
    } catch (...) {  // NOLINT(bugprone-empty-catch): one exception is under way already
    }
  }

 private:
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace upwash::detail
