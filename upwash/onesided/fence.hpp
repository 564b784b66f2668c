// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fences: all that this rank stored is visible where it stored it. After Saify 2002, chapter 3.
// Puts, atomics and calls that are told when complete have their answers on the way: a fence waits
// for them. For puts that nobody acknowledges it asks their targets (`confirm`), and only these;
// whom it asks when can be chosen. What a plain copy did is visible already.
#pragma once

#include <cstdint>

#include "upwash/base/call_site.hpp"

namespace upwash {

class job;

/// How the targets are asked.
enum class fence_order : std::uint8_t {
  /// One request, its answer, then the next, by rising rank: the original of the thesis.
  sequential,
  /// So many requests, all their answers, then the next ones, in an order that each rank draws for
  /// itself, so that not all ask the same one at once: the thesis' own.
  batches,
  /// In such an order too, with so many requests under way at any time.
  window,
};

struct fence_options {
  fence_order order = fence_order::window;
  /// The thesis' K; at least 1. There it is what buffers common to all targets hold; here each pair
  /// has credit of its own, so it only bounds how many answers come at a time.
  int in_flight = 16;
};

/// What a fence asked.
struct fence_count {
  int asked = 0;   ///< targets; each one request and its answer, or a flush of the conduit
  int rounds = 0;  ///< times that it waited for all it had asked; `window`: 1 where it asked any
};

/// Blocks until all that this rank began towards `rank` of the world before is visible there; makes
/// progress. Not from a handler, nor while a call waits for an answer that the rank itself must
/// bring about. One question and its answer at most. Throws `error` (argument) for no rank.
void fence(job& here, int rank, call_site site = call_site::current());

/// The same for all ranks. Throws `error` (argument) for `in_flight` below 1. O(ranks) looks at
/// counts beside the questions; memory: 16 bytes for each rank that was ever asked.
fence_count fence_all(job& here, const fence_options& how = {},
                      call_site site = call_site::current());

}  // namespace upwash
