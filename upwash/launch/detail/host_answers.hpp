// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the head of a job gathers from all of its hosts: the shares of an exchange, and what the
// ranks are in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/frames.hpp"
#include "upwash/launch/detail/job_map.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::launch::detail {

/// One exchange after the other: none begins before the last has gone out to all.
class exchange_gatherer {
 public:
  explicit exchange_gatherer(const job_map& map) : map_(map) { begin(0); }

  /// The share of a node; the whole when it was the last that was missing. Throws `error` (fault)
  /// for one that does not belong here.
  [[nodiscard]] std::optional<exchange_blobs> add(int node, exchange_blobs share);

 private:
  void begin(std::uint32_t generation);

  const job_map& map_;
  exchange_blobs all_;
  std::vector<bool> has_;  ///< by node
  int missing_ = 0;
};

/// The answers of all hosts to one question.
class standings_of_hosts {
 public:
  explicit standings_of_hosts(const job_map& map);

  [[nodiscard]] bool asking() const noexcept { return asking_; }
  /// Begins a question and returns its number.
  [[nodiscard]] std::uint32_t ask(duration now);
  /// A node's answer; one to another question is passed over.
  void add(std::uint32_t question, const std::vector<observe::standing>& some);
  /// By rank, once all have answered or had their time; nothing is known of the ranks of those that
  /// have not.
  [[nodiscard]] std::optional<std::vector<observe::standing>> look(duration now);

 private:
  std::vector<observe::standing> all_;
  std::vector<bool> told_;
  std::size_t missing_ = 0;
  bool asking_ = false;
  duration asked_at_;
  std::uint32_t question_ = 0;
};

}  // namespace upwash::launch::detail
