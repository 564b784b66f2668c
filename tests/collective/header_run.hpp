// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For schedules whose lengths only headers tell: runs of all ranks without data, and a window that
// keeps few steps open.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::test {

/// The same steps for an executor that keeps as few open as it may.
template <class Algorithm>
struct in_a_small_window : Algorithm {
  using Algorithm::Algorithm;
  [[nodiscard]] std::uint32_t window() const noexcept { return 8; }
};

/// All ranks' schedules with their headers and lengths, but no data, each step done before the next
/// is asked for: for teams and bytes beyond the validator.
class header_run {
 public:
  struct sent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t words = 0;    ///< of headers
    std::uint64_t longest = 0;  ///< bytes of a message
    std::uint64_t scratch = 0;  ///< at the end
    std::uint64_t stages = 0;
  };

  header_run(const schedule::expectation& of,
             function_ref<schedule::generator(int rank)> schedule_of) {
    for (int rank = 0; rank < of.ranks; ++rank) {
      member& m = members_.emplace_back(schedule_of(rank));
      m.slots.resize(m.steps.wants().slots);
      const schedule::rank_call& call = of.calls[static_cast<std::size_t>(rank)];
      for (std::size_t i = 0; i < call.given.size(); ++i) m.known.given[i] = call.given[i];
      m.of.scratch = m.steps.scratch_bytes();
    }
    for (auto& m : members_) m.known.slots = m.slots;
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < of.ranks; ++rank) moved = advance(rank) || moved;
    }
  }

  [[nodiscard]] bool finished() const {
    return on_way_.empty() &&
           std::all_of(members_.begin(), members_.end(), [](const member& m) { return m.ended; });
  }
  [[nodiscard]] const sent& of(int rank) const {
    return members_[static_cast<std::size_t>(rank)].of;
  }

 private:
  struct member {
    explicit member(const schedule::generator& from) : steps(from) {}
    schedule::generator steps;
    schedule::facts known;
    std::vector<std::uint64_t> slots;
    schedule::step waits_for;  ///< a receive
    bool waits = false;
    bool ended = false;
    sent of;
  };
  struct message {
    std::vector<std::uint64_t> words;
    std::uint64_t bytes = 0;
  };

  bool advance(int rank) {
    member& m = members_[static_cast<std::size_t>(rank)];
    bool moved = false;
    while (!m.ended) {
      if (!m.waits && !m.steps.next(m.waits_for, m.known)) m.ended = true;
      m.waits = !m.ended && !done(m, rank, m.waits_for);
      if (m.waits) break;
      moved = true;
    }
    return moved;
  }

  bool done(member& m, int rank, const schedule::step& s) {
    const auto header = std::span(m.slots).subspan(s.header.first, s.header.count);
    if (s.kind == schedule::step_kind::stage) {
      ++m.of.stages;
      m.of.scratch = std::max(m.of.scratch, s.into.bytes);
    } else if (s.kind == schedule::step_kind::send) {
      ++m.of.messages;
      m.of.bytes += s.left.bytes;
      m.of.words += header.size();
      m.of.longest = std::max(m.of.longest, s.left.bytes);
      on_way_[{rank, s.peer, s.edge}] = {{header.begin(), header.end()}, s.left.bytes};
    } else if (s.kind == schedule::step_kind::receive) {
      const auto came = on_way_.find({s.peer, rank, s.edge});
      if (came == on_way_.end()) return false;
      EXPECT_EQ(came->second.words.size(), header.size());
      std::copy(came->second.words.begin(), came->second.words.end(), header.begin());
      if (s.length_slot == schedule::step::no_slot) {
        EXPECT_EQ(came->second.bytes, s.into.bytes);
      } else {
        EXPECT_LE(came->second.bytes, s.into.bytes);
        m.slots[static_cast<std::size_t>(s.length_slot)] = came->second.bytes;
      }
      on_way_.erase(came);
    }
    for (const schedule::piece* p : {&s.left, &s.into}) {
      if (p->of == schedule::buffer::scratch && s.kind != schedule::step_kind::stage) {
        EXPECT_LE(p->end(), m.of.scratch);
      }
    }
    return true;
  }

  std::vector<member> members_;
  std::map<std::tuple<int, int, std::uint32_t>, message> on_way_;
};

}  // namespace upwash::test
