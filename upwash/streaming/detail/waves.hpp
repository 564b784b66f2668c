// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waves that add up the begun and finished work of a team's members until none is left: the basis
// of quiescence detection and of the end of a stream. Source: Mattern 1987 (four counters).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"

namespace upwash {
class incoming;
}

namespace upwash::streaming {

/// Pieces of work of a member since it began; never decreases.
struct tally {
  std::uint64_t created = 0;
  std::uint64_t handled = 0;  ///< a piece created during handling counts first
  /// No work, but information: the member's idle time since the last end.
  std::uint64_t idle_ns = 0;
  /// Created pieces that were put aside until another piece is handled, and those taken up again.
  /// Both modulo 2^32.
  std::uint32_t put_aside = 0;
  std::uint32_t taken_up = 0;
  tally& operator+=(const tally& other) noexcept {
    created += other.created;
    handled += other.handled;
    idle_ns += other.idle_ns;
    put_aside += other.put_aside;
    taken_up += other.taken_up;
    return *this;
  }
  [[nodiscard]] bool same_work(const tally& other) const noexcept {
    return created == other.created && handled == other.handled && put_aside == other.put_aside &&
           taken_up == other.taken_up;
  }
};

/// The result of a wave.
enum class verdict : std::uint8_t {
  goes_on,
  quiet,    ///< all created work was handled
  stuck,    ///< all other work was put aside, and none is under way that could take it up
  overrun,  ///< more was handled than was created
};

/// The work that the waves count.
class counted_work {
 public:
  /// Sends the buffered data of this member. Not called in handlers; may wait for credit.
  virtual void flush() = 0;
  [[nodiscard]] virtual tally count() const = 0;
  /// Reports the end at all members, with the idle time of all members together. Also in handlers:
  /// must not push nor wait.
  virtual void ended(std::uint64_t idle_ns) = 0;

 protected:
  ~counted_work() = default;
};

/// The state that messages of a detection find at a member, whether it has begun or not.
struct wave_state;
class wave_service;

/// The action at the end.
class callback {
 public:
  callback() = default;
  callback(const callback&) = delete;
  callback& operator=(const callback&) = delete;
  virtual ~callback() = default;
  virtual void run() = 0;
};

/// One member's part in the waves.
///
/// A wave goes up a binomial tree with sums, and down with the verdict. The next wave begins when
/// the previous one is over. A member contributes once it has begun the epoch, has flushed, and saw
/// no work since the last look. The epoch is over when the handled work of one wave equals the
/// created work up to the next: at least two waves, no matter what was under way meanwhile. To find
/// whether anything else is under way, work put aside counts as handled, and work taken up as
/// created.
///
/// Messages a wave: one up and at most ceil(log2 P) down a member, 2 (P - 1) in all. Time: 2
/// ceil(log2 P) messages. Memory: O(1). Never blocks except in `wait` and for credit.
class waves {
 public:
  /// Makes this member's part. Collective, local.
  waves(const team& among, counted_work& of);
  /// Abandons an epoch under way without a report.
  ~waves();
  waves(const waves&) = delete;
  waves& operator=(const waves&) = delete;

  /// Begins the next epoch, which ends at all members when all have begun it and no work is left.
  /// Then `then`, if given, runs in progress of this member, outside handlers; it may begin another
  /// epoch. Throws `error` (argument) while one is under way.
  void begin(std::unique_ptr<callback> then) { begin(std::move(then), false); }
  /// Begins an epoch and waits for its end. Throws `error` (argument) also in a handler or
  /// callback.
  void wait(const call_site& site);
  /// Waits as `wait` does, but the epoch also ends if it would never end otherwise. It ends in the
  /// same way at all members.
  [[nodiscard]] verdict wait_unless_hopeless(const call_site& site);
  /// Waits for the end of an epoch that was begun, if any.
  void wait_for_end(const call_site& site);

  [[nodiscard]] bool under_way() const noexcept { return under_way_ || pending_ != nullptr; }
  /// Returns the tally of messages that go through the detection themselves (quiescence::send).
  [[nodiscard]] tally& messages() const noexcept;
  [[nodiscard]] std::uint64_t team_id() const noexcept { return name_.first; }
  [[nodiscard]] std::uint64_t number() const noexcept { return name_.second; }
  [[nodiscard]] std::string describe_pending() const;

 private:
  /// `gives_up`: the same at all members.
  void begin(std::unique_ptr<callback> then, bool gives_up);

  friend class wave_service;
  friend void wave_down(incoming& in, std::uint64_t team, std::uint64_t number, verdict found,
                        std::uint64_t idle_ns);

  [[nodiscard]] bool may_contribute() const noexcept;
  int contribute();
  void decide(const tally& all);
  void go_down(verdict found, std::uint64_t idle_ns);
  [[nodiscard]] verdict verdict_of(const tally& all) const noexcept;
  void refuse_to_block(const char* what) const;

  team among_;
  counted_work& of_;
  wave_service& service_;
  const std::pair<std::uint64_t, std::uint64_t> name_;  ///< team, number on it
  wave_state& state_;
  int children_ = 0;
  int parent_ = -1;
  bool under_way_ = false;
  bool contributed_ = false;  ///< to this wave
  tally seen_;                ///< at the last look
  bool first_ = true;         ///< at the root: no wave of this epoch is over
  tally before_;              ///< at the root: total of the previous wave
  bool gives_up_ = false;     ///< this epoch ends if nothing can end it
  verdict found_ = verdict::quiet;
  std::unique_ptr<callback> then_;
  std::unique_ptr<callback> pending_;  ///< to be called by progress
};

/// Notes that a message sent through a detection has been handled here.
void note_handled(incoming& in, std::uint64_t team, std::uint64_t number);

}  // namespace upwash::streaming
