// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What travels over an edge: header and data in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "upwash/collective/detail/run/operation.hpp"
#include "upwash/core/global_ptr.hpp"

namespace upwash::collective::detail {

/// Makes messages out of steps and takes them apart, whatever carries them. Owns the first message
/// that was of another length than its step wants: in a handler nothing may throw, so the next
/// progress does.
class edge_data {
 public:
  explicit edge_data(job& here) : here_(here) {}

  /// How many bytes the step's header has, at most where it is counted.
  [[nodiscard]] static std::uint64_t header_bytes(const schedule::step& s) noexcept {
    return std::uint64_t{s.header.count} * sizeof(std::uint64_t);
  }
  /// Of a send: the data itself where there is no header.
  [[nodiscard]] std::span<const std::byte> in_one_piece(operation& op, slot& s);
  /// Whether so many bytes may be what the step wants: with a counted header the message will say.
  [[nodiscard]] bool fits(slot& s, std::uint64_t came);
  /// So many bytes do not. Such a step is never done.
  void misfits(slot& s, std::uint64_t came);
  /// The message, header first, is all here: writes it to where the step says. False: it misfits.
  [[nodiscard]] bool take(slot& s, std::span<const std::byte> bytes);

  struct misfit {
    run_key of;
    std::string text;
  };
  /// The first message of a wrong length, or null.
  [[nodiscard]] const misfit* wrong() const noexcept {
    return misfit_.text.empty() ? nullptr : &misfit_;
  }

 private:
  job& here_;
  misfit misfit_;
};

/// Where a piece of a member's buffers lies, when all know: as far into its region as here. Throws
/// `error` (argument) where the buffer here is in no region.
[[nodiscard]] global_ptr<std::byte> global_of(const operation& op, int member,
                                              const schedule::piece& p);

}  // namespace upwash::collective::detail
