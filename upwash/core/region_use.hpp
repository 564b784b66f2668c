// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For layers above core whose operations reach a region later than they begin.
#pragma once

#include <cstddef>
#include <utility>

#include "upwash/core/global_ptr.hpp"

namespace upwash {

class job;

namespace detail {
struct region_state;
}

/// Keeps the region of a place from being freed, as an operation there that a program waits for.
/// A region that this rank is no member of is not kept. Rank's own thread; ends before the job.
class region_use {
 public:
  region_use(job& here, global_ptr<std::byte> at);
  region_use(region_use&& other) noexcept
      : here_(other.here_), region_(std::exchange(other.region_, nullptr)) {}
  region_use(const region_use&) = delete;
  region_use& operator=(const region_use&) = delete;
  ~region_use();

 private:
  job* here_;
  detail::region_state* region_;
};

}  // namespace upwash
