// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measures the time in methods of an object.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_core.hpp"

namespace upwash::objects {

/// Measures from its construction to its destruction, if the array measures.
class stopwatch {
 public:
  explicit stopwatch(element& of) : of_(of.measured == nullptr ? nullptr : &of) {
    if (of_ != nullptr) begin_ = of_->of.among().here().now();
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    if (of_ != nullptr) of_->measured->time += of_->of.among().here().now() - begin_;
  }

 private:
  element* of_;
  duration begin_;
};

}  // namespace upwash::objects
