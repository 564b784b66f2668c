// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking operations that nobody has waited for, behind handles of 8 bytes or without one.
// They are kept although complete: memory that they went to is not freed before a wait or a fence.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interop/armci/include/armci.h"
#include "upwash/core/request.hpp"
#include "upwash/onesided/aggregate.hpp"

namespace upwash::armci {

/// A handle has the number of a slot here, 0 for none. One that was copied, or never initialised,
/// may have another one's: then its wait waits for more. Memory: 24 bytes an operation.
class open_operations {
 public:
  struct operation {
    request handle;
    std::uint64_t region = 0;  ///< bits
    int proc = -1;
  };

  open_operations() : slots_(1) {}

  static void initialise(armci_hdl_t& handle) noexcept { handle = {0, 0}; }
  static void set_aggregate(armci_hdl_t& handle, bool to) noexcept;
  [[nodiscard]] static bool is_aggregate(const armci_hdl_t& handle) noexcept;

  /// `under`: null for an implicit one. O(1) amortised.
  void add(armci_hdl_t* under, operation begun);
  /// A put that rides with others of its aggregate handle. Takes a copy.
  void gather(job& here, armci_hdl_t& under, global_ptr<std::byte> to,
              std::span<const std::byte> from);
  /// Sends what aggregate handles have gathered towards a rank; -1: all.
  void flush(int proc);

  /// Blocks until all of the handle are complete; it has none afterwards.
  void wait(armci_hdl_t& under);
  /// Whether they are; then as `wait`.
  [[nodiscard]] bool test(armci_hdl_t& under);
  /// Blocks until all implicit ones towards a rank are complete; -1: all.
  void wait_implicit(int proc);
  /// Behind a fence of a rank (-1: of all): what is complete there is forgotten.
  void forget(int proc);

  [[nodiscard]] bool on(std::uint64_t region) const noexcept;

 private:
  struct slot {
    std::vector<operation> begun;
    std::unique_ptr<aggregate> gathered;
    std::uint64_t gathered_region = 0;
    bool used = false;
  };
  [[nodiscard]] slot* find(const armci_hdl_t& of) noexcept;
  [[nodiscard]] slot& slot_of(armci_hdl_t& under);
  void release(slot& going, armci_hdl_t& under);
  static void flush(slot& of);

  std::vector<slot> slots_;  ///< the first is of implicit operations
  std::vector<int> free_;
};

}  // namespace upwash::armci
