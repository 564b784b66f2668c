// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/given_messages.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"

namespace upwash::collective::detail {

void given_messages::check_arrays() const {
  if (what_ == to_each::whole_input) return;
  if (on_.given(1).size() == count() && on_.given(2).size() == count()) return;
  throw error(error_kind::argument,
              fmt::format("many_to_many: {} destinations, {} lengths, {} offsets; give as many of "
                          "each",
                          count(), on_.given(1).size(), on_.given(2).size()));
}

void given_messages::check(std::uint64_t i, int ranks) const {
  if (on_.given(0)[i] < static_cast<std::uint64_t>(ranks)) return;
  throw error(error_kind::argument,
              fmt::format("many_to_many: message {} goes to rank {}; the team has {} ranks", i,
                          on_.given(0)[i], ranks));
}

}  // namespace upwash::collective::detail
