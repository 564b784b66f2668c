// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads of private memory: the reader asks by a message, the owner sends the bytes as one buffer,
// which the engine moves without a copy of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "upwash/base/object_pool.hpp"
#include "upwash/conduit/span_table.hpp"
#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::wire {

/// What a reader asks of an owner.
struct read_request {
  std::uint64_t name = 0;  ///< of the span
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;
};
static_assert(sizeof(read_request) <= max_argument_bytes);

class read_requests {
 public:
  /// Sends it, or finds no credit: false.
  [[nodiscard]] virtual bool ask_for(int process, const read_request& what) = 0;
  /// Ends the job.
  [[noreturn]] virtual void give_up(const std::string& why) = 0;

 protected:
  ~read_requests() = default;
};

/// Both sides, of one process. Memory: 32 bytes for each read and each answer under way at once.
class span_reads {
 public:
  span_reads(transport& over, read_requests& by) : over_(over), by_(by) {}

  /// Spans that peers may read.
  [[nodiscard]] span_table& spans() noexcept { return spans_; }

  /// Reads `to.size()` bytes, at least 1, of the span of that name at a process.
  [[nodiscard]] injection read(int process, std::uint64_t name, std::size_t offset,
                               std::span<std::byte> to, completion* local);
  /// Answers a peer.
  void serve(int process, const read_request& wanted);

  /// Reads and answers that are not complete.
  [[nodiscard]] int under_way() const noexcept { return under_way_; }

 private:
  /// One buffer that moves.
  struct moving : completion {
    moving* next = nullptr;  ///< in the pool
    span_reads* home = nullptr;
    completion* told = nullptr;
    std::uint32_t tag = 0;
  };

  static constexpr std::uint32_t most_reads = 4096;  // tags are few in some engines

  [[nodiscard]] moving& take(completion* told);
  static void ended(completion& self) noexcept;

  transport& over_;
  read_requests& by_;
  span_table spans_;
  object_pool<moving> pool_;
  std::deque<std::uint32_t> free_tags_;
  std::uint32_t tags_made_ = 0;
  int under_way_ = 0;
};

}  // namespace upwash::conduit::wire
