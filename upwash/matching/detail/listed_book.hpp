// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a receiver knows of messages that stay listed at their senders: how many each sender keeps
// for it, the receives and probes that ask senders for theirs, and what probes were answered.
// How senders and receivers go on with it: listed.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upwash/matching/detail/entries.hpp"

namespace upwash::matching::detail {

/// A receive or probe that must know what senders keep listed before it is done or posted.
struct inquiry {
  envelope wanted;
  std::uint64_t team = 0;
  int from = -1;              ///< world rank; -1: all
  posted* receive = nullptr;  ///< null: a probe, or taken back
  std::uint32_t number = 0;   ///< of its questions
  int missing = 0;            ///< answers
  bool again = false;         ///< one that fits was listed meanwhile
  bool cancelled = false;
};

/// What a probe found among listed messages: the first that fits its pattern at this sender, until
/// it is taken.
struct preview {
  envelope wanted;
  int rank = -1;
  label with;
  exposed_memory from;
};

/// Probes that wait for a message.
class waiting_probes {
 public:
  struct probe {
    envelope wanted;
    bool seen = false;  ///< it may look again
  };
  /// What comes is held to what the probe wants for as long as this lives.
  class listening {
   public:
    listening(waiting_probes& among, probe& one) : all_(among.all_), mine_(one) {
      all_.push_back(&mine_);
    }
    ~listening() { std::erase(all_, &mine_); }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;

   private:
    std::vector<probe*>& all_;
    probe& mine_;
  };

  void came(const envelope& what) {
    for (probe* each : all_) each->seen = each->seen || fit(each->wanted, what);
  }
  /// An inquiry is over. `changes`: something went, so that all may look again; else those that
  /// want anything but what was just not found.
  void inquired(const envelope& wanted, bool changes) {
    for (probe* each : all_) each->seen = each->seen || changes || each->wanted != wanted;
  }

 private:
  std::vector<probe*> all_;
};

/// Memory: a count for each sender that lists any, an inquiry for each receive that asks, a preview
/// for each pattern that was probed and not received yet.
class listed_book {
 public:
  // -- Listed messages ------------------------------------------------------------------------
  void note(int sender_rank, const envelope& what);
  /// It was taken out of its sender's list.
  void take(int sender_rank, std::uint64_t sender);
  /// One was taken while an inquiry may be answered with it.
  void met(int sender_rank, std::uint64_t sender) {
    if (!inquiries_.empty()) met_.emplace_back(sender_rank, sender);
  }
  [[nodiscard]] bool was_met(int sender_rank, std::uint64_t sender) const;
  /// Whether the sender lists any for this rank; -1: whether anyone does.
  [[nodiscard]] bool lists(int rank) const {
    return !listed_at_.empty() && (rank < 0 || listed_at_.contains(rank));
  }

  // -- Inquiries: one after the other ---------------------------------------------------------
  [[nodiscard]] bool inquires() const noexcept { return !inquiries_.empty(); }
  [[nodiscard]] std::size_t inquiries() const noexcept { return inquiries_.size(); }
  [[nodiscard]] inquiry& first() { return inquiries_.front(); }
  [[nodiscard]] inquiry& add(const envelope& wanted, std::uint64_t team, int from, posted* receive);
  void pop_first() { inquiries_.pop_front(); }
  /// The first one asks: numbers its questions, and says whom.
  [[nodiscard]] std::vector<int> begin_asking();
  /// Whether a receive that still asks senders, and so came before, may get the message.
  [[nodiscard]] bool goes_to_earlier(const envelope& what) const {
    return !inquiries_.empty() && is_asked_for(what);
  }
  [[nodiscard]] bool inquires_in(std::uint32_t context) const;
  [[nodiscard]] bool is_probed(const envelope& wanted) const;

  // -- Answers to probes ----------------------------------------------------------------------
  void add_preview(const preview& found) { previews_.push_back(found); }
  /// One that answers the pattern: what is the first of its sender for a pattern is so for all
  /// narrower ones that it fits, and for the same one of any source.
  [[nodiscard]] const preview* find_preview(const envelope& wanted) const;
  /// Those of the context go.
  void forget(std::uint32_t context) {
    std::erase_if(previews_, [&](const preview& p) { return p.wanted.context == context; });
  }

  /// Whether the world rank of a source matters.
  [[nodiscard]] bool is_used() const { return !listed_at_.empty() || !inquiries_.empty(); }

 private:
  [[nodiscard]] bool is_asked_for(const envelope& what) const;

  std::unordered_map<int, std::uint64_t> listed_at_;  ///< for this rank, by sender; none: not there
  std::deque<inquiry> inquiries_;
  std::uint32_t questions_ = 0;
  std::vector<std::pair<int, std::uint64_t>> met_;  ///< since the first one asked
  std::vector<preview> previews_;
};

}  // namespace upwash::matching::detail
