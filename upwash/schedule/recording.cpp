// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "upwash/base/error.hpp"

namespace upwash::schedule {

namespace {

steps emit_all(script& out, std::span<const step> kept) {
  for (const step& each : kept) co_yield out.as_recorded(each);
}

}  // namespace

generator emit_recorded(std::span<const step> kept, const needs& wants) {
  return {wants, [=](script& out) { return emit_all(out, kept); }};
}

/// The messages under way, and how far each rank has come.
class recording::flow {
 public:
  flow(std::vector<track>& into, std::uint64_t most_steps) : into_(into), left_(most_steps) {}

  void add(const generator& steps, const facts& known) {
    member& m = members_.emplace_back(member{steps, known, {}, {}, false});
    m.slots.resize(steps.wants().slots);
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < members_.size(); ++rank) moved = advance(rank) || moved;
    }
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (members_[rank].ended && members_[rank].expected.empty()) continue;
      throw error(error_kind::fault, fmt::format("recording: rank {} waits for ever behind step {}",
                                                 rank, into_[rank].steps.size()));
    }
  }

 private:
  struct member {
    generator steps;
    facts known;
    std::vector<std::uint64_t> slots;
    std::vector<std::size_t> expected;  ///< receives, by number
    bool ended = false;
  };
  struct message {
    std::vector<std::uint64_t> header;
    std::uint64_t bytes = 0;
  };
  using edge_key = std::tuple<std::size_t, std::size_t, std::uint32_t>;  ///< from, to, edge

  /// Up to the next stage, once all that is received before this one is here.
  bool advance(std::size_t rank) {
    member& m = members_[rank];
    const std::size_t missing = m.expected.size();
    std::erase_if(m.expected, [&](std::size_t number) { return take(rank, number); });
    if (m.ended || !m.expected.empty()) return m.expected.size() < missing;
    std::vector<step>& steps = into_[rank].steps;
    if (!steps.empty() && steps.back().kind == step_kind::stage) pass(m, steps.back());
    for (;;) {
      step s;
      m.known.slots = m.slots;
      if (!m.steps.next(s, m.known)) {
        m.ended = true;
        return true;
      }
      keep(rank, s);
      if (s.kind == step_kind::stage) return true;
    }
  }

  static void pass(member& m, const step& stage) {
    const auto end = std::size_t{stage.header.first} + stage.header.count;
    m.slots.resize(std::max(m.slots.size(), end));
  }

  void keep(std::size_t rank, const step& s) {
    if (left_-- == 0) {
      throw error(error_kind::argument, "recording: too many steps; choose fewer ranks or less");
    }
    std::vector<step>& steps = into_[rank].steps;
    steps.push_back(s);
    if (s.kind == step_kind::receive) members_[rank].expected.push_back(steps.size() - 1);
    if (s.kind != step_kind::send) return;
    const auto words = std::span(members_[rank].slots).subspan(s.header.first, s.header.count);
    sent_[{rank, static_cast<std::size_t>(s.peer), s.edge}] = {{words.begin(), words.end()},
                                                               s.left.bytes};
  }

  bool take(std::size_t rank, std::size_t number) {
    step& s = into_[rank].steps[number];
    const auto came = sent_.find({static_cast<std::size_t>(s.peer), rank, s.edge});
    if (came == sent_.end()) return false;
    const message& m = came->second;
    std::vector<std::uint64_t>& slots = members_[rank].slots;
    std::copy(m.header.begin(), m.header.end(), slots.begin() + s.header.first);
    if (s.length_slot != step::no_slot) slots[static_cast<std::size_t>(s.length_slot)] = m.bytes;
    s.header.count = static_cast<std::uint32_t>(m.header.size());
    s.into.bytes = m.bytes;
    s.length_slot = step::no_slot;
    sent_.erase(came);
    return true;
  }

  std::vector<track>& into_;
  std::uint64_t left_;
  std::vector<member> members_;
  std::map<edge_key, message> sent_;
};

recording::recording(int ranks, function_ref<generator(int)> schedule_of,
                     function_ref<facts(int)> facts_of, std::uint64_t most_steps) {
  tracks_.resize(static_cast<std::size_t>(ranks));
  flow all(tracks_, most_steps);
  for (int rank = 0; rank < ranks; ++rank) {
    const generator steps = schedule_of(rank);
    track& mine = tracks_[static_cast<std::size_t>(rank)];
    const needs& wants = steps.wants();
    mine.wants = {
        .window = wants.window, .scratch_bytes = wants.scratch_bytes, .counters = wants.counters};
    all.add(steps, facts_of(rank));
  }
  all.run();
}

generator recording::steps_of(int rank) const {
  const track& of = tracks_[static_cast<std::size_t>(rank)];
  return emit_recorded(of.steps, of.wants);
}

}  // namespace upwash::schedule
