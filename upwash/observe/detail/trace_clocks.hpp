// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts what ranks of several processes and hosts wrote onto one clock.
#pragma once

namespace upwash::observe {
struct trace;
}

namespace upwash::observe::detail {

/// Afterwards the first event begins at 0. Processes of a host share a clock; hosts are set by the
/// world's clock, then each moved against the first so that messages between the two take equal
/// times there and back at best. O(events).
void set_clocks(trace& all);

}  // namespace upwash::observe::detail
