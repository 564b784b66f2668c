// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory operations of a simulated world, done by the NICs: put, get, atomic, long messages,
// flush. The target's memory is touched when the operation arrives there; its processor is not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/conduit/sim/detail/segments.hpp"
#include "upwash/conduit/sim/detail/traffic.hpp"

namespace upwash::conduit::sim {

/// One operation: its way to the target, and for get and atomic the way back.
struct operation : flight {
  enum class type : std::uint8_t { put, get, atomic, with_message };

  class transfers* home = nullptr;
  type what = type::put;
  bool coming_back = false;
  int initiator = 0;
  std::uint64_t number = 0;  ///< among the initiator's operations
  peer_state* target = nullptr;
  std::uint64_t block = 0;  ///< handle of the target's memory
  std::size_t offset = 0;
  std::size_t bytes = 0;
  const std::byte* data = nullptr;  ///< the initiator's, or `buffer`
  std::byte* to = nullptr;
  std::vector<std::byte> buffer;
  completions when;
  bool signals = false;
  std::uint64_t signal_block = 0;
  std::size_t signal_offset = 0;
  std::uint64_t signal_add = 0;
  atomic_operation atomic;
  std::uint64_t old = 0;
  message_record* then = nullptr;  ///< of a long message
};

class transfers {
 public:
  /// Payloads up to this are copied at the injection, so their local stage comes at once; larger
  /// ones are read in place when they land, and told with the acknowledgement.
  static constexpr std::size_t copied_bytes = 8192;

  transfers(simulation& in, traffic& messages, segments& memory);

  [[nodiscard]] injection put(int rank, const remote_memory& to, std::size_t offset,
                              std::span<const std::byte> from, completions when,
                              const put_signal* signal);
  [[nodiscard]] injection get(int rank, const remote_memory& from, std::size_t offset,
                              std::span<std::byte> to, completion* local);
  [[nodiscard]] injection atomic(int rank, const remote_memory& at, std::size_t offset,
                                 const atomic_operation& what, std::uint64_t* old,
                                 completions when);
  [[nodiscard]] injection send_long(const message& m, const remote_memory& to, std::size_t offset,
                                    std::span<const std::byte> from, completion* local,
                                    bool from_handler);
  [[nodiscard]] injection flush(int rank, int peer, completion* when);

  /// Tells the stages reached by the rank's clock; how many.
  int tell(int rank);
  /// When the next stage is to be told; max without one.
  [[nodiscard]] duration next_told(int rank) const noexcept;

 private:
  struct pending_flush {
    int peer;
    std::uint64_t before;  ///< counts operations with a smaller number
    std::uint32_t remaining;
    completion* whom;
  };
  struct initiator {
    std::uint64_t issued = 0;
    std::uint32_t under_way = 0;
    std::vector<pending_flush> flushes;
    std::vector<told> stages;
    std::size_t told_count = 0;
  };

  [[nodiscard]] initiator& at(int rank) noexcept { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] operation* make(operation::type what, int rank, const remote_memory& memory,
                                std::size_t offset, std::size_t bytes);
  void keep_source(operation& op, std::span<const std::byte> from, completion* local);
  void start(operation& op, std::uint64_t bytes);
  static void at_target(flight& self, duration complete);
  static void back_home(flight& self, duration complete);
  static void touch(void* subject, std::uint64_t);
  static void finish(void* subject, std::uint64_t);
  void write(operation& op);
  void answer(operation& op, std::uint64_t bytes);
  void complete(operation& op);
  void queue(int rank, duration when, completion* whom);

  simulation& in_;
  traffic& messages_;
  segments& memory_;
  std::vector<initiator> ranks_;
  std::vector<std::unique_ptr<operation>> pool_;
  std::vector<operation*> free_;
};

}  // namespace upwash::conduit::sim
