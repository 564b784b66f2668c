// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One collective in flight on one rank: the steps of its window and how far each has come.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/collective/executor.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective::detail {

/// Names an edge that arrives here.
struct edge_key {
  std::uint64_t team = 0;
  std::uint32_t number = 0;  ///< of the operation on its team
  std::uint32_t edge = 0;
  int source = 0;  ///< world rank
  friend auto operator<=>(const edge_key&, const edge_key&) = default;
};

enum class progress_of : std::uint8_t {
  waiting,   ///< for its dependencies, for credit, or for its message
  offered,   ///< send: the receiver has been told where to fetch
  fetching,  ///< receive: the data is on its way
  fetched,   ///< receive: the sender is to be told
  done,
};

class operation;

struct slot {
  schedule::step what;
  progress_of state = progress_of::waiting;
  operation* of = nullptr;
  exposed_memory exposed;    ///< of an offered send, or what a receive fetches
  std::uint64_t sender = 0;  ///< the sender's name for its slot
  bool is_exposed = false;
  bool posted = false;  ///< receive: the arrivals know of it
};

/// The executor's window: slots [base, next), in the order of emission. A dependency older than
/// base is met.
class operation {
 public:
  operation(const team& among, std::uint32_t number, const schedule::generator& steps,
            const binding& buffers, completer end);

  /// Takes steps from the generator while there is room, drops those done from the front.
  void refill();
  [[nodiscard]] bool finished() const noexcept { return ended_ && base_ == next_; }
  [[nodiscard]] bool ready(std::uint64_t index) const noexcept;
  [[nodiscard]] slot& at(std::uint64_t index) noexcept { return slots_[index % slots_.size()]; }
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }

  [[nodiscard]] const std::byte* source(const schedule::piece& p) const noexcept;
  [[nodiscard]] std::byte* target(const schedule::piece& p) noexcept;
  [[nodiscard]] edge_key key_of(const slot& s) const;

  const team among;
  const std::uint32_t number;
  const binding buffers;
  completer end;

 private:
  schedule::generator steps_;
  std::vector<slot> slots_;
  std::vector<std::byte> scratch_;
  std::uint64_t base_ = 0;
  std::uint64_t next_ = 0;
  bool ended_ = false;
};

}  // namespace upwash::collective::detail
