// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the benches of streams share: the settings that they run under, and checks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.hpp"
#include "bench/stream_items.hpp"

namespace upwash::bench {

/// `direct`, `auto`, `1d` to `4d`; behind it `,key=value` with buffer, threshold, cutoff, timeout,
/// idle. Throws `error` (argument) for anything else.
[[nodiscard]] item_setting parse_setting(std::string_view text);

/// What --algorithm names; without it these.
[[nodiscard]] std::vector<item_setting> settings_of(const context& c,
                                                    std::initializer_list<std::string_view> own);

/// Throws `error` (fault) when a bench delivered something else than was sent.
void verify_equal(const context& c, std::string_view what, std::uint64_t seen,
                  std::uint64_t expected);

/// Sums over all ranks. Collective.
[[nodiscard]] std::uint64_t sum_of_all(const context& c, std::uint64_t mine);

/// The members in turn, without the own one (unless it is alone).
class others_in_turn {
 public:
  explicit others_in_turn(const context& c)
      : me_(c.size() > 1 ? c.rank() : -1), size_(c.size()), at_(c.rank()) {}
  int next() noexcept {
    step();
    if (at_ == me_) step();
    return at_;
  }

 private:
  void step() noexcept { at_ = at_ + 1 == size_ ? 0 : at_ + 1; }
  int me_;
  int size_;
  int at_;
};

}  // namespace upwash::bench
