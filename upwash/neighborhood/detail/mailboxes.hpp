// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages by one-sided operations: each member has a mailbox. Others reserve room in it by an
// atomic addition and put their messages there. There are no answers.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"
#include "upwash/neighborhood/relay/router.hpp"

namespace upwash::neighborhoods::detail {

/// Two halves, used alternately. One reduction a round shows that all messages have arrived and
/// that those of the previous round have been read. Memory: twice the largest volume that any
/// member received in a round.
class mailboxes {
 public:
  /// `bytes`: initial size of a half. If it is too small, it grows and nothing is lost. Collective,
  /// blocking.
  explicit mailboxes(const team& among, std::uint64_t bytes = 4096);
  mailboxes(const mailboxes&) = delete;
  mailboxes& operator=(const mailboxes&) = delete;

  /// Delivers the messages to their members, sorted by sender. Collective, blocking.
  [[nodiscard]] std::vector<letter> exchange(std::vector<letter>&& going);
  /// Closes the mailboxes; the last call. Collective, blocking.
  void close();

  /// Returns the number of times that a half was too small.
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
