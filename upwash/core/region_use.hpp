// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For layers above core whose operations reach a region some time after they begin.
#pragma once

#include <cstddef>
#include <utility>

#include "upwash/core/global_ptr.hpp"

namespace upwash {

class job;

namespace detail {
struct region_state;
}

/// Keeps the region of a location from being freed, as a pending operation of a program does. Does
/// not keep a region of which this rank is no member. Used by the rank's own thread; destroyed
/// before the job.
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
