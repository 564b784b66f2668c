// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/equal_lengths.hpp"

namespace upwash::tools {

using collective::kind;
using schedule::step;

namespace {

std::uint64_t elements_of(const collective::problem& call) {
  return call.bytes / call.element_bytes;
}

}  // namespace

equal_lengths::equal_lengths(const collective::problem& call, int degree)
    : call_(call), degree_(degree) {
  int messages = 0;
  if (is_uneven(call.of)) counts_.assign(static_cast<std::size_t>(call.ranks), elements_of(call));
  if (call.of == kind::all_to_all_v) messages = call.ranks;
  if (call.of == kind::many_to_many) messages = degree;
  if (call.of == kind::many_to_many_multicast) messages = 1;
  for (int i = 0; i < messages; ++i) {
    lengths_.push_back(call.bytes);
    offsets_.push_back(static_cast<std::uint64_t>(i) * call.bytes);
  }
}

known_words equal_lengths::of(int rank, const schedule::generator& steps) const {
  known_words words;
  words.slots.resize(steps.wants().slots);
  words.facts.slots = words.slots;
  if (is_uneven(call_.of)) {
    words.facts.given[0] = counts_;
    words.facts.input_bytes = words.facts.output_bytes = elements_of(call_) * call_.element_bytes;
  }
  if (call_.of == kind::all_to_all_v) {
    words.facts.given = {lengths_, offsets_, lengths_, offsets_};
  }
  if (call_.of == kind::many_to_many || call_.of == kind::many_to_many_multicast) {
    const auto member = [&](std::int64_t further) {
      return static_cast<std::uint64_t>((rank + further) % call_.ranks);
    };
    for (int i = 1; i <= degree_; ++i) {
      words.destinations.push_back(member(i));
      words.sources.push_back(member(std::int64_t{call_.ranks} - i));
    }
    words.facts.given = {words.destinations, lengths_, offsets_, words.sources};
    words.facts.input_bytes = call_.bytes;
  }
  if (!words.slots.empty()) fill_headers(steps, words);
  return words;
}

/// A header tells where the blocks of its message end, or how long they are.
void equal_lengths::fill_headers(schedule::generator steps, known_words& words) const {
  for (step s; steps.next(s, words.facts);) {
    if (s.kind != schedule::step_kind::receive) continue;
    for (std::uint32_t i = 0; i < s.header.count; ++i) {
      const std::uint64_t end = (std::uint64_t{i} + 1) * call_.bytes;
      words.slots[s.header.first + i] = is_uneven(call_.of) ? words.facts.input_bytes : end;
    }
  }
}

}  // namespace upwash::tools
