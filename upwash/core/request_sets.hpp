// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that wait for some of several requests.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

/// Returned by the functions below if all requests are empty, so that none can be reported.
inline constexpr std::size_t no_request = ~std::size_t{0};

// Each complete request is reported once and is empty afterwards. Empty requests are skipped, as
// MPI skips null requests. One operation may be waited for by its handle as well. All requests
// belong to one job. A look takes O(requests); waits look after every poll. The functions throw the
// errors that the job's progress throws.

/// Returns the index of the first complete request, or nothing if none is complete yet. Makes
/// progress once if the first look finds none. Nonblocking.
[[nodiscard]] std::optional<std::size_t> test_any(std::span<request> requests);

/// Reports all complete requests: writes their indices in rising order to `indices` and returns
/// their number. `indices` is as long as `requests`; throws `error` (argument) if it is shorter.
/// Otherwise as `test_any`.
[[nodiscard]] std::optional<std::size_t> test_some(std::span<request> requests,
                                                   std::span<std::size_t> indices);

/// Blocks until one request is complete and reports it as `test_any` does.
std::size_t wait_any(std::span<request> requests, call_site site = call_site::current());

/// Blocks until at least one request is complete and reports all complete ones as `test_some` does.
std::size_t wait_some(std::span<request> requests, std::span<std::size_t> indices,
                      call_site site = call_site::current());

}  // namespace upwash
