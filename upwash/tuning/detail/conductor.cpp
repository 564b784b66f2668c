// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/detail/conductor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"

namespace upwash::tuning::detail {

conductor::conductor(job& here, const collective::problem& call)
    : here_(here),
      probe_(here),
      trial_(here.world(), call),
      simulated_(host(here).endpoint().describe().virtual_time) {}

sample conductor::carry_out(const order& what) {
  const placement before = probe_.look();
  const double ns = trial_.time_ns(what.algorithm, what.calls);
  const placement after = probe_.look();
  return {ns, before == after ? before : placement::disturbed};
}

sample conductor::take(std::string_view algorithm, long calls) {
  order what{calls, {}};
  if (algorithm.size() >= sizeof(what.algorithm)) {
    throw error(error_kind::argument,
                fmt::format("the algorithm's text is too long: {}", algorithm));
  }
  std::copy(algorithm.begin(), algorithm.end(), what.algorithm);
  control::broadcast_value(here_.world(), 0, what);
  const sample taken = carry_out(what);
  disturbed_ = taken.where == placement::disturbed ? disturbed_ + 1 : 0;
  return taken;
}

long conductor::calibrate(std::string_view algorithm, double seconds) {
  static_cast<void>(take(algorithm, 1));
  if (simulated_) return 1;
  constexpr long most_calls = 1 << 20;
  for (long calls = 1;; calls *= 2) {
    sample seen;
    for (int left = tries(); left > 0; --left) {
      seen = take(algorithm, calls);
      if (seen.where != placement::disturbed) break;
    }
    const double taken = seen.ns * 1e-9 * static_cast<double>(calls);
    if (taken >= seconds / 2 || calls >= most_calls) return calls;
  }
}

void conductor::end() {
  order last;
  control::broadcast_value(here_.world(), 0, last);
}

void conductor::follow() {
  for (;;) {
    order what;
    control::broadcast_value(here_.world(), 0, what);
    if (what.calls == 0) return;
    static_cast<void>(carry_out(what));
  }
}

}  // namespace upwash::tuning::detail
