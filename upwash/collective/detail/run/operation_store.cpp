// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/operation_store.hpp"

#include <utility>

#include "upwash/collective/detail/run/team_records.hpp"

namespace upwash::collective::detail {

std::unique_ptr<operation_block> operation_store::make(const team& on, team_record& record,
                                                       const schedule::generator& steps,
                                                       const binding& buffers, const manner& how) {
  std::unique_ptr<operation_block> made;
  if (spare_.empty()) {
    made = std::make_unique<operation_block>();
  } else {
    made = std::move(spare_.back());
    spare_.pop_back();
    scratch_bytes_ -= made->room.scratch.capacity();
  }
  made->is.emplace(slots_, made->room, on, record, record.numbers++, steps, buffers, how);
  return made;
}

void operation_store::give_back(std::unique_ptr<operation_block> over) {
  over->is.reset();
  if (spare_.size() == most_spare) return;
  std::vector<std::byte>& scratch = over->room.scratch;
  if (scratch_bytes_ + scratch.capacity() > most_scratch_bytes) scratch = {};
  scratch_bytes_ += scratch.capacity();
  spare_.push_back(std::move(over));
}

}  // namespace upwash::collective::detail
