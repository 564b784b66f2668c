// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A bar on standard error for runs that take longer than a second.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

#include "upwash/base/duration.hpp"

namespace upwash::tools {

/// Of several runs, one after the other; `next_run` begins each. Nothing where there is no
/// terminal.
class progress_bar {
 public:
  progress_bar(std::size_t runs, bool quiet)
      : runs_(static_cast<double>(runs)), quiet_(quiet || isatty(STDERR_FILENO) == 0) {}
  ~progress_bar() { clear(); }
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void next_run() {
    clear();
    ++run_;
  }
  void show(double done) {
    if (quiet_ || (steady_now() - start_).seconds() < 1) return;
    const double all = (run_ - 1 + done) / runs_;
    const int filled = static_cast<int>(all * 40);
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3.0f} %", "", filled, "", 40 - filled, all * 100);
    shown_ = true;
  }

 private:
  void clear() {
    if (shown_) fmt::print(stderr, "\r{:60}\r", "");
    shown_ = false;
  }

  double runs_;
  bool quiet_;
  double run_ = 0;
  bool shown_ = false;
  duration start_ = steady_now();
};

}  // namespace upwash::tools
