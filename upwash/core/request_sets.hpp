// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Some of several requests.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

/// Said by the functions below where all requests are empty, so that none can be reported.
inline constexpr std::size_t no_request = ~std::size_t{0};

// Each complete request is reported once: it is empty then, and empty ones are passed over, as MPI
// does with null requests. One operation may be waited for by its handle as well. All requests are
// of one job. A look takes O(requests); waits look after every poll. They throw what the job's
// progress throws.

/// The index of one that is complete, the first such; nothing where none is yet. Makes progress
/// once when the first look finds none. Nonblocking.
[[nodiscard]] std::optional<std::size_t> test_any(std::span<request> requests);

/// The same of all that are complete: `indices`, as long as `requests` (throws `error` (argument)
/// where it is shorter), takes their indices in rising order. Returns how many.
[[nodiscard]] std::optional<std::size_t> test_some(std::span<request> requests,
                                                   std::span<std::size_t> indices);

/// As `test_any`, but blocks until one is complete.
std::size_t wait_any(std::span<request> requests, call_site site = call_site::current());

/// As `test_some`, but blocks until one is complete at least.
std::size_t wait_some(std::span<request> requests, std::span<std::size_t> indices,
                      call_site site = call_site::current());

}  // namespace upwash
