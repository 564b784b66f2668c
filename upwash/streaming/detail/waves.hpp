// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waves that add up what the members of a team have begun and ended, until nothing is left: what
// quiescence detection and the end of a stream are made of. Source: Mattern 1987 (four counters).
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

/// Pieces of work of a member since it began; never less than before.
struct tally {
  std::uint64_t created = 0;
  std::uint64_t handled = 0;  ///< what handling one creates is counted before it is
  /// For whom it concerns; no work: how long the member idled since the last end.
  std::uint64_t idle_ns = 0;
  /// Of what was created: put aside until somebody does something, and taken up again. Modulo 2^32.
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

/// What a wave finds.
enum class verdict : std::uint8_t {
  goes_on,
  quiet,    ///< everything that was created was handled
  stuck,    ///< everything else was put aside, and nothing is under way that could take it up
  overrun,  ///< more was handled than was created
};

/// Whose work the waves count.
class counted_work {
 public:
  /// Sends what this member keeps back. Not called in handlers; may wait for credit.
  virtual void flush() = 0;
  [[nodiscard]] virtual tally count() const = 0;
  /// All is over, everywhere; the members idled so long, together. In handlers, too: must not push
  /// nor wait.
  virtual void ended(std::uint64_t idle_ns) = 0;

 protected:
  ~counted_work() = default;
};

/// What messages of a detection find at a member, whether it has begun or not.
struct wave_state;
class wave_service;

/// What is to be done at the end.
class callback {
 public:
  callback() = default;
  callback(const callback&) = delete;
  callback& operator=(const callback&) = delete;
  virtual ~callback() = default;
  virtual void run() = 0;
};

/// One member's part. A wave goes up a binomial tree with sums, and down with the verdict; the next
/// begins when the one before is over. A member contributes once it has begun the epoch, has
/// flushed, and saw no work since the last look. All is over when as much had been handled in one
/// wave as was created up to the next: two waves at least, whatever was under way meanwhile. What
/// is put aside counts like what is handled, and what is taken up like what is created, where it is
/// asked whether anything else is under way.
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
  /// Then `then`, if there is one, runs in progress of this member, outside handlers; it may begin
  /// another epoch. Throws `error` (argument) while one is under way.
  void begin(std::unique_ptr<callback> then) { begin(std::move(then), false); }
  /// `begin` and waits for the end. Throws `error` (argument) in a handler or callback, too.
  void wait(const call_site& site);
  /// The same, but the epoch ends, too, where it never would: as it does at all members.
  [[nodiscard]] verdict wait_unless_hopeless(const call_site& site);
  /// Waits for the end of an epoch that was begun, if any.
  void wait_for_end(const call_site& site);

  [[nodiscard]] bool under_way() const noexcept { return under_way_ || pending_ != nullptr; }
  /// Of messages that go through the detection themselves (quiescence::send).
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
  bool first_ = true;         ///< the root's: no wave of this epoch is over
  tally before_;              ///< the root's: of all, in the wave before
  bool gives_up_ = false;     ///< this epoch ends where nothing can end it
  verdict found_ = verdict::quiet;
  std::unique_ptr<callback> then_;
  std::unique_ptr<callback> pending_;  ///< to be called by progress
};

/// A message that was sent through a detection has been handled here.
void note_handled(incoming& in, std::uint64_t team, std::uint64_t number);

}  // namespace upwash::streaming
