// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {

routing direct(router& at, const model::values& /*with*/) {
  const parcel_list mine = at.take();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const parcel one = mine[i];
    for (const int& to : one.destinations) at.pass(one, std::span(&to, 1), to);
  }
  co_await at.next_round();
}

}  // namespace upwash::neighborhoods
