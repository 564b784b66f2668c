// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A receiver's knowledge of messages that stay listed at their senders: their number at each
// sender, the receives and probes that ask senders for them, and the answers to probes. The
// protocol is in listed.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upwash/matching/detail/entries.hpp"

namespace upwash::matching::detail {

/// A receive or probe that must know the messages listed at senders before it is done or posted.
struct inquiry {
  envelope wanted;
  std::uint64_t team = 0;
  int from = -1;              ///< world rank; -1: all
  posted* receive = nullptr;  ///< null: a probe, or cancelled
  std::uint32_t number = 0;   ///< of its questions
  int missing = 0;            ///< outstanding answers
  bool again = false;         ///< a match was listed meanwhile
  bool cancelled = false;
};

/// The result of a probe among listed messages: the first match at this sender, valid until it is
/// taken.
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
    bool seen = false;  ///< may look again
  };
  /// Compares arriving messages with the probe during its lifetime.
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
  /// Notes the end of an inquiry. `changes`: a message was removed, so all probes may look again.
  /// Otherwise only probes for other patterns than the one just not found.
  void inquired(const envelope& wanted, bool changes) {
    for (probe* each : all_) each->seen = each->seen || changes || each->wanted != wanted;
  }

 private:
  std::vector<probe*> all_;
};

/// The book. Memory: a count for each sender that lists any message, an inquiry for each receive
/// that asks, and a preview for each pattern that was probed and not received yet.
class listed_book {
 public:
  // -- Listed messages ------------------------------------------------------------------------
  void note(int sender_rank, const envelope& what);
  /// Notes that a message was removed from its sender's list.
  void take(int sender_rank, std::uint64_t sender);
  /// Notes that a message was taken while an inquiry may be answered with it.
  void met(int sender_rank, std::uint64_t sender) {
    if (!inquiries_.empty()) met_.emplace_back(sender_rank, sender);
  }
  [[nodiscard]] bool was_met(int sender_rank, std::uint64_t sender) const;
  /// Returns whether the sender lists any message for this rank; -1: whether any sender does.
  [[nodiscard]] bool lists(int rank) const {
    return !listed_at_.empty() && (rank < 0 || listed_at_.contains(rank));
  }

  // -- Inquiries: one after the other ---------------------------------------------------------
  [[nodiscard]] bool inquires() const noexcept { return !inquiries_.empty(); }
  [[nodiscard]] std::size_t inquiries() const noexcept { return inquiries_.size(); }
  [[nodiscard]] inquiry& first() { return inquiries_.front(); }
  [[nodiscard]] inquiry& add(const envelope& wanted, std::uint64_t team, int from, posted* receive);
  void pop_first() { inquiries_.pop_front(); }
  /// Starts the first inquiry: numbers its questions and returns the ranks to ask.
  [[nodiscard]] std::vector<int> begin_asking();
  /// Returns whether a receive that still asks senders, and so is earlier, may get the message.
  [[nodiscard]] bool goes_to_earlier(const envelope& what) const {
    return !inquiries_.empty() && is_asked_for(what);
  }
  [[nodiscard]] bool inquires_in(std::uint32_t context) const;
  [[nodiscard]] bool is_probed(const envelope& wanted) const;

  // -- Answers to probes ----------------------------------------------------------------------
  void add_preview(const preview& found) { previews_.push_back(found); }
  /// Returns a preview that answers the pattern. The first message of a sender for a pattern is
  /// also the first for all narrower patterns that it matches, and for the same pattern with any
  /// source.
  [[nodiscard]] const preview* find_preview(const envelope& wanted) const;
  /// Removes the previews of the context.
  void forget(std::uint32_t context) {
    std::erase_if(previews_, [&](const preview& p) { return p.wanted.context == context; });
  }

  /// Returns whether the world rank of a source matters.
  [[nodiscard]] bool is_used() const { return !listed_at_.empty() || !inquiries_.empty(); }

 private:
  [[nodiscard]] bool is_asked_for(const envelope& what) const;

  std::unordered_map<int, std::uint64_t> listed_at_;  ///< for this rank, by sender; never 0
  std::deque<inquiry> inquiries_;
  std::uint32_t questions_ = 0;
  std::vector<std::pair<int, std::uint64_t>> met_;  ///< since the first inquiry asked
  std::vector<preview> previews_;
};

}  // namespace upwash::matching::detail
