// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What changes the algorithm of a shape of calls while the program runs: what members observed of
// their messages, and the search among the candidates that the model thinks near.
// Source: Kumar 2005, 6.4 (degree, bytes and processors observed, strategies switched at fences).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upwash/collective/detail/call.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/model/online_search.hpp"

namespace upwash::collective::detail {

/// One shape of calls on a team. The same at all members as long as they make the same calls and
/// pass the same sums.
class site {
 public:
  site(const problem& asked, const call& wanted);
  [[nodiscard]] bool is_for(const problem& asked, const call& wanted) const noexcept;

  /// The call in a line's words: what, how large, among how many.
  [[nodiscard]] static std::string described(const problem& call);

  /// Before the first plan is made: what the selector chose, and what it thinks near.
  void begin(const selector::choice& chosen);
  /// What the calls run now.
  [[nodiscard]] const selection& running() const { return candidates_[phase_.candidate]; }
  [[nodiscard]] bool begun() const noexcept { return !candidates_.empty(); }
  /// The call, with what members observed where its messages differ from member to member.
  [[nodiscard]] const problem& seen() const noexcept { return seen_; }
  [[nodiscard]] const std::string& label() const noexcept { return label_; }

  // -- Around each blocking call ------------------------------------------------------------------
  /// Something is to be done before the next call: `advance`.
  [[nodiscard]] bool due() const noexcept { return phase_.calls == 0; }
  void count() noexcept { --phase_.calls; }
  [[nodiscard]] bool timed() const noexcept { return phase_.timed || samples_; }
  void took(duration time);
  /// Of calls whose messages differ from member to member, nonblocking ones too.
  void note(const binding& buffers) noexcept;
  [[nodiscard]] bool irregular() const noexcept { return irregular_; }

  /// True: members add up their `report` and pass the sums to `agree`.
  [[nodiscard]] bool advance();
  /// The pattern; then what the search reports.
  [[nodiscard]] std::vector<std::uint64_t> report() const;
  /// True: the pattern is another one than the algorithm was chosen for; `begin` again.
  [[nodiscard]] bool agree(std::span<const std::uint64_t> sums);
  /// What members agreeing took, at its least: it is not worth more than 1 % of the calls' time.
  void agreed_in(duration time) noexcept { agreement_ = std::min(agreement_, time); }
  /// Calls, messages and bytes since the last time; picoseconds of a call, and of agreeing. Their
  /// sums over all members: true, when they are of another size than the algorithm was chosen for;
  /// `begin` again.
  static constexpr std::size_t observations = 5;
  [[nodiscard]] std::array<std::uint64_t, observations> pattern() const noexcept {
    return {calls_, messages_, bytes_, static_cast<std::uint64_t>(call_.ps()),
            agreement_ == duration::max() ? 0 : static_cast<std::uint64_t>(agreement_.ps())};
  }
  [[nodiscard]] bool take_pattern(std::span<const std::uint64_t, observations> sums);
  /// How a search that just ended a round stands, for a log line; empty: nothing new.
  [[nodiscard]] std::string news();

 private:
  void enter(const model::online_search::phase& next);

  problem asked_;
  const std::optional<mechanism> transfer_;
  const std::string label_;
  const bool irregular_;
  problem seen_;
  std::vector<selection> candidates_;
  std::optional<model::online_search> search_;
  model::online_search::phase phase_;
  std::uint64_t rest_ = 0;       ///< calls of the search's phase behind those of `phase_`
  std::size_t told_ = 0;         ///< best candidate, when it was told last
  std::uint64_t pattern_calls_;  ///< between two looks at an irregular pattern
  bool samples_ = false;         ///< the next call, to know what one takes
  duration call_;
  duration agreement_ = duration::max();
  std::uint64_t calls_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The sites of a team, in the order of their first calls: the same at all members.
class site_list {
 public:
  /// More shapes than these keep what was chosen first.
  static constexpr std::size_t most = 256;

  /// That of the call, made where there is none; null: there are too many. Calls that run keep
  /// theirs.
  [[nodiscard]] std::shared_ptr<site> of(const problem& asked, const call& wanted);
  void clear() noexcept { sites_.clear(); }
  [[nodiscard]] auto begin() noexcept { return sites_.begin(); }
  [[nodiscard]] auto end() noexcept { return sites_.end(); }

 private:
  std::vector<std::shared_ptr<site>> sites_;
};

}  // namespace upwash::collective::detail
