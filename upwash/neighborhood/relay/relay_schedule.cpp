// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/relay_schedule.hpp"

#include <algorithm>
#include <utility>

namespace upwash::neighborhoods {

using schedule::buffer;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

constexpr std::uint32_t no_source = ~std::uint32_t{0};
constexpr int nobody = -1;

enum counter : std::uint32_t { is_there, was_read, counters };

/// Messages of a round that carry what came before wait for all of that. Blocks for this rank are
/// copied to the output when they have come. Ranks of a node that share memory read each other's
/// blocks where they are laid out, once for all, also those that they put into messages.
steps relay(script& out, const laid_out_plan& all) {
  const relay_plan& plan = all.plan();
  auto delivered = plan.deliveries.begin();
  for (; delivered != plan.deliveries.end() && delivered->slot < plan.own_slots; ++delivered) {
    co_yield out.copy(all.slot(delivered->slot), all.output_of(delivered->source));
  }
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t laid = 0;
  std::uint32_t signals = 0;
  for (const relay_plan::round& now : plan.rounds) {
    mark before = never;
    if (received > 0 && sent < now.sends_end) {
      before = co_yield out.copy({buffer::scratch, 0, 0}, {buffer::scratch, 0, 0}).after_all();
    }
    if (all.inside_nodes() && signals < now.signals) {
      mark ready = before;
      for (; laid < now.laid_end; ++laid) {
        const std::uint32_t slot = plan.laid[laid];
        ready = co_yield out.copy(all.slot(slot), all.place_of(slot)).after(ready);
      }
      co_yield out.signal(is_there).in_round(now.number).after(ready);
      signals = now.signals;
    }
    for (; sent < now.sends_end; ++sent) {
      if (all.inside_nodes() && plan.sends[sent].is_handed_over()) continue;
      const piece message = all.piece_of(sent);
      mark ready = before;
      if (all.is_packed(sent)) {
        piece into{buffer::scratch, message.offset, 0};
        for (const std::uint32_t slot : plan.blocks_of(plan.sends[sent])) {
          into.bytes = all.slot_bytes(slot);
          ready = co_yield out.copy(all.slot(slot), into).after(ready);
          into.offset += into.bytes;
        }
      }
      co_yield out.send(plan.sends[sent].peer, now.number, message).after(ready);
    }
    for (; received < now.receives_end; ++received) {
      const relay_plan::message& one = plan.receives[received];
      mark came = never;
      if (all.inside_nodes() && one.is_handed_over()) {
        came = co_yield out.await(is_there, one.signals)
                   .of_peer(one.peer)
                   .in_round(now.number)
                   .after(before);
      } else {
        came = co_yield out.receive(one.peer, now.number, all.piece_for(one)).after(before);
      }
      for (; delivered != plan.deliveries.end() && delivered->slot < one.first + one.count;
           ++delivered) {
        const piece from = all.slot(delivered->slot);
        const piece to = all.output_of(delivered->source);
        if (from != to) co_yield out.copy(from, to).after(came);
      }
    }
  }
}

/// Own blocks are laid out, or stay in the input until all have read them; those of others are
/// copied from where they lie once their owner says so.
steps share(script& out, const laid_out_plan& all, buffer from) {
  const relay_plan& plan = all.plan();
  mark laid_out = never;
  if (from == buffer::shared && !plan.sends.empty()) {
    laid_out = co_yield out.copy(all.own_blocks(), {from, 0, all.own_blocks().bytes});
  }
  if (!plan.sends.empty()) co_yield out.signal(is_there).after(laid_out);
  auto owner = plan.receives.begin();
  mark there = never;
  mark taken = never;
  for (std::size_t i = 0; i < plan.deliveries.size(); ++i) {
    const relay_plan::delivery& each = plan.deliveries[i];
    const piece into = all.output_of(each.source);
    if (each.slot < plan.own_slots) {
      co_yield out.copy(all.slot(each.slot), into);
      continue;
    }
    while (each.slot >= owner->first + owner->count) {
      ++owner;
      there = never;
    }
    if (there == never) {
      there = co_yield out.await(is_there, 1).of_peer(owner->peer);
      taken = there;
    }
    taken = co_yield out.copy(all.block_there(each.slot, owner->peer, from), into).after(taken);
    const bool is_last = i + 1 == plan.deliveries.size() ||
                         plan.deliveries[i + 1].slot >= owner->first + owner->count;
    if (from == buffer::input && is_last)
      co_yield out.signal(was_read).to(owner->peer).after(taken);
  }
  if (from == buffer::input && !plan.sends.empty()) {
    co_yield out.await(was_read, plan.sends.size()).in_round(1);
  }
}

}  // namespace

laid_out_plan::laid_out_plan(const relay_plan& plan, std::uint64_t bytes,
                             std::uint64_t node_scratch)
    : plan_(plan),
      bytes_(bytes),
      inside_nodes_(plan.hands_over && node_scratch > 0 &&
                    (plan.most_places == 0 || bytes <= node_scratch / plan.most_places)) {
  lay_out();
}

laid_out_plan::laid_out_plan(const relay_plan& plan, const uneven& lengths)
    : plan_(plan),
      lengths_(lengths.slot_bytes.begin(), lengths.slot_bytes.end()),
      inputs_(lengths.inputs.begin(), lengths.inputs.end()),
      outputs_(lengths.outputs.begin(), lengths.outputs.end()) {
  lay_out();
}

