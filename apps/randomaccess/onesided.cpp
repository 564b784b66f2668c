// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/randomaccess/onesided.hpp"

#include "upwash/core/atomic.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/job.hpp"

namespace randomaccess {

onesided_table::onesided_table(upwash::job& here, std::uint64_t words)
    : here_(here),
      placed_(words, here.size()),
      memory_(upwash::allocate(here.world(), placed_.count(here.rank()) * sizeof(std::uint64_t),
                               upwash::atomicity::automatic, {upwash::atomic_kind::bit_xor})),
      by_processor_(memory_.atomics() == upwash::atomicity::processor) {
  fill(memory_.mine_as<std::uint64_t>(), placed_.first(here.rank()));
  upwash::control::barrier(here.world());
}

void onesided_table::update(std::uint64_t number) {
  const int owner = placed_.owner(number);
  const auto at = memory_.at<std::uint64_t>(owner, placed_.word(number) - placed_.first(owner));
  if (by_processor_) {
    static_cast<void>(upwash::atomic(here_, at, upwash::atomic_kind::bit_xor, number));
    return;
  }
  upwash::request& place = under_way_[next_];
  next_ = (next_ + 1) % most_under_way;
  place.wait();
  place = upwash::atomic_async(here_, at, upwash::atomic_kind::bit_xor, number, 0, nullptr);
}

void onesided_table::complete() { upwash::wait_all(under_way_); }

std::uint64_t onesided_table::changed() const noexcept {
  return randomaccess::changed(memory_.mine_as<std::uint64_t>(), placed_.first(here_.rank()));
}

void onesided_table::free() { upwash::free(memory_); }

}  // namespace randomaccess
