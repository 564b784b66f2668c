// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every collective takes beside its buffers.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "upwash/base/call_site.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/model/transfer.hpp"

namespace upwash {

/// The same at all members of the team.
struct collective_options {
  std::string_view algorithm{};  ///< NAME[:key=value,...]; empty: the selector chooses
  sync_mode entry = sync_mode::mine;
  sync_mode exit = sync_mode::mine;
  address_mode addresses = address_mode::local;
  /// The members compute between start and wait: what takes their processors least is chosen, not
  /// what ends first.
  bool overlapped = false;
  /// The algorithm that was chosen first stays, also where the job adapts (adapt.hpp): results of
  /// reductions of floating-point numbers then do not change from call to call.
  bool fixed = false;
  /// Tells this call from others of its shape, which may want another algorithm, since what
  /// surrounds them differs: selectors see it, and jobs that adapt try apart.
  std::string_view label{};
  std::optional<mechanism> transfer{};         ///< for all edges that can; else by size
  std::optional<std::uint64_t> eager_bytes{};  ///< the largest edge that travels eagerly

  friend bool operator==(const collective_options&, const collective_options&) = default;
};

/// Tag: the call sets the collective up, to be started often (persistent.hpp).
struct persist_t {};
inline constexpr persist_t persist{};

/// Tag: one buffer is input and output, and holds the rank's own block where it belongs. All
/// members of a call give it, or none.
struct in_place_t {};
inline constexpr in_place_t in_place{};

namespace detail {

/// `blocking` or `persist`.
template <class T>
concept form_of_call = std::same_as<T, blocking_t> || std::same_as<T, persist_t>;

/// Whether a call of that form still uses its buffers when it has returned.
template <class Form>
inline constexpr bool uses_later = !std::same_as<Form, blocking_t>;

}  // namespace detail

}  // namespace upwash
