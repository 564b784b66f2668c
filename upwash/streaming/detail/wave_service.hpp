// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The detections of a rank, and where their messages come in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/service.hpp"
#include "upwash/streaming/detail/waves.hpp"

namespace upwash::streaming {

struct wave_state {
  tally below;      ///< of the subtrees that have contributed to this wave
  int arrived = 0;  ///< how many
  tally messages;   ///< those that go through a detection themselves (quiescence::send)
  waves* owner = nullptr;
};

class wave_service final : public service_base {
 public:
  using key = std::pair<std::uint64_t, std::uint64_t>;  ///< team, number of the detection on it

  explicit wave_service(job& here) : here_(here) {}

  /// The number of the next detection on the team, the same at all members.
  [[nodiscard]] std::uint64_t next_number(const team& among) { return ++numbers_[among.id()]; }
  /// Made where it is not there yet.
  [[nodiscard]] wave_state& state(const key& which) { return states_[which]; }
  void remove(const key& which) { states_.erase(which); }
  /// Some detection may go on.
  void wake() { host(here_).set_busy(*this, true); }
  [[nodiscard]] bool in_callback() const noexcept { return in_callback_; }

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;

 private:
  job& here_;
  bool in_callback_ = false;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::map<key, wave_state> states_;
};

}  // namespace upwash::streaming
