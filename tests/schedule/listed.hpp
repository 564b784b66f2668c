// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules written down step by step, for tests of what reads schedules.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "upwash/schedule/recording.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::schedule {

/// What the schedules of these tests need: 8 bytes of scratch, 4 slots, 2 counters.
inline constexpr needs needs_of_listed{.window = 1,
                                       .slots = 4,
                                       .scratch_bytes = 8,
                                       .counters = 2,
                                       .exposes_input = true,
                                       .exposes_output = true};

inline generator list_of(const std::vector<step>& steps, const needs& wants = needs_of_listed) {
  static std::deque<std::vector<step>> kept;  // for the length of the test program
  return emit_recorded(kept.emplace_back(steps), wants);
}

inline step step_of(step_kind kind, int peer = own, std::uint32_t edge = 0) {
  step s;
  s.kind = kind;
  s.peer = peer;
  s.edge = edge;
  return s;
}

inline step send(int peer, std::uint32_t edge, piece from) {
  step s = step_of(step_kind::send, peer, edge);
  s.left = from;
  return s;
}

inline step acknowledged(step s) {
  s.acknowledged = true;
  return s;
}

inline step receive(int peer, std::uint32_t edge, piece into) {
  step s = step_of(step_kind::receive, peer, edge);
  s.into = into;
  return s;
}

inline step copy(piece from, piece into) {
  step s = step_of(step_kind::copy);
  s.left = from;
  s.into = into;
  return s;
}

inline step await(int peer, std::uint32_t counter, std::uint64_t value) {
  step s = step_of(step_kind::await, peer, counter);
  s.value = value;
  return s;
}

inline step after(std::uint32_t distance, step s) {
  s.after[0] = distance;
  return s;
}

inline step after_all(step s) {
  s.after_all = true;
  return s;
}

inline constexpr piece whole_input{buffer::input, 0, 8};
inline constexpr piece whole_output{buffer::output, 0, 8};
inline constexpr piece whole_scratch{buffer::scratch, 0, 8};

inline piece of_rank(int owner, piece p) {
  p.owner = owner;
  return p;
}

/// What is wrong with these ranks' steps; rank 1 is to have the input of rank 0 in the end.
inline std::string problem_of(const std::vector<std::vector<step>>& ranks,
                              const std::vector<rank_call>& calls = {},
                              const needs& wants = needs_of_listed) {
  expectation of;
  of.ranks = static_cast<int>(ranks.size());
  of.input_bytes = of.output_bytes = 8;
  of.calls = calls;
  return validate(
      of, [&](int rank) { return list_of(ranks[static_cast<std::size_t>(rank)], wants); },
      [](int rank, std::uint64_t e) {
        return rank == 1 ? abstract_value{{0, static_cast<std::uint32_t>(e)}} : abstract_value{};
      },
      1);
}

inline bool says(const std::string& problem, const std::string& part) {
  return problem.find(part) != std::string::npos;
}

}  // namespace upwash::schedule
