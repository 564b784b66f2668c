// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash bench onesided`: one part (--algorithm) or all.
#include "bench/onesided.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::bench {
namespace {

constexpr std::array<std::pair<std::string_view, void (*)(context&)>, 5> parts{{
    {"all-fence", &all_fence},
    {"fence-barrier", &fence_and_barrier},
    {"locks", &locks},
    {"server", &served},
    {"speed", &onesided_speed},
}};

}  // namespace

void onesided(context& c) {
  const std::string_view wanted =
      std::string_view(c.chosen().algorithm).substr(0, c.chosen().algorithm.find(':'));
  bool found = false;
  for (const auto& [name, run] : parts) {
    if (!wanted.empty() && wanted != name) continue;
    found = true;
    run(c);
  }
  if (found) return;
  throw error(error_kind::argument,
              fmt::format("--algorithm {}: bench onesided has the parts all-fence, fence-barrier, "
                          "locks[:KIND], server and speed",
                          wanted));
}

}  // namespace upwash::bench
