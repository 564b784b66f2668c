// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {
namespace {

constexpr std::uint32_t least_slots = 32;  ///< so that independent steps overlap

/// Names the dependency number `which` of the step that was emitted so much later. Never 0.
std::uint32_t link_to(std::uint32_t distance, std::size_t which) noexcept {
  constexpr std::uint32_t each = schedule::step::most_dependencies;
  return distance * each + static_cast<std::uint32_t>(which);
}

schedule::transfer_rules cut(schedule::transfer_rules rules, const team& on) {
  rules.eager_bytes = std::min<std::uint64_t>(rules.eager_bytes, medium_limit(on));
  return rules;
}

}  // namespace

operation::operation(slot_store& spare, operation_room& room, const team& on, team_record& record,
                     std::uint32_t its_number, const schedule::generator& steps,
                     const binding& bound, const manner& chosen)
    : among(on),
      on_team(record),
      number(its_number),
      main_steps(steps),
      buffers(bound),
      how(chosen),
      rules(cut(chosen.rules, on)),
      counters(room.counters),
      peers(room.peers),
      steps_(steps),
      slots_(spare, room.chunks),
      open_(room.open),
      scratch_(room.scratch),
      words_(room.words),
      script_(room.script),
      checked_(on.here().options().checked) {
  open_.clear();
  steps_.take_memory(std::move(script_));
}

operation::~operation() { script_ = steps_.give_memory(); }

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
  open_.widen(slots_.size());
  if (scratch_.size() < wants.scratch_bytes) scratch_.resize(wants.scratch_bytes);
  words_.assign(wants.slots, 0);
  facts_.given = buffers.given;
  facts_.slots = words_;
  facts_.input_bytes = buffers.input.size();
  facts_.output_bytes = buffers.output.size();
  base_ = next_ = others_ = 0;
  ended_ = staged_ = false;
}

bool operation::begin_in_turn(job& here) {
  now_in = phase::main;
  const schedule::needs& wants = main_steps.wants();
  if (scratch_.size() < wants.scratch_bytes) scratch_.resize(wants.scratch_bytes);
  base_ = next_ = others_ = 0;
  ended_ = staged_ = false;
  in_turn.begin({here, *on_team.shared, buffers, scratch_.data(), shared_scratch, epoch});
  return trace == nullptr && in_turn.lend();
}

int operation::go_on_in_turn() {
  const int moved =
      trace == nullptr
          ? in_turn.go_on()
          : in_turn.go_on([this](const compact_run& run, const compact_step& s) {
              detail::write_step(*trace, among, s, in_trace(), [&] { run.perform(s); });
              return true;
            });
  ended_ = in_turn.over();
  if (!ended_) stirred = true;  // looked at again in the next progress
  return moved;
}

void operation::refill() {
  while (!ended_ && !staged_ && next_ - base_ < slots_.size()) {
    slot& fresh = at(next_);
    fresh.state = progress_of::waiting;
    fresh.exposed = fresh.told = false;
    fresh.offered.sender = 0;
    fresh.staged.clear();
    fresh.of = this;
    fresh.index = next_;
    fresh.dependents = 0;
    if (!steps_.next(fresh.what, facts_)) {
      ended_ = true;
      return;
    }
    if (checked_ || schedule::names_stranger(fresh.what, among.size())) [[unlikely]]
      check(fresh);
    staged_ = fresh.what.kind == schedule::step_kind::stage;
    if (fresh.what.kind != schedule::step_kind::receive) ++others_;
    ++next_;
    link(fresh);
  }
}

/// Algorithms of the program's own need not have been validated.
void operation::check(const slot& fresh) const {
  const schedule::step& s = fresh.what;
  if (schedule::names_stranger(s, among.size())) {
    refuse(fresh, schedule::stranger_of(s, among.size()));
  }
  if (s.kind == schedule::step_kind::stage) return;  // its piece and slots are no places but sizes
  if (const std::uint64_t slots = schedule::slots_end(s); slots > words_.size()) {
    refuse(fresh, fmt::format("names slot {}; there are {}", slots - 1, words_.size()));
  }
  for (const schedule::piece* p : {&s.left, &s.right, &s.into}) {
    const bool at_peer = s.kind == schedule::step_kind::send && p == &s.into;
    const bool own = p->owner == schedule::own || p->owner == among.rank();
    if (at_peer || !own || p->bytes == 0 || p->of == schedule::buffer::none) continue;
    const std::uint64_t size = size_of(p->of);
    if (p->offset <= size && p->bytes <= size - p->offset) continue;
    refuse(fresh, fmt::format("names {} bytes at {} of the {}, which has {}", p->bytes, p->offset,
                              schedule::to_string(p->of), size));
  }
}

std::uint64_t operation::size_of(schedule::buffer which) const noexcept {
  switch (which) {
    case schedule::buffer::input: return buffers.input.size();
    case schedule::buffer::output: return buffers.output.size();
    case schedule::buffer::scratch: return scratch_.size();
    case schedule::buffer::shared: return main_steps.wants().shared_bytes;
    case schedule::buffer::none: break;
  }
  return 0;
}

void operation::refuse(const slot& fresh, std::string_view why) const {
  throw error(error_kind::argument,
              fmt::format("rank {}: {}{}{}: {} {}; schedule::validate proves algorithms of a "
                          "program's own (docs/algorithms.md)",
                          among.here().rank(), how.agreed.operation,
                          how.agreed.algorithm.empty() ? "" : " by algorithm ",
                          how.agreed.algorithm, schedule::name_step(fresh.index, fresh.what), why));
}

