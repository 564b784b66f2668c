// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/job_lines.hpp"

#include <fmt/format.h>

namespace upwash::launch::detail {

std::string timeout_line(duration timeout) {
  return fmt::format("the time-out of {:g} s has passed; job ended", timeout.seconds());
}

std::string strangers_line(int processes, const std::string& program) {
  return fmt::format(
      "none of the {} processes has joined the job: '{}' calls neither upwash::run "
      "nor upwash::attach, so each ran by itself",
      processes, program);
}

}  // namespace upwash::launch::detail
