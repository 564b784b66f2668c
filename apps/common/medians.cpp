// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/medians.hpp"

#include <algorithm>

namespace apps {
namespace {

template <class T>
T middle_of(std::vector<T>& all) {
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace

upwash::duration median(std::vector<upwash::duration> of) { return middle_of(of); }

double median_ratio(std::span<const upwash::duration> of, std::span<const upwash::duration> over) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.size(); ++i) {
    ratios.push_back(of[i] == over[i] ? 1 : of[i].us() / over[i].us());
  }
  return middle_of(ratios);
}

}  // namespace apps
