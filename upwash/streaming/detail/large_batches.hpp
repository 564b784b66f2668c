// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What does not fit in a message: it stays with its sender, a ticket travels, and the receiver
// fetches it when it has room. Of all streams of a rank together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/streaming/detail/buffers.hpp"

namespace upwash::streaming {

/// What travels instead of the bytes. Plain.
struct ticket {
  exposed_memory memory;
  stream_name stream;
  std::uint64_t offer = 0;  ///< of its sender
  content kind = content::arrived;
  common_part common{};
};

/// Memory: what was offered and is not fetched yet, which only handlers add to (engine::hand_over
/// waits while it is much); what is being fetched, of which there is `most_fetched` at most, or
/// one; and as much that is used again.
class large_batches {
 public:
  static constexpr std::size_t most_fetched = std::size_t{4} << 20U;

  /// Receives what was fetched, as a handler.
  class receiver {
   public:
    virtual void received(const stream_name& stream, content kind, const common_part& common,
                          std::span<const std::byte> payload) = 0;

   protected:
    ~receiver() = default;
  };

  large_batches(job& here, receiver& to) : here_(here), to_(to) {}
  ~large_batches();
  large_batches(const large_batches&) = delete;
  large_batches& operator=(const large_batches&) = delete;

  /// For a batch of so many bytes that is to be offered: used again where it can be, since pages of
  /// the system cost more than what is written to them.
  [[nodiscard]] room room_for(std::size_t bytes);
  /// Keeps the batch until it is fetched. Does not wait.
  void offer(const stream_name& stream, batch&& what);

  // -- Called by handlers -----------------------------------------------------------------------
  void offered(int source, const ticket& what);
  void was_fetched(std::uint64_t offer);

  /// Begins what there is room for. Not in handlers.
  int progress();
  [[nodiscard]] bool busy() const noexcept { return !waiting_.empty(); }
  /// Bytes that others have still to fetch.
  [[nodiscard]] std::size_t offered_bytes() const noexcept { return offered_bytes_; }
  /// Bytes being fetched, at most so far.
  [[nodiscard]] std::size_t most_fetching() const noexcept { return most_fetching_; }
  [[nodiscard]] std::size_t pending() const noexcept { return waiting_.size() + fetching_.size(); }

 private:
  struct offer_kept {
    batch what;
    exposed_memory memory;
  };
  struct fetch {
    large_batches* home = nullptr;
    int source = -1;
    ticket what;
    room memory;
    std::list<fetch>::iterator self;
  };
  static void fetched(void* context);
  void complete(fetch& done);
  void keep(room&& spare);

  job& here_;
  receiver& to_;
  std::map<std::uint64_t, offer_kept> offers_;
  std::uint64_t next_offer_ = 0;
  std::size_t offered_bytes_ = 0;
  std::list<fetch> waiting_;
  std::list<fetch> fetching_;
  std::vector<room> spare_;
  std::size_t spare_bytes_ = 0;
  std::size_t fetching_bytes_ = 0;
  std::size_t most_fetching_ = 0;
};

}  // namespace upwash::streaming
