// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/team_records.hpp"

namespace upwash::collective::detail {

team_record& team_records::find_or_make(const team& among) {
  auto& record = all_[among.id()];
  if (!record) record = std::make_unique<team_record>(among);
  last_ = record.get();
  return *record;
}

void team_records::erase(const team& going) {
  if (last_ == find(going.id())) last_ = nullptr;
  all_.erase(going.id());
}

void team_records::forget_choices() {
  for (auto& [id, record] : all_) {
    record->plans.forget();
    record->sites.clear();
  }
}

}  // namespace upwash::collective::detail
