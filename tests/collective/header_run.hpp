// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For schedules whose lengths only headers tell: runs of all ranks without data, and a window that
// keeps few steps open.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::test {

/// The schedule for an executor that keeps few steps open.
inline schedule::generator in_a_small_window(schedule::generator from) {
  return std::move(from).in_window(8);
}

/// All ranks' schedules with their headers and lengths, but no data: for teams and bytes beyond the
/// validator. A rank keeps at most `window` steps open, and a send is done only when its receive
/// takes it: who gets through here needs no buffers in between.
class header_run {
 public:
  struct sent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t words = 0;    ///< of headers
    std::uint64_t longest = 0;  ///< bytes of a message
    std::uint64_t scratch = 0;  ///< at the end
    std::uint64_t stages = 0;
    std::size_t frame_bytes = 0;  ///< of the coroutine and its parts, at most
  };

  /// Told of each step as it is emitted, with the words that stand in the slots then.
  using watcher =
      function_ref<void(int rank, const schedule::step&, std::span<const std::uint64_t> words)>;

  header_run(const schedule::expectation& of, std::size_t window,
             function_ref<schedule::generator(int rank)> schedule_of)
      : header_run(of, window, schedule_of,
                   [](int, const schedule::step&, std::span<const std::uint64_t>) {}) {}
  header_run(const schedule::expectation& of, std::size_t window,
             function_ref<schedule::generator(int rank)> schedule_of, watcher emitted)
      : window_(window) {
    for (int rank = 0; rank < of.ranks; ++rank) {
      member& m = members_.emplace_back(schedule_of(rank));
      m.slots.resize(m.steps.wants().slots);
      m.of.scratch = m.steps.scratch_bytes();
      if (of.calls.empty()) continue;
      const schedule::rank_call& call = of.calls[static_cast<std::size_t>(rank)];
      for (std::size_t i = 0; i < call.given.size(); ++i) m.known.given[i] = call.given[i];
      m.known.input_bytes = call.input_bytes.value_or(of.input_bytes);
    }
    for (auto& m : members_) m.known.slots = m.slots;
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < of.ranks; ++rank) moved = advance(rank, emitted) || moved;
    }
  }

  [[nodiscard]] bool finished() const {
    return std::all_of(members_.begin(), members_.end(),
                       [](const member& m) { return m.ended && m.open.empty(); });
  }
  [[nodiscard]] const sent& of(int rank) const { return at(rank).of; }

 private:
  struct open_step {
    schedule::step what;
    bool done = false;
  };
  struct member {
    explicit member(const schedule::generator& from) : steps(from) {}
    schedule::generator steps;
    schedule::facts known;
    std::vector<std::uint64_t> slots;
    std::deque<open_step> open;
    bool ended = false;
    sent of;
  };
  using key = std::tuple<int, int, std::uint32_t>;  ///< source, destination, edge

  [[nodiscard]] member& at(int rank) { return members_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const member& at(int rank) const {
    return members_[static_cast<std::size_t>(rank)];
  }

  static bool wants_more(const member& m, std::size_t window) {
    const bool at_stage = !m.open.empty() && m.open.back().what.kind == schedule::step_kind::stage;
    return !m.ended && !at_stage && m.open.size() < window;
  }

  static bool ready(const std::deque<open_step>& open, std::size_t i) {
    const schedule::step& s = open[i].what;
    if (s.after_all && i != 0) return false;
    return std::all_of(s.after.begin(), s.after.end(),
                       [&](std::uint32_t d) { return d == 0 || d > i || open[i - d].done; });
  }

  bool advance(int rank, watcher emitted) {
    member& m = at(rank);
    bool moved = false;
    for (bool again = true; again;) {
      again = false;
      while (wants_more(m, window_)) {
        schedule::step s;
        m.ended = !m.steps.next(s, m.known);
        m.of.frame_bytes = m.steps.frame_bytes();
        if (!m.ended) {
          emitted(rank, s, m.slots);
          m.open.push_back({s});
        }
        moved = true;
      }
      for (std::size_t i = 0; i < m.open.size(); ++i) {
        if (m.open[i].done || !ready(m.open, i)) continue;
        perform(rank, m.open[i]);
        again = again || m.open[i].done;
      }
      for (; !m.open.empty() && m.open.front().done; again = true) m.open.pop_front();
      moved = moved || again;
    }
    return moved;
  }

  void perform(int rank, open_step& one) {
    member& m = at(rank);
    const schedule::step& s = one.what;
    for (const schedule::piece* p : {&s.left, &s.into}) {
      if (p->of == schedule::buffer::scratch && s.kind != schedule::step_kind::stage) {
        EXPECT_LE(p->end(), m.of.scratch);
      }
    }
    if (s.kind == schedule::step_kind::receive) {
      posted_[{s.peer, rank, s.edge}] = &one;
      return;
    }
    if (s.kind == schedule::step_kind::send) {
      const auto wanted = posted_.find({rank, s.peer, s.edge});
      if (wanted == posted_.end()) return;
      take(m, s, at(s.peer), wanted->second->what);
      wanted->second->done = true;
      posted_.erase(wanted);
    }
    if (s.kind == schedule::step_kind::stage) {
      ++m.of.stages;
      m.of.scratch = std::max(m.of.scratch, s.into.bytes);
      m.slots.resize(std::max<std::size_t>(m.slots.size(), s.header.first + s.header.count));
      m.known.slots = m.slots;
    }
    one.done = true;
  }

  static void take(member& from, const schedule::step& send, member& to,
                   const schedule::step& receive) {
    const auto words = std::span(from.slots).subspan(send.header.first, send.header.count);
    const auto header = std::span(to.slots).subspan(receive.header.first, receive.header.count);
    ++from.of.messages;
    from.of.bytes += send.left.bytes;
    from.of.words += words.size();
    from.of.longest = std::max(from.of.longest, send.left.bytes);
    if (receive.counted) {
      ASSERT_EQ(words[0], words.size());
      ASSERT_LE(words.size(), header.size());
    } else {
      ASSERT_EQ(words.size(), header.size());
    }
    std::copy(words.begin(), words.end(), header.begin());
    if (receive.length_slot == schedule::step::no_slot) {
      EXPECT_EQ(send.left.bytes, receive.into.bytes);
      return;
    }
    EXPECT_LE(send.left.bytes, receive.into.bytes);
    to.slots[static_cast<std::size_t>(receive.length_slot)] = send.left.bytes;
  }

  std::size_t window_;
  std::vector<member> members_;
  std::map<key, open_step*> posted_;  ///< receives; a deque keeps its elements in place
};

}  // namespace upwash::test
