// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The connections of a process: its inbound segment, the peers' segments, each from its first use
// on, and what each process told the others at the start.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/patience.hpp"
#include "upwash/conduit/shm/detail/bell.hpp"
#include "upwash/conduit/shm/detail/layout.hpp"
#include "upwash/conduit/shm/detail/memfd.hpp"

namespace upwash::conduit::shm_detail {

/// What a process tells the others.
struct introduction {
  std::uint32_t version = 2;  ///< of what follows
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  std::int32_t fd = 0;
  std::uint32_t serial = 0;
  std::uint32_t line_count = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t thread_sleeps = 0;  ///< a flag: the progress thread, until its bell is rung
  std::int64_t started_ps = 0;
  polling_process polls;  ///< its ranks take turns, a progress thread does not
};
static_assert(sizeof(introduction) <= max_blob_bytes);

class mesh {
 public:
  /// Collective. Throws `error`.
  mesh(bootstrap& boot, const settings& values);

  [[nodiscard]] const layout& shape() const { return layout_; }
  [[nodiscard]] int self() const { return self_; }
  [[nodiscard]] int processes() const { return static_cast<int>(peers_.size()); }
  [[nodiscard]] std::vector<polling_process> polling() const;
  [[nodiscard]] const introduction& peer(int process) const {
    return peers_[static_cast<std::size_t>(process)];
  }
  /// Package of each process's processors, dense from 0.
  [[nodiscard]] const std::vector<int>& sockets() const { return sockets_; }
  [[nodiscard]] duration start() const { return duration::from_ps(peers_[0].started_ps); }

  /// Maps the segment of a peer, once; from any thread. What is said below of where this process
  /// writes holds after it. Throws `error` (system) where the peer has died, or may not be seen.
  void reach(int process);

  /// Where `sender` writes to this process, and where this process writes to `receiver`.
  [[nodiscard]] std::byte* inbound(int sender) const {
    return own_.base() + layout_.group_offset(sender);
  }
  [[nodiscard]] std::byte* outbound(int receiver) const {
    return segment(receiver) + layout_.group_offset(self_);
  }
  /// Where `sender` announces to this process, and where this process announces to `receiver`.
  [[nodiscard]] const std::atomic<std::uint16_t>& arrivals_from(int sender) const {
    return arrivals(self_)[sender];
  }
  [[nodiscard]] std::atomic<std::uint16_t>& arrivals_at(int receiver) const {
    return arrivals(receiver)[self_];
  }

  [[nodiscard]] bell& bell_of(int process) const {
    return *reinterpret_cast<bell*>(segment(process) + layout_.bell_offset());
  }

 private:
  [[nodiscard]] std::byte* segment(int process) const {
    // Acquire: pairs with reach(), on another thread of this process.
    return segments_[static_cast<std::size_t>(process)].load(std::memory_order_acquire);
  }
  [[nodiscard]] std::atomic<std::uint16_t>* arrivals(int process) const {
    return reinterpret_cast<std::atomic<std::uint16_t>*>(segment(process) +
                                                         layout_.arrivals_offset());
  }
  void introduce(bootstrap& boot);
  [[nodiscard]] int who_started_all() const;
  void share_sockets(bootstrap& boot, bool wanted);

  layout layout_;
  int self_ = 0;
  shared_memory own_;
  std::vector<introduction> peers_;
  std::vector<int> sockets_;
  std::vector<std::atomic<std::byte*>> segments_;  ///< of all processes; nullptr: not reached yet
  std::mutex reaching_;
  std::vector<shared_memory> reached_;
};

/// For who could not reach a peer's memory: a process that dies takes it along, and the launcher
/// tells of the death a moment later, which is the better reason. Waits for that, a second at most.
void wait_for_notice_of_death(const bootstrap& boot);

/// A number for a memory file of this process that others of the machine hardly have.
[[nodiscard]] std::uint32_t new_serial();

}  // namespace upwash::conduit::shm_detail
