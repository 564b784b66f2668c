// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/choose/shared_prices.hpp"

#include "upwash/base/error.hpp"

namespace upwash::collective::detail {
namespace {

constexpr int few_ranks = 32;  ///< prices are cheaper than finding out whether they are needed

/// FNV-1a, by words.
class hasher {
 public:
  void add(std::uint64_t word) noexcept {
    value_ = (value_ ^ word) * 0x100000001b3;
    value_ ^= value_ >> 29U;
  }
  void add(const schedule::piece& p) noexcept {
    add(static_cast<std::uint64_t>(p.of));
    add(p.offset);
    add(p.bytes);
    add(static_cast<std::uint64_t>(p.owner));
  }
  void add(const schedule::step& s) noexcept {
    add(static_cast<std::uint64_t>(s.kind) << 8U | (s.placed ? 1U : 0U) |
        (s.acknowledged ? 2U : 0U) | (s.counted ? 4U : 0U) | (s.after_all ? 8U : 0U));
    add(static_cast<std::uint64_t>(s.peer));
    add(s.left);
    add(s.right);
    add(s.into);
    add(std::uint64_t{s.header.count} << 32U | static_cast<std::uint32_t>(s.length_slot));
    add(s.value);
    for (const std::uint32_t distance : s.after) add(distance);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::uint64_t shared_prices::fingerprint(const selection& one) const {
  hasher all;
  all.add(one.eager_bytes.value_or(call_.eager_bytes));
  for (const int rank : {call_.root, 1, call_.ranks / 3, call_.ranks / 2, call_.ranks - 1}) {
    schedule::generator steps = one.priced_schedule_of(call_, rank);
    const schedule::needs& wants = steps.wants();
    all.add(std::uint64_t{wants.rank_class} << 1U | (wants.alike ? 1U : 0U));
    all.add(wants.window);
    for (schedule::step s; steps.next(s);) all.add(s);
  }
  return all.value();
}

predictor::prediction shared_prices::predict(const selection& one, std::uint64_t most_steps,
                                             duration enough) {
  if (call_.ranks <= few_ranks) return by_.predict(one, call_, most_steps, enough);
  std::uint64_t name = 0;
  try {
    name = fingerprint(one);
  } catch (const error&) {  // it asks for facts
    return by_.predict(one, call_, most_steps, enough);
  }
  if (const auto at = known_.find(name); at != known_.end()) {
    predictor::prediction again = at->second.found;
    again.steps_walked = 0;
    if (again.time || enough <= at->second.enough) return again;
  }
  const predictor::prediction found = by_.predict(one, call_, most_steps, enough);
  known_[name] = {found, enough};
  return found;
}

}  // namespace upwash::collective::detail
