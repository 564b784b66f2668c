// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the layer does on every rank before the program.
#pragma once

namespace upwash {
class job;
}

namespace upwash::onesided {

/// Registers the handlers of transfers, accumulates and changes of pairs, so that peers can call
/// them. Local, O(1); once a job. The runtime does it. Memory that a rank can reach with them is in
/// a region, which its members allocated together, so after this.
void install(job& here);

}  // namespace upwash::onesided
