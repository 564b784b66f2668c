// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/plan_outline.hpp"

#include <algorithm>

#include "upwash/schedule/script.hpp"

namespace upwash::neighborhoods {
namespace {

using schedule::buffer;
using schedule::mark;
using schedule::never;
using schedule::script;
using schedule::step;
using schedule::step_kind;

// Words of an outline: whether blocks lie in shared memory, the window, then those of the steps.
enum head : std::size_t { shared, window, head_words };
enum field : std::size_t { kind, peer, edge, low, high, step_words };
// Of the kind: the distance to the step that it waits for stands above these bits.
constexpr std::uint32_t kind_bits = 5;
constexpr std::uint32_t waits_for_all = 1U << (kind_bits - 1);

std::uint32_t unsigned_of(std::int32_t word) { return static_cast<std::uint32_t>(word); }
std::int32_t word_of(std::uint64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// Writes steps down, copies that follow one another as one.
class outline_writer {
 public:
  explicit outline_writer(std::vector<std::int32_t>& to) : to_(to) {}

  void add(const step& each) {
    const mark waits = each.after[0] == 0 ? never : at_[at_.size() - each.after[0]];
    const std::uint64_t amount = each.kind == step_kind::send    ? each.left.bytes
                                 : each.kind == step_kind::await ? each.value
                                                                 : each.into.bytes;
    const bool goes_on = copies_ && each.kind == step_kind::copy && !each.after_all &&
                         (waits == written_ || waits == waits_);
    if (goes_on) {
      bytes_ += amount;
      set_amount(bytes_);
    } else {
      write(each, waits, amount);
    }
    at_.push_back(written_);
  }

 private:
  void write(const step& each, mark waits, std::uint64_t amount) {
    ++written_;
    std::uint64_t what = static_cast<std::uint64_t>(each.kind);
    if (each.after_all) what |= waits_for_all;
    if (waits != never) what |= (written_ - waits) << kind_bits;
    to_.insert(to_.end(), {word_of(what), each.peer, word_of(each.edge), 0, 0});
    set_amount(amount);
    copies_ = each.kind == step_kind::copy && !each.after_all;
    waits_ = waits;
    bytes_ = amount;
  }
  void set_amount(std::uint64_t amount) {
    std::int32_t* const last = &to_[to_.size() - step_words];
    last[low] = word_of(amount);
    last[high] = word_of(amount >> 32U);
  }

  std::vector<std::int32_t>& to_;
  std::vector<mark> at_;  ///< of each step of the schedule, where it was written
  mark written_ = never;
  mark waits_ = never;  ///< what the last one waits for
  bool copies_ = false;
  std::uint64_t bytes_ = 0;
};

schedule::steps emit(script& out, std::span<const std::int32_t> words, std::span<const int> seats) {
  for (; !words.empty(); words = words.subspan(step_words)) {
    const std::uint32_t what = unsigned_of(words[kind]);
    const std::uint64_t amount = unsigned_of(words[low]) | std::uint64_t{unsigned_of(words[high])}
                                                               << 32U;
    step now;
    now.kind = static_cast<step_kind>(what & (waits_for_all - 1));
    now.after_all = (what & waits_for_all) != 0;
    now.after[0] = what >> kind_bits;
    now.edge = unsigned_of(words[edge]);
    if (words[peer] != schedule::own) now.peer = seats[static_cast<std::size_t>(words[peer])];
    if (now.kind == step_kind::await) now.value = amount;
    if (now.kind == step_kind::send || now.kind == step_kind::copy) {
      now.left = {buffer::scratch, 0, amount};
    }
    if (now.kind == step_kind::receive || now.kind == step_kind::copy) {
      now.into = {buffer::scratch, 0, amount};
    }
    co_yield out.as_recorded(now);
  }
}

}  // namespace

plan_outline::plan_outline() : words_{0, 1} {}

plan_outline::plan_outline(const laid_out_plan& all, std::uint64_t shared_scratch)
    : words_(head_words) {
  schedule::generator steps = all.steps(shared_scratch);
  outline_writer writer(words_);
  for (step each; steps.next(each);) writer.add(each);
  words_[shared] = all.plan().shared_slots > 0 ? 1 : 0;
  words_[window] = word_of(std::clamp<std::uint64_t>(this->steps(), 1, steps.window()));
}

std::size_t plan_outline::steps() const noexcept {
  return (words_.size() - head_words) / step_words;
}

bool plan_outline::is_shared() const noexcept { return words_[shared] != 0; }

schedule::generator plan_outline::schedule(std::span<const int> seats) const {
  const auto steps = std::span(words_).subspan(head_words);
  return {{.window = unsigned_of(words_[window]), .counters = 2, .edges_apart = false},
          [=](script& out) { return emit(out, steps, seats); }};
}

}  // namespace upwash::neighborhoods
