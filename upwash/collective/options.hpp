// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The options of every collective call, in addition to its buffers.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "upwash/base/call_site.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/model/transfer.hpp"

namespace upwash {

/// Options of a call. They are the same at all members of the team.
struct collective_options {
  std::string_view algorithm{};  ///< NAME[:key=value,...]; empty: the selector chooses
  sync_mode entry = sync_mode::mine;
  sync_mode exit = sync_mode::mine;
  address_mode addresses = address_mode::local;
  /// The members compute between start and wait. The choice then minimises processor time instead
  /// of the time to completion.
  bool overlapped = false;
  /// Keeps the first choice of the algorithm, also in a job that adapts (adapt.hpp). Reductions of
  /// floating-point numbers then give the same result in every call.
  bool fixed = false;
  /// Distinguishes this call from others of its shape, which may need another algorithm in their
  /// surroundings. Selectors see the label, and jobs that adapt try algorithms for each label
  /// separately.
  std::string_view label{};
  std::optional<mechanism> transfer{};         ///< for all edges that support it; otherwise by size
  std::optional<std::uint64_t> eager_bytes{};  ///< the largest edge that travels eagerly

  friend bool operator==(const collective_options&, const collective_options&) = default;
};

/// Tag: the call is set up to be started often (persistent.hpp).
struct persist_t {};
inline constexpr persist_t persist{};

/// Tag: one buffer is input and output, with the rank's own block at its position. All members of a
/// call give the tag, or none.
struct in_place_t {};
inline constexpr in_place_t in_place{};

namespace detail {

/// `blocking` or `persist`.
template <class T>
concept form_of_call = std::same_as<T, blocking_t> || std::same_as<T, persist_t>;

/// Whether a call of that form still uses its buffers after it has returned.
template <class Form>
inline constexpr bool uses_later = !std::same_as<Form, blocking_t>;

}  // namespace detail

}  // namespace upwash
