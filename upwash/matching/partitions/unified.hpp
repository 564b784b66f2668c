// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives and user messages apart: partner queues for the latter, and for each collective as
// many queues, by source, as its searches were long when it was first seen (Ghazimirsaeed 2019,
// chapter 5, figures 5.2 and 5.3, Algorithms 5.1 and 5.2).
#pragma once

#include "upwash/matching/partitions/partners.hpp"

namespace upwash::matching {

/// Even queues belong to the partner queues, odd ones to collectives; the first odd one is for
/// profiling. A collective with new parameters is profiled there during its first call, which ends
/// for this store with the first entry of another call; older ones of the same collective may still
/// lie in its levels: so all are looked at. Searches that found something to look at count.
class unified : public router_base {
 public:
  static constexpr bool oldest_first = false;

  explicit unified(const shape& s);

  [[nodiscard]] std::uint32_t home(const envelope& e) {
    return e.kind == 0 ? 2 * users_.home(e) : 2 * home_of_collective(e) + 1;
  }

  template <class F>
  void visit(const envelope& e, F&& f) {
    if (e.kind == 0) return users_.visit(e, [&](std::uint32_t q) { return f(2 * q); });
    f(1U);
    for (const level& each : collectives_[e.kind & 0xffU].levels) f(2 * queue_in(each, e) + 1);
  }

  template <class Queues>
  void inserted(std::uint32_t queue, const entry& e, Queues& queues) {
    if (queue % 2 == 0) {
      even<Queues> mine{queues};
      return users_.inserted(queue / 2, e, mine);
    }
  }
  void searched(const envelope& wanted, std::uint64_t traversals) {
    if (wanted.kind != 0) note_search(wanted, traversals);
  }

  [[nodiscard]] division describe() const;

 private:
  template <class Queues>
  struct even {
    Queues& of;
    auto& operator[](std::uint32_t q) { return of[2 * q]; }
  };
  struct level {
    std::uint32_t first;
    std::uint32_t queues;
  };
  struct collective {
    std::vector<level> levels;
  };
  struct profile {
    std::uint64_t searches = 0;
    std::uint64_t traversals = 0;
    std::uint64_t call = 0;  ///< the first one
    bool seen = false;
    bool decided = false;
  };

  [[nodiscard]] static std::uint32_t queue_in(const level& l, const envelope& e) noexcept {
    return l.first + static_cast<std::uint32_t>(e.source) % l.queues;
  }
  std::uint32_t home_of_collective(const envelope& e);
  void note_search(const envelope& wanted, std::uint64_t traversals);
  void allocate(collective& c, const profile& p);

  partner_dynamic users_;
  std::uint64_t most_queues_;  ///< k sqrt(ranks)
  std::unordered_map<std::uint32_t, profile> profiles_;
  std::vector<collective> collectives_;
  std::uint32_t made_ = 1;
  std::size_t levels_ = 0;
};

}  // namespace upwash::matching
