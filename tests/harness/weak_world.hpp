// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A world whose endpoints hide what they can do, so that core must derive it: remote completion
// from flush, signals from messages, long messages from puts, atomics from the owner.
#pragma once

#include <memory>
#include <vector>

#include "upwash/conduit/world.hpp"

namespace upwash::test {

/// Wraps `strong`. Hidden: remote_completion, put_signal, atomics but those to be left,
/// long_messages, in_place, private_reads, network_collectives.
[[nodiscard]] std::unique_ptr<conduit::world> make_weak_world(
    std::unique_ptr<conduit::world> strong, const conduit::atomic_set& left = {});

/// Flushes that a rank's endpoint was asked for so far; `weak` was made by make_weak_world.
[[nodiscard]] int flushes_of(conduit::world& weak, int rank);

/// Active messages of all classes that a rank's endpoint has sent so far.
[[nodiscard]] int messages_of(conduit::world& weak, int rank);

/// All endpoints of `weak` say that the rank is lost.
void lose(conduit::world& weak, int lost);

/// The ranks that were closed so far, endpoint by endpoint.
[[nodiscard]] std::vector<int> closed_by(conduit::world& weak);

}  // namespace upwash::test
