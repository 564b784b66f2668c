// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/node_prices.hpp"

#include <chrono>
#include <thread>

#include "upwash/base/relax.hpp"

namespace upwash::collective {
namespace {

/// Where others want the core, yields only turn it over among those who wait; who sleeps leaves it
/// to the one at work. With a core of its own a rank looks on for about as long as a small team's
/// prices take.
constexpr std::chrono::microseconds nap{20};
constexpr std::chrono::microseconds looks_on{200};

}  // namespace

detail::price_store node_prices::store_of(std::uint64_t hash) const {
  // Other bits than those by which a store goes.
  const auto count = static_cast<std::uint64_t>(memory_->count());
  return detail::price_store(memory_->piece(static_cast<int>((hash >> 16U) % count)));
}

node_prices::turn::turn(node_prices& among, std::vector<std::uint64_t> key, duration patience)
    : key_(std::move(key)), hash_(detail::price_store::hash_of(key_)), at_(among.store_of(hash_)) {
  using clock = std::chrono::steady_clock;
  std::optional<clock::time_point> begun;
  for (;;) {
    const detail::price_store::answer seen = at_.find(key_, hash_);
    heard_ = seen.value;
    if (heard_) return;
    if (!seen.promised) {
      promised_ = at_.promise(key_, hash_);
      // Else there is no room, or somebody came first just now.
      if (promised_ || !at_.find(key_, hash_).promised) return;
      continue;
    }
    const clock::time_point now = clock::now();
    if (!begun) begun = now;
    if (now - *begun > std::chrono::nanoseconds(patience.ps() / 1000)) return;
    if (among.core_of_its_own_ && now - *begun < looks_on) {
      relax();
    } else {
      std::this_thread::sleep_for(nap);
    }
  }
}

}  // namespace upwash::collective
