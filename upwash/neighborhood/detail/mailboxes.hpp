// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Letters by one-sided operations: each member has a mailbox in which the others reserve room by an
// atomic addition, and into which they put what they write. Nobody answers.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"
#include "upwash/neighborhood/relay/router.hpp"

namespace upwash::neighborhoods::detail {

/// Two halves, used in turns: one reduction a round tells that all letters are there, and that what
/// came a round before has been read. Memory: twice the most that came to any member in a round.
class mailboxes {
 public:
  /// Collective, blocking. `bytes` of a half at first; too few are made more, and nothing is lost.
  explicit mailboxes(const team& among, std::uint64_t bytes = 4096);
  mailboxes(const mailboxes&) = delete;
  mailboxes& operator=(const mailboxes&) = delete;

  /// Gives each member the letters for it, sorted by who wrote them. Collective, blocking.
  [[nodiscard]] std::vector<letter> exchange(std::vector<letter>&& going);
  /// Collective, blocking; the last call.
  void close();

  /// How often there was too little room.
  [[nodiscard]] int grown() const noexcept { return grown_; }

 private:
  [[nodiscard]] global_ptr<std::uint64_t> cursor(int member) const;
  [[nodiscard]] global_ptr<std::uint64_t> place(int member, std::uint64_t word) const;
  [[nodiscard]] std::uint64_t deliver(std::vector<letter>& going) const;
  void collect(std::vector<letter>& came);
  void grow(std::uint64_t words);

  team among_;
  std::uint64_t words_;  ///< of a half
  region boxes_;
  std::uint64_t half_ = 0;
  int grown_ = 0;
};

}  // namespace upwash::neighborhoods::detail
