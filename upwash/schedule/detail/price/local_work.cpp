// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/local_work.hpp"

namespace upwash::schedule::detail {

void local_work::begin(int rank, step_number n, duration at) {
  const step& what = uses_.windows.step_at(rank, n);
  if (is_remote(rank, what.left)) return get(rank, n, what.left, at);
  if (is_remote(rank, what.right)) return get(rank, n, what.right, at);
  if (is_remote(rank, what.into)) return put(rank, n, at);
  const bool copies = what.kind == step_kind::copy;
  const charges& work = uses_.costs.work();
  const duration cost = copies ? work.copy(what.into.bytes) : work.reduce(what.into.bytes);
  if (copies) uses_.costs.pack(rank, what.into);
  uses_.flow.finish(rank, n, uses_.at_work.spend(rank, at, cost));
}

void local_work::get(int rank, step_number n, const piece& from, duration at) {
  message request = uses_.team.message_to(from.owner, message_kind::request, rank, 0);
  request.asked = from.bytes;
  request.receiver = n;
  const duration asking = uses_.costs.of(request).send_overhead;
  uses_.out.launch_get(request, uses_.at_work.spend(rank, at, asking));
}

void local_work::put(int rank, step_number n, duration at) {
  const step& what = uses_.windows.step_at(rank, n);
  message out = uses_.team.message_to(what.into.owner, message_kind::stored, rank, what.into.bytes);
  out.sender = n;
  duration work = uses_.costs.of(out).send_overhead;
  if (what.kind == step_kind::reduce) work += uses_.costs.work().reduce(what.into.bytes);
  uses_.out.launch(out, uses_.at_work.spend(rank, at, work));
}

void local_work::fetched(int rank, step_number n, duration at) {
  step& what = uses_.windows.step_at(rank, n);
  if (what.kind == step_kind::copy) {
    return uses_.flow.finish(rank, n, uses_.at_work.earliest(rank, at));
  }
  // The other operand of a reduction may be a peer's too.
  (what.left.owner != own ? what.left : what.right).owner = own;
  begin(rank, n, at);
}

}  // namespace upwash::schedule::detail
