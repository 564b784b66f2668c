// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is said while many candidates are priced, on terminals and elsewhere.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>

#include "upwash/base/duration.hpp"

namespace upwash::tools {

/// A line on standard error every ten seconds.
class pricing_progress {
 public:
  void done(std::size_t candidates, std::size_t of_all) {
    if ((steady_now() - told_).seconds() < 10) return;
    told_ = steady_now();
    fmt::print(stderr, "upwash: {} of {} candidates are priced\n", candidates, of_all);
  }

 private:
  duration told_ = steady_now();
};

}  // namespace upwash::tools
