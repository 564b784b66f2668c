// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Batches that do not fit into a message. A batch stays with its sender, a ticket travels, and the
// receiver fetches the batch when it has room. For all streams of a rank together.
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

/// The message that travels in place of the bytes. Plain.
struct ticket {
  exposed_memory memory;
  stream_name stream;
  std::uint64_t offer = 0;  ///< the sender's number of the batch
  content kind = content::arrived;
  common_part common{};
};

/// The offered and fetched batches. Memory: offered batches that are not fetched yet, to which only
/// handlers add (engine::hand_over waits while they are large); batches being fetched, at most
/// `most_fetched` bytes, or one batch; and the same amount for reuse.
class large_batches {
 public:
  static constexpr std::size_t most_fetched = std::size_t{4} << 20U;

  /// Receives fetched batches, as a handler.
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

  /// Returns a room for a batch of `bytes` bytes to be offered. Reuses rooms if possible, because
  /// new pages from the system cost more than the writes to them.
  [[nodiscard]] room room_for(std::size_t bytes);
  /// Keeps the batch until it is fetched. Does not wait.
  void offer(const stream_name& stream, batch&& what);

  // -- Called by handlers -----------------------------------------------------------------------
  void offered(int source, const ticket& what);
  void was_fetched(std::uint64_t offer);

  /// Begins the fetches for which there is room. Not in handlers.
  int progress();
  [[nodiscard]] bool busy() const noexcept { return !waiting_.empty(); }
  /// Returns the bytes that other ranks have still to fetch.
  [[nodiscard]] std::size_t offered_bytes() const noexcept { return offered_bytes_; }
  /// Returns the maximum of bytes being fetched at once so far.
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
