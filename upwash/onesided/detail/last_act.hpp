// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For destructors with a final action: send, hand over.
#pragma once

#include <exception>

namespace upwash::detail {

/// Made together with its object. `run` does the final action in the object's destructor. Its
/// exceptions are passed on, but not while an exception unwinds the stack that was not active when
/// the object was made. The job, which has failed, then reports the error at its next progress.
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
