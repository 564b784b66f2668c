// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a scheme at one rank while its plan is made. Making a plan is a dry run of the
// exchange: headers of blocks travel as the blocks will, and sends and receives are recorded. A
// scheme is a coroutine that decides the next hop of each parcel. All ranks run the same number of
// rounds, in one process (plan_all.hpp) or separately (detail/planning.cpp).
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "upwash/model/node_map.hpp"
#include "upwash/neighborhood/graphs/grid.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"

namespace upwash::neighborhoods {

/// A block at this rank, and its remaining destinations.
struct parcel {
  std::uint32_t slot = 0;
  int origin = 0;
  std::uint32_t number = 0;  ///< index among several edges between the same two ranks; all-gather:
                             ///< 0
  std::span<const int> destinations;
};

/// Parcels, with their destinations in one array.
class parcel_list {
 public:
  /// Adds a parcel. Joins it to the last one if it is the same block.
  void add(const parcel& from, std::span<const int> destinations);
  [[nodiscard]] std::size_t size() const noexcept { return heads_.size(); }
  [[nodiscard]] parcel operator[](std::size_t i) const {
    const head& at = heads_[i];
    return {at.slot, at.origin, at.number, std::span(destinations_).subspan(at.first, at.count)};
  }

 private:
  struct head {
    std::uint32_t slot;
    int origin;
    std::uint32_t number;
    std::uint32_t first;
    std::uint32_t count;
  };
  std::vector<head> heads_;
  std::vector<int> destinations_;
};

/// The ranks' grid, and the reach of the edges along its dimensions (grid::way). The same at all
/// ranks.
struct grid_reach {
  struct interval {
    int least = 0;  ///< at most 0
    int most = 0;   ///< at least 0
    void include(int way) noexcept {
      least = way < least ? way : least;
      most = way > most ? way : most;
    }
  };
  explicit grid_reach(const grid& of) : on(of), along(static_cast<std::size_t>(of.dimensions())) {}
  void include(int from, int to);

  grid on;
  std::vector<interval> along;  ///< by dimension
};

/// The facts that all ranks share while they make a plan.
struct surroundings {
  const model::node_map* nodes = nullptr;
  const grid_reach* coordinates = nullptr;  ///< null: the ranks lie on no grid
  int most_destinations = 0;                ///< of any rank
  bool hands_over = false;  ///< ranks of a node read each other's blocks in shared memory
};

/// One message of a round, in words: number of told words, `relay_plan::message::signals`, the told
/// words, headers of blocks.
struct letter {
  static constexpr std::size_t header_words = 2;
  int peer = 0;  ///< destination or source
  std::vector<std::int32_t> words;
};

class router {
 public:
  router(int rank, const surroundings& in, std::span<const int> destinations,
         std::span<const int> sources, contents of);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return in_.nodes->ranks(); }
  [[nodiscard]] const model::node_map& nodes() const noexcept { return *in_.nodes; }
  [[nodiscard]] const grid_reach* coordinates() const noexcept { return in_.coordinates; }
  /// Return the destinations and the sources: sorted, each once, without this rank.
  [[nodiscard]] std::span<const int> destinations() const noexcept { return destinations_; }
  [[nodiscard]] std::span<const int> sources() const noexcept { return distinct_sources_; }
  [[nodiscard]] contents of() const noexcept { return of_; }

  /// Returns the parcels at this rank that have not reached all destinations. The caller decides
  /// the next hop of each.
  [[nodiscard]] parcel_list take() noexcept { return std::exchange(held_, {}); }
  /// Keeps the parcel here, with these of its destinations.
  void keep(const parcel& one, std::span<const int> destinations) {
    if (!destinations.empty()) held_.add(one, destinations);
  }
  /// Sends the parcel to rank `to` in this round, with these of its destinations; to this rank:
  /// keeps it. A destination equal to `to` has then received it.
  void pass(const parcel& one, std::span<const int> destinations, int to);

  /// Lets others read this rank's blocks in place, in memory that all ranks, or those of a node,
  /// share. The same at all ranks; all own blocks go directly to their destinations.
  void share() noexcept;

  /// Sends words to another rank, in addition to the parcels. They are not sent when the collective
  /// runs.
  void tell(int to, std::span<const std::int32_t> words);
  struct told {
    int from;
    std::span<const std::int32_t> words;
  };
  /// Returns the words received in the last round, by ascending ranks. Valid until the next round.
  [[nodiscard]] std::span<const told> heard() const noexcept { return heard_; }

  /// Adds to a counter for statistics of plans, for example of examined candidates.
  void note(std::uint64_t count) noexcept { noted_ += count; }
  [[nodiscard]] std::uint64_t noted() const noexcept { return noted_; }

  /// Awaitable: ends when the round is over everywhere and its messages have arrived.
  [[nodiscard]] std::suspend_always next_round() const noexcept { return {}; }

  // For the driver of the rounds:

  /// Returns the messages of this round, in the order from the next rank around to the previous
  /// one.
  [[nodiscard]] std::vector<letter> take_letters();
  /// Takes the received messages, by ascending ranks.
  void take_in(std::vector<letter>&& letters);
  /// Returns the messages that arrive if all ranks send their own blocks directly to their
  /// destinations. `edges`: by source, the index of this rank among its destinations.
  [[nodiscard]] std::vector<letter> letters_of_sources(std::span<const letter> edges) const;
  /// Returns the plan after the last round. Throws `error` (fault) if a parcel is left, or a source
  /// is missing.
  [[nodiscard]] relay_plan finish();

 private:
  struct outgoing {
    int to;
    parcel_list parcels;
    std::vector<std::int32_t> words;
  };
  outgoing& letter_to(int to);
  [[nodiscard]] bool hands_over_to(int peer) const {
    return in_.hands_over && in_.nodes->together(rank_, peer);
  }
  [[nodiscard]] bool lay_out(std::uint32_t slot);
  void lay_out_blocks();
  void take_in_parcels(int from, std::uint32_t signals, std::span<const std::int32_t> words);
  void deliver(std::uint32_t slot, int origin, std::uint32_t number);

  int rank_;
  surroundings in_;
  contents of_;
  std::vector<int> destinations_;
  std::vector<int> distinct_sources_;
  std::vector<std::pair<int, std::uint32_t>> sorted_sources_;  ///< rank, index among the sources
  parcel_list held_;
  std::vector<outgoing> outgoing_;
  std::vector<std::uint32_t> outgoing_index_;  ///< open addressing over `outgoing_`
  std::vector<letter> came_;
  std::vector<told> heard_;
  std::uint32_t round_ = 0;
  std::uint32_t signals_ = 0;
  std::uint64_t noted_ = 0;
  relay_plan plan_;
};

/// A scheme at one rank.
class [[nodiscard]] routing {
 public:
  struct promise_type {
    std::exception_ptr thrown;
    routing get_return_object() noexcept {
      return routing(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { thrown = std::current_exception(); }
  };

  explicit routing(std::coroutine_handle<promise_type> of) noexcept : of_(of) {}
  routing(routing&& other) noexcept : of_(std::exchange(other.of_, {})) {}
  routing& operator=(routing&& other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~routing() {
    if (of_) of_.destroy();
  }

  /// Runs until the next round or the end. Returns whether the scheme continues. Rethrows the
  /// scheme's exceptions.
  bool resume() {
    if (of_.done()) return false;
    of_.resume();
    if (of_.promise().thrown) std::rethrow_exception(of_.promise().thrown);
    return !of_.done();
  }

 private:
  std::coroutine_handle<promise_type> of_;
};

}  // namespace upwash::neighborhoods
