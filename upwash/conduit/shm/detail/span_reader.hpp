// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The initiator's side of private reads: by cross-memory attach (no help of the owner, but the
// kernel pins each page) or by the pipeline (both ends copy, 3 times as fast for small pages; where
// the owner is away, the initiator reads by attach in its place).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/fifo.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/shm/detail/pipe.hpp"
#include "upwash/conduit/shm/detail/segments.hpp"

namespace upwash::conduit::shm_detail {

struct reader_options {
  bool attach = true;                               ///< cross-memory attach may be tried
  std::size_t attach_small = 4096;                  ///< always up to here
  std::size_t slot_bytes = std::size_t{32} << 10U;  ///< of the pipeline
};

/// Driven by the endpoint's thread, but for read_aside.
class span_reader {
 public:
  span_reader(control_sender& sender, int processes, const reader_options& options)
      : sender_(sender),
        options_(options),
        may_attach_(options.attach),
        pipes_(static_cast<std::size_t>(processes)) {}

  /// Reads `to.size()` bytes at `from.address` + offset of the process `pid`.
  injection get(const imported& from, int pid, std::size_t offset, std::span<std::byte> to,
                completion* local);

  /// Reads by cross-memory attach, whatever the pages, at `address` of the process `pid`. From any
  /// thread. False: the kernel does not let it, or the memory is not there.
  [[nodiscard]] bool read_aside(int pid, std::uint64_t address, std::span<std::byte> to);

  /// Spans up to so many bytes are read by cross-memory attach whatever their pages.
  [[nodiscard]] std::size_t attach_small() const noexcept { return options_.attach_small; }
  [[nodiscard]] bool busy() const { return !active_.empty() || !attached_.empty(); }

  /// Moves transfers on and tells completions. Returns how many things happened.
  int advance();

 private:
  /// With an owner that copies: it fills a part in a tenth of it.
  static constexpr duration usual_patience = duration::from_us(30);

  struct transfer {
    int process = -1;
    int pid = 0;
    std::uint64_t span = 0;
    const std::byte* from = nullptr;  ///< at the owner
    std::byte* to = nullptr;
    std::uint64_t left = 0;  ///< neither read nor asked for
    completion* local = nullptr;
    int pieces = 0;  ///< asked for
  };
  /// Of a transfer, as the owner was asked for it.
  struct piece {
    const std::byte* from = nullptr;  ///< at the owner
    std::byte* to = nullptr;
    std::uint64_t left = 0;
    std::size_t part = 0;

    [[nodiscard]] std::size_t next_part() const noexcept {
      return std::min<std::size_t>(part, left);
    }
  };
  /// Pieces are of the transfers in their order, so the first piece is of the first transfer.
  struct incoming {
    pipe_memory pipe;
    std::uint32_t serial = 0;
    bool announced = false;
    std::uint64_t drained = 0;  ///< parts, from slots or in the owner's place
    fifo<transfer> transfers;
    std::size_t asking = 0;  ///< which of them is not asked for as a whole
    fifo<piece> pieces;
    std::optional<duration> stands_since;  ///< no part has come; none: one has
    duration patience = usual_patience;    ///< with the owner; none: it was away the last time
  };
  enum class attach_result : std::uint8_t { done, partial, refused, owner_gone };

  [[nodiscard]] bool wants_attach(const imported& from, std::size_t bytes) const {
    return may_attach_.load(std::memory_order_relaxed) &&
           (from.huge || bytes <= options_.attach_small);
  }
  [[nodiscard]] bool is_refused(int failure);
  static void pass(transfer& one, std::uint64_t bytes) noexcept;
  attach_result attach_step(transfer& one);
  void pipeline(const transfer& one);
  int ask(int process, incoming& from);
  int drain(incoming& from);
  static void pass_part(incoming& from);
  /// While the owner does not copy: a bounded read of the first transfer, first of what the owner
  /// was not asked for.
  int read_on(incoming& from);
  int read_unasked(incoming& from);
  int take_over_part(incoming& from);
  static void end_transfers(incoming& from);
  int advance_attached();

  control_sender& sender_;
  reader_options options_;
  std::atomic<bool> may_attach_;  ///< until the kernel refuses it
  std::vector<incoming> pipes_;   ///< by owner
  std::vector<int> active_;       ///< owners with transfers
  fifo<transfer> attached_;
};

}  // namespace upwash::conduit::shm_detail