void laid_out_plan::lay_out() {
  source_of_.assign(plan_.slots, no_source);
  if (!outputs_.empty()) slot_of_.resize(plan_.deliveries.size());
  for (const relay_plan::delivery& each : plan_.deliveries) {
    source_of_[each.slot] = each.source;
    if (!outputs_.empty()) slot_of_[each.source] = each.slot;
  }
  scratch_at_.assign(plan_.slots, nowhere);
  if (inside_nodes_) holder_of_.assign(plan_.slots, nobody);
  std::uint64_t end = 0;
  for (const relay_plan::message& each : plan_.receives) {
    if (inside_nodes_ && each.is_handed_over()) {
      std::fill_n(holder_of_.begin() + each.first, each.count, each.peer);
      continue;
    }
    if (inside_nodes_ && plan_.place_of(each.first) != relay_plan::nowhere) continue;
    if (each.count == 1 && source_of_[each.first] != no_source) continue;
    for (std::uint32_t slot = each.first; slot < each.first + each.count; ++slot) {
      scratch_at_[slot] = end;
      end += slot_bytes(slot);
    }
  }
  packed_at_.assign(plan_.sends.size(), nowhere);
  for (std::size_t i = 0; i < plan_.sends.size(); ++i) {
    if (inside_nodes_ && plan_.sends[i].is_handed_over()) continue;
    if (in_one_piece(plan_.sends[i])) continue;
    packed_at_[i] = end;
    for (const std::uint32_t one : plan_.blocks_of(plan_.sends[i])) end += slot_bytes(one);
  }
  scratch_bytes_ = end;
}

piece laid_out_plan::slot(std::uint32_t number) const {
  const std::uint64_t bytes = slot_bytes(number);
  if (number < plan_.own_slots) {
    return {buffer::input, inputs_.empty() ? number * bytes_ : inputs_[number], bytes};
  }
  if (inside_nodes_) {
    if (holder_of_[number] != nobody)
      return block_there(number, holder_of_[number], buffer::shared);
    if (plan_.place_of(number) != relay_plan::nowhere) return place_of(number);
  }
  if (scratch_at_[number] == nowhere) return output_of(source_of_[number]);
  return {buffer::scratch, scratch_at_[number], bytes};
}

piece laid_out_plan::output_of(std::uint32_t source) const {
  if (outputs_.empty()) return {buffer::output, source * bytes_, bytes_};
  return {buffer::output, outputs_[source], slot_bytes(slot_of_[source])};
}

piece laid_out_plan::place_of(std::uint32_t slot) const {
  return {buffer::shared, plan_.places[slot] * bytes_, bytes_};
}

/// What others hold is put together here.
bool laid_out_plan::in_one_piece(const relay_plan::message& sent) const {
  const auto blocks = plan_.blocks_of(sent);
  if (slot(blocks[0]).owner != schedule::own) return false;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const piece before = slot(blocks[i - 1]);
    const piece next = slot(blocks[i]);
    if (before.of != next.of || before.owner != next.owner || before.end() != next.offset)
      return false;
  }
  return true;
}

bool laid_out_plan::is_packed(std::size_t send) const { return packed_at_[send] != nowhere; }

piece laid_out_plan::piece_of(std::size_t send) const {
  const auto blocks = plan_.blocks_of(plan_.sends[send]);
  piece all = slot(blocks[0]);
  if (is_packed(send)) all = {buffer::scratch, packed_at_[send], all.bytes};
  for (std::size_t i = 1; i < blocks.size(); ++i) all.bytes += slot_bytes(blocks[i]);
  return all;
}

piece laid_out_plan::piece_for(const relay_plan::message& received) const {
  piece all = slot(received.first);
  for (std::uint32_t i = 1; i < received.count; ++i) all.bytes += slot_bytes(received.first + i);
  return all;
}

std::uint32_t laid_out_plan::most_steps_of_a_round() const {
  std::size_t most = 0;
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t laid = 0;
  for (const relay_plan::round& each : plan_.rounds) {
    std::size_t steps = 2 + each.laid_end - std::exchange(laid, each.laid_end);
    for (; sent < each.sends_end; ++sent) {
      steps += 1 + (is_packed(sent) ? plan_.sends[sent].count : 0);
    }
    for (; received < each.receives_end; ++received) steps += 1 + plan_.receives[received].count;
    most = std::max(most, steps);
  }
  return static_cast<std::uint32_t>(most);
}

piece laid_out_plan::own_blocks() const { return {buffer::input, 0, plan_.own_slots * bytes_}; }

piece laid_out_plan::block_there(std::uint32_t slot, int owner, buffer of) const {
  return {of, plan_.slots_there[slot - plan_.own_slots] * bytes_, bytes_, owner};
}

schedule::generator laid_out_plan::steps(std::uint64_t shared_scratch) const {
  if (plan_.shared_slots == 0) return steps_by_messages();
  const std::uint64_t laid_out = plan_.shared_slots * bytes_;
  const buffer from = laid_out <= shared_scratch ? buffer::shared : buffer::input;
  return {{.window = 32,
           .shared_bytes = from == buffer::shared ? laid_out : 0,
           .counters = counters,
           .exposes_input = from == buffer::input},
          [all = this, from](script& out) { return share(out, *all, from); }};
}

schedule::generator laid_out_plan::steps_by_messages() const {
  // A block may be that of several sources, each of them a copy.
  const auto copies = static_cast<std::uint32_t>(plan_.deliveries.size());
  const std::uint32_t window = std::max<std::uint32_t>(32, most_steps_of_a_round() + copies + 2);
  return {{.window = window,
           .scratch_bytes = scratch_bytes_,
           .shared_bytes = inside_nodes_ ? plan_.most_places * bytes_ : 0,
           .counters = inside_nodes_ ? 1U : 0U,
           .inside_nodes = inside_nodes_,
           .edges_apart = false},
          [all = this](script& out) { return relay(out, *all); }};
}

}  // namespace upwash::neighborhoods
