// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The data that the head of a job gathers from all of its hosts: the shares of an exchange, and the
// status of the ranks.
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

/// Gathers exchanges one after another: none begins before the last has been sent to all.
class exchange_gatherer {
 public:
  explicit exchange_gatherer(const job_map& map) : map_(map) { begin(0); }

  /// Adds the share of a node. Returns the whole exchange if this was the last missing share.
  /// Throws `error` (fault) for a share that does not belong here.
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
  /// Adds a node's answer. Ignores an answer to another question.
  void add(std::uint32_t question, const std::vector<observe::standing>& some);
  /// Returns the status by rank, once all hosts have answered or timed out. The ranks of hosts
  /// without an answer are unknown.
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
