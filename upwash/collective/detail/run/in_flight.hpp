// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which operations run on this rank, in the order of their starts.
#pragma once

#include <algorithm>
#include <vector>

#include "upwash/collective/detail/run/operation.hpp"

namespace upwash::collective::detail {

/// A list of operations that others own; the parts of the executor find by it what a message is
/// for. Memory and time: O(operations under way).
class in_flight {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] operation& at(std::size_t i) const noexcept { return *all_[i]; }
  [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
  [[nodiscard]] auto end() const noexcept { return all_.end(); }

  void add(operation& begun) { all_.push_back(&begun); }
  void remove(const operation& over) { all_.erase(std::find(all_.begin(), all_.end(), &over)); }

  /// The one of that name, or null.
  [[nodiscard]] operation* find(const run_key& key) const noexcept {
    for (operation* each : all_) {
      if (each->among.id() == key.team && each->run() == key.run) return each;
    }
    return nullptr;
  }

 private:
  std::vector<operation*> all_;
};

}  // namespace upwash::collective::detail
