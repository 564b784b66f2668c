// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wait policy of a process: spins with its own core, yields at once if cores are shared (a
// switch costs 1 us, a futex wake across cores 20 us), naps after a long time without events.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "upwash/base/duration.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash::conduit {

/// Processors as a set of bits. Processors from 1,024 on are not distinguished.
using processor_set = std::array<std::uint64_t, 16>;

/// Returns the processors that this process may run on.
[[nodiscard]] processor_set own_processors();

/// A process of this node and the number of its polling threads.
struct polling_process {
  processor_set processors{};
  std::int32_t threads = 1;
};

class patience {
 public:
  enum class policy : std::uint8_t { spin, yield, sleep };

  patience(policy chosen, duration sleep_after) : policy_(chosen), sleep_after_(sleep_after) {}

  /// Chooses the policy from the knobs. `auto` compares the polling threads of the node with the
  /// processors that they share with process `self`. Logs the choice and its reason as `conduit`.
  static patience choose(const settings& values, std::span<const polling_process> node,
                         std::size_t self, std::string_view conduit);

  /// Notes that something happened.
  void reset() noexcept { turn_ = 0; }

  /// Waits briefly. Returns true now and then: time for work that can be delayed.
  bool pause() noexcept;

  [[nodiscard]] policy chosen() const noexcept { return policy_; }

  /// Releases the core for about 20 us plus the timer's slack.
  static void nap_shortly() noexcept;

 private:
  void nap() const noexcept;

  policy policy_;
  bool napping_ = false;
  std::uint32_t turn_ = 0;  ///< pauses since the last event
  duration sleep_after_;
  duration since_;
};

}  // namespace upwash::conduit
