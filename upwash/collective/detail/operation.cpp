// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/operation.hpp"

#include <algorithm>

#include "upwash/collective/detail/service.hpp"
#include "upwash/core/active_message.hpp"

namespace upwash::collective::detail {
namespace {

constexpr std::uint32_t least_slots = 32;  ///< so that independent steps overlap

schedule::transfer_rules cut(schedule::transfer_rules rules, const team& on) {
  rules.eager_bytes = std::min<std::uint64_t>(rules.eager_bytes, medium_limit(on.here()));
  return rules;
}

}  // namespace

operation::operation(slot_store& spare, const team& on, team_record& record,
                     std::uint32_t its_number, const schedule::generator& steps,
                     const binding& bound, const manner& chosen)
    : among(on),
      on_team(record),
      number(its_number),
      main_steps(steps),
      buffers(bound),
      how(chosen),
      rules(cut(chosen.rules, on)),
      steps_(steps),
      slots_(spare) {}

void operation::restart(completer told) {
  end = told;
  ++start_;
  running = true;
  stirred = true;
  told_early = false;
  settle_round = 0;
  counters.assign(main_steps.wants().counters, 0);
}

void operation::begin(phase next, const schedule::generator& steps) {
  now_in = next;
  steps_ = steps;
  const schedule::needs& wants = steps.wants();
  slots_.widen(std::max(wants.window + 1, least_slots));
  if (scratch_.size() < wants.scratch_bytes) scratch_.resize(wants.scratch_bytes);
  words_.assign(wants.slots, 0);
  facts_.given = buffers.given;
  facts_.slots = words_;
  facts_.input_bytes = buffers.input.size();
  base_ = next_ = 0;
  ended_ = staged_ = false;
}

void operation::refill() {
  for (;;) {
    while (base_ < next_ && at(base_).state == progress_of::done) ++base_;
    if (ended_ || staged_ || next_ - base_ == slots_.size()) return;
    slot& fresh = at(next_);
    fresh.state = progress_of::waiting;
    fresh.exposed = fresh.told = false;
    fresh.offered.sender = 0;
    fresh.staged.clear();
    fresh.of = this;
    if (!steps_.next(fresh.what, facts_)) {
      ended_ = true;
      return;
    }
    staged_ = fresh.what.kind == schedule::step_kind::stage;
    ++next_;
  }
}

void operation::pass_stage(const slot& s) {
  staged_ = false;
  if (grows_scratch(s)) scratch_.resize(s.what.into.bytes);
  if (!grows_slots(s)) return;
  words_.resize(std::size_t{s.what.header.first} + s.what.header.count);
  facts_.slots = words_;
}

bool operation::grows_scratch(const slot& s) const noexcept {
  return s.what.into.of == schedule::buffer::scratch && scratch_.size() < s.what.into.bytes;
}

bool operation::grows_slots(const slot& s) const noexcept {
  return words_.size() < std::size_t{s.what.header.first} + s.what.header.count;
}

bool operation::only_receives() noexcept {
  if (!ended_ || now_in != phase::main) return false;
  for (std::uint64_t i = base_; i < next_; ++i) {
    if (at(i).state != progress_of::done && at(i).what.kind != schedule::step_kind::receive)
      return false;
  }
  return true;
}

bool operation::collects(std::uint64_t edge) const noexcept { return collecting.contains(edge); }

bool operation::ready(std::uint64_t index) noexcept {
  const schedule::step& what = at(index).what;
  if (what.after_all) {
    while (base_ < index && at(base_).state == progress_of::done) ++base_;
    return base_ == index;
  }
  for (const std::uint32_t distance : what.after) {
    if (distance == 0 || distance > index || index - distance < base_) continue;
    if (at(index - distance).state != progress_of::done) return false;
  }
  return true;
}

const std::byte* operation::source(const schedule::piece& p) const noexcept {
  switch (p.of) {
    case schedule::buffer::input: return buffers.input.data() + p.offset;
    case schedule::buffer::output: return buffers.output.data() + p.offset;
    case schedule::buffer::scratch: return scratch_.data() + p.offset;
    case schedule::buffer::shared: return shared(p);
    case schedule::buffer::none: break;
  }
  return nullptr;
}

std::byte* operation::target(const schedule::piece& p) noexcept {
  if (p.of == schedule::buffer::output) return buffers.output.data() + p.offset;
  if (p.of == schedule::buffer::shared) return shared(p);
  return p.of == schedule::buffer::scratch ? scratch_.data() + p.offset : nullptr;
}

bool operation::exposes(schedule::buffer which) const noexcept {
  const schedule::needs& wants = main_steps.wants();
  return shares_memory && rules.addresses == schedule::address_mode::local &&
         (which == schedule::buffer::input ? wants.exposes_input : wants.exposes_output);
}

std::byte* operation::shared(const schedule::piece& p) const noexcept {
  const int owner = p.owner == schedule::own ? among.rank() : p.owner;
  return on_team.shared->scratch(owner, shared_scratch) + p.offset;
}

std::span<std::uint64_t> operation::words(const schedule::slots& s) noexcept {
  return std::span(words_).subspan(s.first, s.count);
}

edge_key operation::key_of(const schedule::step& s) const {
  return {among.id(), run(), wire_edge(s.edge), among.world_rank(s.peer)};
}

}  // namespace upwash::collective::detail
