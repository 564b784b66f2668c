// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a collective call may ask of the way in which its data travels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace upwash {

/// How an edge of a collective travels from one member to another.
enum class mechanism : std::uint8_t {
  eager,           ///< into an anonymous buffer at the receiver, which copies it out
  signalling_put,  ///< to its place, with a signal behind it; the place must be known
  rendezvous,      ///< an offer; the receiver gets the data and acknowledges
  single_copy,     ///< an offer; the receiver copies straight from the sender's memory
  matched,         ///< as a tagged message, through the matching stores (upwash/matching)
};
/// As knobs and reports name it.
[[nodiscard]] std::string_view to_string(mechanism how) noexcept;
/// What `to_string` calls so.
[[nodiscard]] std::optional<mechanism> mechanism_named(std::string_view name) noexcept;

/// Whether a rank knows its peers' addresses of the collective's buffers.
enum class address_mode : std::uint8_t {
  local,   ///< only its own
  single,  ///< all: the buffers lie at the same offset of one region at every rank
};
/// As reports name it.
[[nodiscard]] std::string_view to_string(address_mode of) noexcept;

/// When a rank's buffers may be touched, on entry and on exit (as UPC's collectives have it).
enum class sync_mode : std::uint8_t {
  none,  ///< entry: as soon as any rank has entered; exit: others may still be writing
  mine,  ///< entry: once their rank has entered; exit: once this rank's part is complete
  all,   ///< entry: once all have entered; exit: once all ranks' parts are complete
};
/// As reports name it.
[[nodiscard]] std::string_view to_string(sync_mode of) noexcept;

}  // namespace upwash
