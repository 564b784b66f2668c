// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/emission.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/schedule/detail/describe.hpp"

namespace upwash::schedule::detail {
namespace {

constexpr std::size_t least_open = 32;  ///< so many steps every executor keeps open
/// What the generator sees in a slot that it must not read yet: no length of anything.
constexpr std::uint64_t nonsense = 0xbad5'107b'ad51'07ba;

}  // namespace

emission::emission(int rank, const generator& from, const rank_call* call, std::vector<step>& steps)
    : rank_(rank), from_(from), words_(from.wants().slots), seen_(words_), steps_(steps) {
  known_.slots = seen_;
  if (call == nullptr) return;
  for (std::size_t i = 0; i < call->given.size(); ++i) known_.given[i] = call->given[i];
}

std::string emission::refill(const abstract_memory& memory, std::vector<slot_write>& written) {
  const std::size_t most = std::max<std::size_t>(from_.window() + std::size_t{1}, least_open);
  while (!ended_ && steps_.size() - base_ < most) {
    if (latest_stage_ && !done_[*latest_stage_]) return {};
    step s;
    const bool more = from_.next(s, known_);
    note_own_writes(written);
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
  }
  return {};
}

std::string emission::objection(const step& s, const abstract_memory& memory) const {
  for (const std::uint32_t distance : s.after) {
    if (distance > steps_.size() || (distance > from_.window() && !s.after_all)) {
      return fmt::format("waits for {} steps back; {} were emitted, the window is {}", distance,
                         steps_.size(), from_.window());
    }
  }
  const auto slots_end = std::max<std::uint64_t>(
      std::uint64_t{s.header.first} + s.header.count,
      s.length_slot == step::no_slot ? 0 : static_cast<std::uint64_t>(s.length_slot) + 1);
  if (slots_end > words_.size()) {
    return fmt::format("names slot {}; the generator declares {}", slots_end - 1, words_.size());
  }
  if (s.kind == step_kind::stage) return {};  // its piece is no place but a size
  for (const piece* p : {&s.left, &s.right, &s.into}) {
    const bool at_peer = s.kind == step_kind::send && p == &s.into;
    const std::string wrong = memory.objection(at_peer ? s.peer : rank_, *p);
    if (!wrong.empty()) return fmt::format("names {}", wrong);
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

/// The generator may write slots while it emits.
void emission::note_own_writes(std::vector<slot_write>& written) {
  for (std::uint32_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i] == words_[i] || seen_[i] == nonsense) continue;
    words_[i] = seen_[i];
    written.push_back({{rank_, steps_.size()}, i, latest_stage_});
  }
}

void emission::hide(const slots& pending) {
  std::fill_n(seen_.begin() + pending.first, pending.count, nonsense);
}

/// Those whose receives the stage waits for, directly or not.
void emission::show_slots_known_at(std::size_t stage) {
  std::vector<bool> behind(stage + 1);
  std::vector<bool> latest_known(words_.size());  // else: an older receive of the same slot
  behind[stage] = true;
  const auto show = [&](std::size_t slot, bool is_behind) {
    if (is_behind && !latest_known[slot]) seen_[slot] = words_[slot];
    latest_known[slot] = true;
  };
  for (std::size_t i = stage + 1; i-- > 0;) {
    if (behind[i]) {
      for_each_dependency(steps_, i, [&](std::size_t earlier) { behind[earlier] = true; });
    }
    const step& s = steps_[i];
    if (s.kind != step_kind::receive) continue;
    for (std::uint32_t n = 0; n < s.header.count; ++n) show(s.header.first + n, behind[i]);
    if (s.length_slot != step::no_slot) show(static_cast<std::size_t>(s.length_slot), behind[i]);
  }
}

bool emission::ready(std::size_t number) const {
  if (steps_[number].after_all) return base_ == number;
  bool all = true;
  for_each_dependency(steps_, number, [&](std::size_t earlier) { all = all && done_[earlier]; });
  return all;
}

void emission::finish(std::size_t number) {
  done_[number] = true;
  std::erase(open_, number);
  while (base_ < done_.size() && done_[base_]) ++base_;
  if (steps_[number].kind == step_kind::stage) show_slots_known_at(number);
}

std::vector<std::uint64_t> emission::words(const slots& of) const {
  return {words_.begin() + of.first, words_.begin() + of.first + of.count};
}

void emission::set_words(const slots& to, const std::vector<std::uint64_t>& words) {
  std::copy(words.begin(), words.end(), words_.begin() + to.first);
}

}  // namespace upwash::schedule::detail
