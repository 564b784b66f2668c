// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a process waits: spins with a core of its own, yields at once when cores are shared (a
// switch costs 1 us, a futex wake across cores 20), naps after a long time without news.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "upwash/base/duration.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::conduit {

/// Processors as a set of bits; those from 1,024 on are not told apart.
using processor_set = std::array<std::uint64_t, 16>;

/// The processors that this process may run on.
[[nodiscard]] processor_set own_processors();

/// A process of this node, and how many of its threads poll.
struct polling_process {
  processor_set processors{};
  std::int32_t threads = 1;
};

class patience {
 public:
  enum class policy : std::uint8_t { spin, yield, sleep };

  patience(policy chosen, duration sleep_after) : policy_(chosen), sleep_after_(sleep_after) {}

  /// As the knobs say; auto by how many polling threads of these processes of the node share how
  /// many processors with the one at `self`. Logs the choice and why, as `conduit`.
  static patience choose(const settings& values, std::span<const polling_process> node,
                         std::size_t self, std::string_view conduit);

  /// Something happened.
  void reset() noexcept { turn_ = 0; }

  /// Waits a little. True now and then: time to look after things that may wait.
  bool pause() noexcept;

  [[nodiscard]] policy chosen() const noexcept { return policy_; }

  /// Gives the core up for about 20 us, and what the timer adds.
  static void nap_shortly() noexcept;

 private:
  void nap() const noexcept;

  policy policy_;
  bool napping_ = false;
  std::uint32_t turn_ = 0;  ///< pauses since something happened
  duration sleep_after_;
  duration since_;
};

}  // namespace upwash::conduit
