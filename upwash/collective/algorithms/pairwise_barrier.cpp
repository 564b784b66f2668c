// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/pairwise_barrier.hpp"

namespace upwash::collective {

using detail::emitted;
using schedule::step_kind;

emitted pairwise_barrier::act(int part, schedule::step& out, schedule::tape& on) {
  const int stage = round() - folds();
  const bool first = stage < 0;
  const bool last = stage == cube_.dimensions();
  const bool is_folded = cube_.is_folded(rank_);
  const bool sends = part == 0;
  if (first || last) {
    if (!is_folded && !cube_.has_folded(vertex_)) return emitted::nothing;
    if (sends != (first == is_folded)) return emitted::nothing;
    out.peer = is_folded ? rank_ - 1 : rank_ + 1;
  } else {
    if (is_folded) return emitted::nothing;
    out.peer = cube_.rank_of(vertex_ ^ (1 << stage));
  }
  out.kind = sends ? step_kind::send : step_kind::receive;
  out.edge = out.round = static_cast<std::uint32_t>(round());
  const schedule::mark done = on.emit(out, heard_);
  if (!sends) heard_ = done;
  return emitted::one;
}

}  // namespace upwash::collective
