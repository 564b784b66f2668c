// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/objects/random_actor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "upwash/base/duration.hpp"
#include "upwash/objects/reduction.hpp"

namespace upwash::test::random_programs {
namespace {

/// Commutes, and is none of the library's.
struct parity {
  static constexpr bool commutes = true;
  bits operator()(bits left, bits right) const { return left ^ right; }
};

bits& entry_of(std::vector<std::pair<bits, bits>>& of, bits key) {
  const auto found = std::ranges::find(of, key, &std::pair<bits, bits>::first);
  return found != of.end() ? found->second : of.emplace_back(key, 0).second;
}

int some_member(const surroundings& in, bits draw) {
  return static_cast<int>(draw % static_cast<bits>(in.members));
}

}  // namespace

const surroundings& actor::where() const {
  return here().service<open_programs>().by_array.at(object_view<actor>(*this).core().name());
}

void actor::act(bits seed, int depth) {
  const surroundings& in = where();
  const deed does = deed_at(*in.of, index(), seed, depth);
  counted.sum += does.adds;
  ++counted.calls;
  const object_view<actor> all(*this);
  for (const call& each : does.calls) make_call(all, in, each, depth, this);
  if (does.moves) migrate_to(some_member(in, does.moves_to));
}

void actor::act_in_order(name from, bits number, bits seed, int depth) {
  if (number != 0) {
    bits& last = entry_of(heard, from.word());
    EXPECT_EQ(number, last + 1) << "program " << where().of->seed << ": calls of " << from.born
                                << ':' << from.number << " run in their order";
    last = number;
  }
  act(seed, depth);
}

void actor::check_payload(std::span<const std::uint8_t> payload, bits seed) {
  const auto wanted = payload_of(seed, payload.size());
  EXPECT_TRUE(std::ranges::equal(payload, wanted))
      << "program " << where().of->seed << ": " << payload.size() << " bytes of another payload";
  counted.sum += payload.size();
}

void actor::act_with_payload(std::vector<std::uint8_t> payload, bits seed, int depth) {
  check_payload(payload, seed);
  act(seed, depth);
}

void actor::act_with_span(std::span<const std::uint8_t> payload, bits seed, int depth) {
  check_payload(payload, seed);
  act(seed, depth);
}

void actor::act_and_ask(bits seed, int depth) {
  act(seed, depth);
  const bits wanted = ++questions;
  object_view<actor>(*this)[asked_by(*where().of, seed)].send<&actor::ask>(index());
  wait_until([&] { return counted.answers >= wanted; });
  counted.sum += added_by_waiting(seed);
}

void actor::ask(name from) {
  ++counted.asked;
  object_view<actor>(*this)[from].send<&actor::answer>();
}

void actor::act_and_wait(bits seed, int depth) {
  act(seed, depth);
  future<bits> answer(here());
  object_view<actor>(*this)[asked_by(*where().of, seed)].send<&actor::fulfil>(answer.get_promise(),
                                                                              seed);
  EXPECT_EQ(answer.get(), promised(seed)) << "program " << where().of->seed;
  counted.sum += added_by_waiting(seed);
}

void actor::fulfil(promise<bits> answer, bits seed) {
  ++counted.asked;
  answer.set_value(here(), promised(seed));
}

void actor::act_and_get(bits seed, int depth) {
  act(seed, depth);
  const auto& words = where().words;
  const bits rank = added_by_waiting(seed) % words.size();
  bits word = 0;
  get(here(), words[rank], std::span(&word, 1)).wait();
  EXPECT_EQ(word, word_at(rank)) << "program " << where().of->seed;
  counted.sum += added_by_waiting(seed);
}

void actor::act_in_bracket(bits seed, bool to_sections) {
  if (newborn) return;  // from the next fence on
  const surroundings& in = where();
  const auto by = object_view<actor>(*this).with(to_sections ? in.multicast : in.bracketed);
  by.begin();
  for (const bracketed_call& each : bracket_of(*in.of, index(), seed)) {
    if (to_sections) {
      by[in.sections[static_cast<std::size_t>(each.section)]].send<&actor::act>(each.seed, 1);
    } else {
      by[each.to].send<&actor::act>(each.seed, 1);
    }
  }
  by.end();
  const bits draw = gift(index(), seed);
  if (draw % 3 == 0) migrate_to(some_member(in, draw / 3));
}

void actor::contribute_to(target to, bits seed, promise<bits> result) {
  const surroundings& in = where();
  const bits mine = gift(index(), seed);
  switch (to) {
    case target::all: contribute<sum>(mine, everyone<&actor::hear>()); break;
    case target::one: contribute<sum>(mine, object_at<&actor::hear>(first_name(1))); break;
    case target::rank: contribute<sum>(mine, member_at<&tell_rank>(in.members - 1)); break;
    case target::future: contribute<sum>(mine, result); break;
    case target::section: contribute<sum>(mine, all_of<&actor::hear>(in.sections[0])); break;
    case target::vector_to_one:
      contribute<elementwise<sum>>(std::vector<bits>(seed % 2000, mine),
                                   object_at<&actor::hear_all>(first_name(2)));
      break;
    default: contribute<parity>(mine, everyone<&actor::hear>());
  }
  if (mine % 3 == 0) migrate_to(some_member(in, mine / 3));
}

void actor::contribute_in(int section, bits seed, promise<bits> result) {
  const bits mine = gift(index(), seed);
  const auto& all = where().sections[static_cast<std::size_t>(section)];
  switch (section) {
    case 0: contribute<sum>(all, mine, result); break;
    case 1: contribute<sum>(all, mine, all_of<&actor::hear>(all)); break;
    default: contribute<sum>(all, mine, everyone<&actor::hear>());
  }
  if (mine % 3 == 0) migrate_to(some_member(where(), mine / 3));
}

void actor::hear_all(std::vector<bits> results) {
  bits all = 0;
  for (const bits each : results) all += each;
  counted.hear(all);
}

void actor::thin_out(bits seed) {
  if (index().born != 0 && gift(index(), seed) % 2 == 0) remove();
}

void desk::pass_on(array_id<actor> actors, name to, bits seed, int depth) {
  sum += seed;
  object_view<actor>(here(), actors)[to].send<&actor::act>(seed, depth);
}

void tell_rank(incoming& in, bits result) { in.here().service<open_programs>().told += result; }

namespace {

void make_payload_call(const object_view<actor>& all, const call& one, int depth, actor* by) {
  const auto payload = payload_of(one.seed, one.bytes);
  const std::span<const std::uint8_t> bytes(payload);
  const auto to = all[one.to];
  if (one.by == way::with_payload) {
    to.send<&actor::act_with_payload>(payload, one.seed, depth);
  } else if (one.by == way::aggregated_span && by != nullptr) {
    aggregated<&actor::act_aggregated_span>::of(*by)[one.to].send(bytes, one.seed, depth);
  } else {
    to.send<&actor::act_with_span>(bytes, one.seed, depth);
  }
}

/// Of a caller that may be an actor of an ordered array.
void make_plain_call(const object_view<actor>& all, const surroundings& in, const call& one,
                     int depth, actor* by) {
  const bits number = in.of->ordered && by != nullptr ? ++entry_of(by->made, one.to.word()) : 0;
  const name from = by == nullptr ? name() : by->index();
  const int priority = one.by == way::urgent ? one.priority : 0;
  all[one.to].send_first<&actor::act_in_order>(priority, from, number, one.seed, depth);
}

void make_birth(const object_view<actor>& all, const call& one) {
  const name born = name_of_birth(one.seed);
  const bool called_before = one.priority < 0;
  if (called_before) all[born].send<&actor::act>(one.seed, 0);
  all.insert(born, one.seed);
  if (!called_before) all[born].send<&actor::act>(one.seed, 0);
}

void make_desk_call(const surroundings& in, const call& one, int depth, job& here) {
  const int member = some_member(in, one.bytes);
  const bool own = one.by == way::by_desk;
  const int at = own ? member : in.node_desk_of[static_cast<std::size_t>(member)];
  const object_view<desk> desks(here, own ? in.desks : in.node_desks);
  desks[at].send<&desk::pass_on>(in.actors, one.to, one.seed, depth);
}

}  // namespace

void make_call(const object_view<actor>& all, const surroundings& in, const call& one, int depth,
               actor* by) {
  const int below = depth_below(one.by, depth);
  const auto to = all[one.to];
  const auto& section = in.sections[static_cast<std::size_t>(one.section)];
  switch (one.by) {
    case way::when_idle: return to.send_first<&actor::act>(when_idle, one.seed, below);
    case way::later: {
      const auto time = duration::from_us(static_cast<double>(one.bytes % 50));
      return to.send_after<&actor::act>(time, one.seed, below);
    }
    case way::with_payload:
    case way::with_span:
    case way::aggregated_span: return make_payload_call(all, one, below, by);
    case way::and_ask: return to.send<&actor::act_and_ask>(one.seed, below);
    case way::and_wait: return to.send<&actor::act_and_wait>(one.seed, below);
    case way::and_get: return to.send<&actor::act_and_get>(one.seed, below);
    case way::streamed:
      return all.with(in.streamed)[one.to].send_first<&actor::act>(one.priority, one.seed, below);
    case way::aggregated:
      if (by == nullptr) return to.send<&actor::act>(one.seed, below);
      return aggregated<&actor::act_aggregated>::of(*by)[one.to].send(one.seed, below);
    case way::to_section:
      return all[section].send_first<&actor::act>(one.priority, one.seed, below);
    case way::to_section_streamed:
      return all.with(in.streamed)[section].send<&actor::act>(one.seed, below);
    case way::of_birth: return make_birth(all, one);
    case way::to_all: return all.broadcast<&actor::act>(one.seed, below);
    case way::by_desk:
    case way::by_node_desk: return make_desk_call(in, one, below, all.core().among().here());
    default: make_plain_call(all, in, one, below, by);
  }
}

}  // namespace upwash::test::random_programs
