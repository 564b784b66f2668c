// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a conduit that looks for conflicting writes is told of operations.
#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

void memory_engine::tell_watch_of(operation& op) {
  op.watched = watch_->begin(here_.rank());
  const bool is_put = op.what.what == transfer::kind::put;
  if (is_put && !op.remote.open) watch_->is_untold(op.watched, op.what.at.rank);
}

void memory_engine::tell_watch_of_end(const operation& op) noexcept {
  const transfer& what = op.what;
  if (what.what == transfer::kind::confirm) watch_->confirmed(op.watched, what.at.rank);
  if (what.what == transfer::kind::put || what.what == transfer::kind::call) {
    watch_->complete(op.watched);
  }
}

}  // namespace upwash::detail
