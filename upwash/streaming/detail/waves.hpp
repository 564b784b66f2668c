// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waves that add up what the members of a team have begun and ended, until nothing is left: what
// quiescence detection and the end of a stream are made of. Source: Mattern 1987 (four counters).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "upwash/core/incoming.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/service.hpp"
#include "upwash/core/team.hpp"

namespace upwash::streaming {

/// Pieces of work of a member since it began; never less than before.
struct tally {
  std::uint64_t created = 0;
  std::uint64_t handled = 0;  ///< what handling one creates is counted before it is
  tally& operator+=(const tally& other) noexcept {
    created += other.created;
    handled += other.handled;
    return *this;
  }
  friend bool operator==(const tally&, const tally&) = default;
};

/// Whose work the waves count.
class counted_work {
 public:
  /// Sends what this member keeps back. Not called in handlers; may wait for credit.
  virtual void flush() = 0;
  [[nodiscard]] virtual tally count() const = 0;

 protected:
  ~counted_work() = default;
};

class waves;

/// What messages of a detection find at a member, whether it has begun or not.
struct wave_state {
  tally below;      ///< of the subtrees that have contributed to this wave
  int arrived = 0;  ///< how many
  tally messages;   ///< those that go through a detection themselves (quiescence::send)
  waves* owner = nullptr;
};

/// The detections of a rank.
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
  void wake() { here_.set_busy(*this, true); }
  [[nodiscard]] bool in_callback() const noexcept { return in_callback_; }

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress(int budget) override;
  [[nodiscard]] std::string describe_pending() const override;

 private:
  job& here_;
  bool in_callback_ = false;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::map<key, wave_state> states_;
};

/// One member's part. A wave goes up a binomial tree with sums, and down with the verdict; the next
/// begins when the one before is over. A member contributes once it has begun the epoch, has
/// flushed, and saw no work since the last look. All is over when as much had been handled in one
/// wave as was created up to the next: two waves at least, whatever was under way meanwhile.
///
/// Messages a wave: one up and at most ceil(log2 P) down a member, 2 (P - 1) in all; time
/// 2 ceil(log2 P) messages. Memory: O(1). Never blocks but in `wait` and for credit.
class waves {
 public:
  /// Collective, local.
  waves(const team& among, counted_work& of);
  /// Of an epoch under way nobody hears any more.
  ~waves();
  waves(const waves&) = delete;
  waves& operator=(const waves&) = delete;

  /// Begins the next epoch, which ends at all members when all have begun it and no work is left.
  /// Then `then`, if any, runs in progress of this member, outside handlers; it may begin another
  /// epoch. Throws `error` (argument) while one is under way.
  void begin(std::function<void()> then);
  /// `begin` and waits for the end. Throws `error` (argument) in a handler or callback, too.
  void wait();
  /// Waits for the end of an epoch that was begun, if any.
  void wait_for_end();

  [[nodiscard]] bool under_way() const noexcept { return under_way_ || pending_ != nullptr; }
  [[nodiscard]] wave_state& state() const noexcept { return state_; }
  [[nodiscard]] const wave_service::key& name() const noexcept { return name_; }
  [[nodiscard]] std::string describe_pending() const;

 private:
  friend class wave_service;
  friend void wave_down(incoming& in, std::uint64_t team, std::uint64_t number, bool quiet);

  [[nodiscard]] bool may_contribute() const noexcept {
    return under_way_ && !contributed_ && state_.arrived == children_;
  }
  int contribute();
  void decide(const tally& all);
  void go_down(bool quiet);
  void refuse_to_block(const char* what) const;

  team among_;
  counted_work& of_;
  wave_service& service_;
  const wave_service::key name_;
  wave_state& state_;
  int children_ = 0;
  int parent_ = -1;
  bool under_way_ = false;
  bool contributed_ = false;  ///< to this wave
  tally seen_;                ///< at the last look
  bool first_ = true;         ///< the root's: no wave of this epoch is over
  std::uint64_t handled_before_ = 0;
  std::function<void()> then_;
  std::function<void()> pending_;  ///< to be called by progress
};

}  // namespace upwash::streaming
