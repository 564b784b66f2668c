// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The share of one host in a job over several hosts.
#pragma once

namespace upwash::launch {

/// Executes the orders of an `upwash run` elsewhere: reads them from standard input and answers on
/// standard output. Starts this host's share of the job's processes, watches them, and kills them
/// when the job fails or the connection is silent. Blocks until the job ends here. Uses this
/// process's standard input and output, environment, working folder and children. The exit status
/// says whether an order to start arrived, not how the job ended. Throws `error` (argument) if a
/// terminal is attached.
[[nodiscard]] int serve_head();

}  // namespace upwash::launch
