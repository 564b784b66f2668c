// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/step_writer.hpp"

#include "upwash/base/error.hpp"

namespace upwash::schedule {

void step_writer::refuse_mark() {
  throw error(error_kind::fault,
              "a step of a schedule waits for more than four others; let it wait for a stage, or "
              "for all before it");
}

void step_writer::refuse_another() {
  throw error(error_kind::fault,
              "a step of a schedule was written and not emitted; co_yield each before the next is "
              "asked of the script, and before the coroutine waits or ends");
}

void step_writer::refuse_again() {
  throw error(error_kind::fault,
              "a step of a schedule is emitted that nobody has written since the last one; ask the "
              "script for a new one for each co_yield");
}

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
  fresh(emitted.kind) = emitted;
  return local_step(*this);
}

}  // namespace upwash::schedule
