// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/step_writer.hpp"

namespace upwash::schedule {

local_step step_writer::grow(std::uint64_t scratch_bytes, std::uint32_t slots) {
  step& s = fresh(step_kind::stage);
  s.into = {buffer::scratch, 0, scratch_bytes};
  if (slots != 0) s.header = {0, slots};
  return local_step(*this);
}

local_step step_writer::collect(std::uint32_t edge) {
  fresh(step_kind::collect).edge = edge;
  return local_step(*this);
}

local_step step_writer::close(std::uint32_t edge) {
  step& s = fresh(step_kind::close);
  s.edge = edge;
  s.after_all = true;
  return local_step(*this);
}

local_step step_writer::close_after(std::uint32_t edge, std::uint64_t messages) {
  const local_step closing = close(edge);
  out_->counted = true;
  out_->value = messages;
  return closing;
}

local_step step_writer::close_at(std::uint32_t edge, std::uint64_t messages) {
  const local_step closing = close_after(edge, messages);
  out_->acknowledged = true;
  return closing;
}

local_step step_writer::deliver(int source, const piece& what) {
  step& s = fresh(step_kind::deliver);
  s.peer = source;
  s.left = what;
  return local_step(*this);
}

local_step step_writer::net_multicast(int root, const piece& what, const piece& into) {
  step& s = fresh(step_kind::net_multicast);
  s.peer = root;
  s.left = what;
  s.into = into;
  return local_step(*this);
}

local_step step_writer::net_reduce(int root, const piece& what, const piece& into) {
  step& s = fresh(step_kind::net_reduce);
  s.peer = root;
  s.left = what;
  s.into = into;
  return local_step(*this);
}

local_step step_writer::net_barrier() {
  fresh(step_kind::net_barrier);
  return local_step(*this);
}

local_step step_writer::as_recorded(const step& emitted) {
  *out_ = emitted;
  return local_step(*this);
}

}  // namespace upwash::schedule
