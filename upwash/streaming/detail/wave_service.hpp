// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The detections of a rank, and the entry of their messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/service.hpp"
#include "upwash/streaming/detail/waves.hpp"

namespace upwash::streaming {

struct wave_state {
  tally below;      ///< of the subtrees that have contributed to this wave
  int arrived = 0;  ///< number of these subtrees
  tally messages;   ///< messages sent through a detection (quiescence::send)
  waves* owner = nullptr;
};

class wave_service final : public service_base {
 public:
  using key = std::pair<std::uint64_t, std::uint64_t>;  ///< team, number of the detection on it

  explicit wave_service(job& here) : here_(here) {}

  /// Returns the number of the next detection on the team, the same at all members.
  [[nodiscard]] std::uint64_t next_number(const team& among) { return ++numbers_[among.id()]; }
  /// Returns the state of a detection; made on first use.
  [[nodiscard]] wave_state& state(const key& which) { return states_[which]; }
  void remove(const key& which) { states_.erase(which); }
  /// Notes that an epoch on the team begins, or is over.
  void note_begin(std::uint64_t team) {
    epochs& of = epochs_[team];
    ++of.begun;
    ++of.under_way;
  }
  void note_end(std::uint64_t team) { --epochs_[team].under_way; }
  /// Returns the number of the only epoch under way on the team. Empty for one among several: their
  /// order may differ between members.
  [[nodiscard]] std::optional<std::uint64_t> only_epoch(std::uint64_t team) const;
  /// Notes that some detection may advance.
  void wake() { host(here_).set_busy(*this, true); }
  [[nodiscard]] bool in_callback() const noexcept { return in_callback_; }

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;
  [[nodiscard]] std::uint64_t begun_on(std::uint64_t team, observe::series which) const override;
  /// Above streams: if one of the two rejects a release, nothing has changed at any member.
  [[nodiscard]] team_place place_on_teams() const override { return {400, "quiescence"}; }
  void on_team_free(const team& going) override;

 private:
  struct epochs {
    std::uint64_t begun = 0;
    std::uint64_t under_way = 0;
  };

  job& here_;
  bool in_callback_ = false;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::map<std::uint64_t, epochs> epochs_;  ///< by team
  std::map<key, wave_state> states_;
};

}  // namespace upwash::streaming
