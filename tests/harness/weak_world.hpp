// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A world whose endpoints hide what they can do, so that core must derive it: remote completion
// from flush, signals from messages, long messages from puts, atomics from the owner.
#pragma once

#include <memory>

#include "upwash/conduit/world.hpp"

namespace upwash::test {

/// Wraps `strong`. Hidden: remote_completion, put_signal, native_atomics, long_messages, in_place,
/// private_reads, network_collectives.
[[nodiscard]] std::unique_ptr<conduit::world> make_weak_world(
    std::unique_ptr<conduit::world> strong);

}  // namespace upwash::test
