// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options of a collective call about the transfer of its data.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace upwash {

/// The transfer of an edge of a collective between two members.
enum class mechanism : std::uint8_t {
  eager,           ///< into an anonymous buffer at the receiver, which copies it out
  signalling_put,  ///< to its destination, followed by a signal; the destination must be known
  rendezvous,      ///< an offer; the receiver gets the data and acknowledges
  single_copy,     ///< an offer; the receiver copies directly from the sender's memory
  matched,         ///< as a tagged message, through the matching stores (upwash/matching)
};
/// Returns the name used by knobs and reports.
[[nodiscard]] std::string_view to_string(mechanism how) noexcept;
/// Returns the mechanism with that name, if any.
[[nodiscard]] std::optional<mechanism> mechanism_named(std::string_view name) noexcept;

/// Whether a rank knows its peers' addresses of the collective's buffers.
enum class address_mode : std::uint8_t {
  local,   ///< only its own
  single,  ///< all: the buffers lie at the same offset of one region at every rank
};
/// Returns the name used by reports.
[[nodiscard]] std::string_view to_string(address_mode of) noexcept;

/// The time from which a rank's buffers may be accessed on entry, and until which on exit (as in
/// UPC's collectives).
enum class sync_mode : std::uint8_t {
  none,  ///< entry: as soon as any rank has entered; exit: others may still write
  mine,  ///< entry: when their rank has entered; exit: when this rank's part is complete
  all,   ///< entry: when all have entered; exit: when all ranks' parts are complete
};
/// Returns the name used by reports.
[[nodiscard]] std::string_view to_string(sync_mode of) noexcept;

}  // namespace upwash
