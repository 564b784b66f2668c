// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/emission.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/schedule/detail/validate/describe.hpp"

namespace upwash::schedule::detail {
namespace {

constexpr std::size_t least_open = 32;  ///< so many steps every executor keeps open
/// What the generator sees in a slot that it must not read yet: no length of anything.
constexpr std::uint64_t nonsense = 0xbad5'107b'ad51'07ba;
/// So many words are guarded on each side of the slots: who takes a count of ranks or of blocks for
/// that of the slots is seldom further off in a small team.
constexpr std::size_t guard_words = 256;

bool uses(const step& s, std::uint32_t slot) {
  if (s.kind == step_kind::stage) return false;
  const bool in_header = slot >= s.header.first && slot - s.header.first < s.header.count;
  return in_header ||
         (s.length_slot != step::no_slot && slot == static_cast<std::uint32_t>(s.length_slot));
}

}  // namespace

emission::emission(int rank, const generator& from, const expectation& of, std::vector<step>& steps)
    : rank_(rank),
      from_(from),
      guarded_(2 * guard_words, nonsense),
      steps_(steps),
      most_open_(of.open_steps) {
  if (most_open_ == 0)
    most_open_ = std::max<std::size_t>(from.window() + std::size_t{1}, least_open);
  grow(from.wants().slots);
  known_.input_bytes = of.input_bytes;
  known_.output_bytes = of.output_bytes;
  if (of.calls.empty()) return;
  const rank_call& call = of.calls[static_cast<std::size_t>(rank)];
  known_.input_bytes = call.input_bytes.value_or(of.input_bytes);
  known_.output_bytes = call.output_bytes.value_or(of.output_bytes);
  for (std::size_t i = 0; i < call.given.size(); ++i) known_.given[i] = call.given[i];
}

std::string emission::refill(const abstract_memory& memory) {
  while (!ended_ && steps_.size() - base_ < most_open_) {
    if (latest_stage_ && !done_[*latest_stage_]) return {};
    step s;
    const bool more = from_.next(s, known_);
    if (std::string wrong = take_own_writes(); !wrong.empty()) return wrong;
    if (!more) {
      ended_ = true;
      return {};
    }
    if (const std::string wrong = objection(s, memory); !wrong.empty()) {
      return fmt::format("{} {}", describe(rank_, steps_.size(), s), wrong);
    }
    if (s.kind == step_kind::stage) latest_stage_ = steps_.size();
    if (s.kind == step_kind::receive) {
      hide(s.header);
      if (s.length_slot != step::no_slot) hide({static_cast<std::uint32_t>(s.length_slot), 1});
    }
    open_.push_back(steps_.size());
    steps_.push_back(s);
    done_.push_back(false);
    settled_.push_back(false);
  }
  return {};
}

std::string emission::objection(const step& s, const abstract_memory& memory) const {
  if (names_stranger(s, memory.ranks())) return stranger_of(s, memory.ranks());
  if (steps_.size() == most_validated_steps) {
    return fmt::format("comes behind {} others of this rank: it seems never to end",
                       most_validated_steps);
  }
  for (const std::uint32_t distance : s.after) {
    if (distance > steps_.size() || (distance > from_.window() && !s.after_all)) {
      return fmt::format("waits for {} steps back; {} were emitted, the window is {}", distance,
                         steps_.size(), from_.window());
    }
  }
  if (slots_end(s) > words_.size() && s.kind != step_kind::stage) {
    return fmt::format("names slot {}; the generator declares {}", slots_end(s) - 1, words_.size());
  }
  if (s.kind == step_kind::stage) {  // its piece is no place but a size
    if (s.header.count != 0 && !s.after_all) return "grows the slots, but does not wait for all";
    return s.into.of == buffer::none || s.into.of == buffer::scratch ? "" : "grows no scratch";
  }
  for (const piece* p : {&s.left, &s.right, &s.into}) {
    const bool at_peer = s.kind == step_kind::send && p == &s.into;
    const std::string wrong = memory.objection(at_peer ? s.peer : rank_, *p);
    if (!wrong.empty()) return fmt::format("names {}", wrong);
  }
  if (s.placed && (s.into.of == buffer::scratch || s.into.of == buffer::shared)) {
    return "is placed in scratch, which no peer knows";
  }
  if (s.into.of == buffer::input && s.kind != step_kind::send) return "writes to an input";
  if (s.kind == step_kind::copy && s.left.bytes != s.into.bytes) {
    return fmt::format("copies {} bytes into {}", s.left.bytes, s.into.bytes);
  }
  if (s.kind != step_kind::reduce) return {};
  for (const piece* p : {&s.left, &s.right}) {
    if (p->bytes != s.into.bytes) {
      return fmt::format("combines {} bytes into {}", p->bytes, s.into.bytes);
    }
    if (p->overlaps(s.into) && p->offset != s.into.offset) {
      return "writes into the middle of what it combines";
    }
  }
  return {};
}

std::span<std::uint64_t> emission::seen() noexcept {
  return std::span(guarded_).subspan(guard_words, words_.size());
}

/// Of the generator, to a guard.
std::string emission::stray_write() const {
  const std::size_t behind = guard_words + words_.size();
  for (std::size_t w = 0; w < guarded_.size(); ++w) {
    if ((w >= guard_words && w < behind) || guarded_[w] == nonsense) continue;
    const auto slot = static_cast<std::int64_t>(w) - static_cast<std::int64_t>(guard_words);
    return fmt::format("the generator of rank {} writes slot {} before step {}; it declares {}",
                       rank_, slot, steps_.size(), words_.size());
  }
  return {};
}

/// The generator may write slots while it emits: those that no step may be using.
std::string emission::take_own_writes() {
  if (std::string wrong = stray_write(); !wrong.empty()) return wrong;
  const std::span<const std::uint64_t> seen_now = seen();
  for (std::uint32_t w = 0; w < seen_now.size(); ++w) {
    if (seen_now[w] == words_[w] || seen_now[w] == nonsense) continue;
    words_[w] = seen_now[w];
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      if (settled_[n] || !uses(steps_[n], w)) continue;
      return fmt::format(
          "the generator of rank {} writes slot {} before step {}, while {} may use it; a stage "
          "must come between",
          rank_, w, steps_.size(), describe(rank_, n, steps_[n]));
    }
  }
  return {};
}

