// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps in the network: the conduit carries them out, the processor only waits.
#pragma once

#include "upwash/collective/detail/run/operation.hpp"

namespace upwash::collective::detail {

/// Hands the step over to the conduit; whether it came further. Throws `error` (argument) where the
/// conduit has no such collectives.
bool join_network(job& here, operation& op, slot& s);

}  // namespace upwash::collective::detail
