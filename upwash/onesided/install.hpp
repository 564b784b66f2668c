// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layer's setup on every rank before the program.
#pragma once

namespace upwash {
class job;
}

namespace upwash::onesided {

/// Registers the handlers of transfers, accumulates and pair changes, so that peers can call them.
/// The runtime calls it, once a job. Local, O(1). The handlers reach memory in regions only, and
/// members allocate regions together, after this call.
void install(job& here);

}  // namespace upwash::onesided