void emission::hide(const slots& pending) {
  std::ranges::fill(seen().subspan(pending.first, pending.count), nonsense);
}

/// What the stage waits for, directly or not, is settled: its slots may be read, and written anew.
void emission::settle(std::size_t stage) {
  settled_[stage] = true;
  std::vector<bool> latest_known(words_.size());  // else: an older receive of the same slot
  for (std::size_t n = stage + 1; n-- > 0;) {
    if (settled_[n]) {
      for_each_dependency(steps_, n, [&](std::size_t earlier) { settled_[earlier] = true; });
    }
    const step& s = steps_[n];
    if (s.kind != step_kind::receive) continue;
    for (std::uint32_t w = 0; w < words_.size(); ++w) {
      if (!uses(s, w) || latest_known[w]) continue;
      latest_known[w] = true;
      if (settled_[n]) seen()[w] = words_[w];
    }
  }
}

bool emission::ready(std::size_t number) const {
  // A stage that grows the scratch waits as well. One that does not, goes on: no order stands on
  // it.
  const step& s = steps_[number];
  const bool may_grow = s.kind == step_kind::stage && s.into.of == buffer::scratch;
  if (s.after_all || may_grow) return base_ == number;
  bool all = true;
  for_each_dependency(steps_, number, [&](std::size_t earlier) { all = all && done_[earlier]; });
  return all;
}

void emission::finish(std::size_t number) {
  done_[number] = true;
  std::erase(open_, number);
  while (base_ < done_.size() && done_[base_]) ++base_;
  const step& s = steps_[number];
  if (s.kind != step_kind::stage) return;
  grow(std::size_t{s.header.first} + s.header.count);
  settle(number);
}

void emission::grow(std::size_t slots) {
  const std::size_t had = words_.size();
  if (slots > had) {
    words_.resize(slots);
    guarded_.insert(guarded_.end() - guard_words, slots - had, 0);
  }
  known_.slots = seen();
}

std::vector<std::uint64_t> emission::words(const slots& of) const {
  return {words_.begin() + of.first, words_.begin() + of.first + of.count};
}

void emission::set_words(const slots& to, const std::vector<std::uint64_t>& words) {
  std::copy(words.begin(), words.end(), words_.begin() + to.first);
}

}  // namespace upwash::schedule::detail
