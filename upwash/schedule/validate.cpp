// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/validate.hpp"

#include <initializer_list>

#include "upwash/schedule/detail/validate/abstract_run.hpp"
#include "upwash/schedule/detail/validate/races.hpp"

namespace upwash::schedule {

std::string validate(const expectation& of, function_ref<generator(int)> schedule_of,
                     function_ref<abstract_value(int, std::uint64_t)> wanted, std::uint64_t seed) {
  detail::abstract_run run(of, schedule_of, seed);
  if (std::string wrong = run.execute(); !wrong.empty()) return wrong;
  if (of.sends_wait) return run.compare(wanted);
  const detail::causality order(run.what_happened());
  for (const auto find :
       {detail::find_races, detail::find_absent_owners, detail::find_late_arrivals}) {
    if (std::string wrong = find(run.what_happened(), order); !wrong.empty()) return wrong;
  }
  if (of.synchronizes) {
    std::string wrong = detail::find_early_leavers(run.what_happened(), order);
    if (!wrong.empty()) return wrong;
  }
  return run.compare(wanted);
}

}  // namespace upwash::schedule