std::string operation::describe_oldest() {
  if (goes_in_turn() || compact || base_ == next_) return {};
  const schedule::step& s = at(base_).what;
  std::string text = schedule::name_step(base_, s);
  const std::uint64_t bytes = s.kind == schedule::step_kind::receive ? s.into.bytes : s.left.bytes;
  const int peer = s.peer == schedule::own ? -1 : among.world_rank(s.peer);
  switch (s.kind) {
    case schedule::step_kind::send:
      return text + fmt::format(", edge {} of {} bytes to rank {}", s.edge, bytes, peer);
    case schedule::step_kind::receive:
      return text + fmt::format(", edge {} of {} bytes from rank {}", s.edge, bytes, peer);
    case schedule::step_kind::await:
      return text + fmt::format(", {} signals to counter {} of rank {}", s.value, s.edge,
                                peer < 0 ? among.here().rank() : peer);
    case schedule::step_kind::close:
      return text + fmt::format(", {} messages of edge {}", s.value, s.edge);
    default: return text;
  }
}

/// Opens the step, or lists it with those that it waits for.
void operation::link(slot& fresh) {
  fresh.unmet = 0;
  fresh.after_all = false;
  if (fresh.what.after_all) return wait_for_all_before(fresh);
  for (std::size_t i = 0; i < fresh.what.after.size(); ++i) {
    const std::uint32_t distance = fresh.what.after[i];
    if (distance == 0 || distance > fresh.index || fresh.index - distance < base_) continue;
    slot& earlier = at(fresh.index - distance);
    if (earlier.state == progress_of::done) continue;
    fresh.next_dependent[i] = earlier.dependents;
    earlier.dependents = link_to(distance, i);
    ++fresh.unmet;
  }
  if (fresh.unmet == 0) stir(fresh);
}

void operation::wait_for_all_before(slot& s) noexcept {
  s.after_all = true;
  if (s.index == base_) open_front();
}

void operation::open_front() noexcept {
  slot& front = at(base_);
  if (!std::exchange(front.after_all, false)) return;
  stir(front);
}

void operation::stir(const slot& s) noexcept {
  open_.mark(s.index % slots_.size());
  stirred = true;
}

traced_collective operation::in_trace() const noexcept {
  const signature& is = how.agreed;
  return {is.operation.data(),
          is.algorithm.data(),
          is.bytes,
          among.id(),
          persists ? run() : first_run(number),
          is.site};
}

/// When it was begun nobody knows: it may have waited for a message.
void operation::write_step(const slot& done) const {
  const schedule::step& s = done.what;
  if (s.kind == schedule::step_kind::stage) return;
  const bool sends = s.kind == schedule::step_kind::send;
  const duration at = among.here().now();
  write_down(*trace,
             {to_string(s.kind).data(), sends ? s.left.bytes : s.into.bytes,
              s.peer < 0 ? -1 : among.world_rank(s.peer)},
             in_trace(), at, at);
}

void operation::complete(slot& s) noexcept {
  ensure(s.state != progress_of::done, "a step is done once", s.index);
  s.state = progress_of::done;
  if (trace != nullptr) write_step(s);
  if (s.name != 0) slots_.store().forget(s);
  open_.unmark(s.index % slots_.size());
  if (s.what.kind != schedule::step_kind::receive) --others_;
  for (std::uint32_t link = std::exchange(s.dependents, 0); link != 0;) {
    const std::size_t which = link % schedule::step::most_dependencies;
    slot& later = at(s.index + link / schedule::step::most_dependencies);
    link = later.next_dependent[which];
    if (--later.unmet == 0) stir(later);
  }
  stirred = true;
  if (s.index != base_) return;
  while (base_ < next_ && at(base_).state == progress_of::done) ++base_;
  if (base_ < next_) open_front();
}

std::uint64_t operation::take_open(std::uint64_t index) noexcept {
  const std::size_t places = slots_.size();
  const std::size_t begin = index % places;
  const std::uint64_t room = next_ - index;  // the window is no longer than the ring
  std::size_t found = open_.next(begin);
  std::uint64_t distance = found - begin;
  if (found == open_steps::nothing) {
    found = open_.next(0);
    distance = found + places - begin;
  }
  if (found == open_steps::nothing || distance >= room) return next_;
  open_.unmark(found);
  return index + distance;
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

bool operation::collects(std::uint64_t edge) const noexcept { return collecting.contains(edge); }

const std::byte* operation::source(const schedule::piece& p) const {
  switch (p.of) {
    case schedule::buffer::input: return buffers.input.data() + p.offset;
    case schedule::buffer::output: return buffers.output.data() + p.offset;
    case schedule::buffer::scratch: return scratch_.data() + p.offset;
    case schedule::buffer::shared: return shared(p);
    case schedule::buffer::none: break;
  }
  return nullptr;
}

std::byte* operation::target(const schedule::piece& p) {
  if (p.of == schedule::buffer::output) return buffers.output.data() + p.offset;
  if (p.of == schedule::buffer::shared) return shared(p);
  return p.of == schedule::buffer::scratch ? scratch_.data() + p.offset : nullptr;
}

bool operation::settles_by_words() const noexcept {
  return shares_memory && on_team.shared->is_whole();
}

bool operation::exposes(schedule::buffer which) const noexcept {
  const schedule::needs& wants = main_steps.wants();
  return shares_memory && rules.addresses == schedule::address_mode::local &&
         (which == schedule::buffer::input ? wants.exposes_input : wants.exposes_output);
}

std::byte* operation::shared(const schedule::piece& p) const {
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
