// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The part of one host in a job over several.
#pragma once

namespace upwash::launch {

/// Does what an `upwash run` elsewhere says through standard input, and answers through standard
/// output: starts its share of a job's processes, watches them, and kills them when the job fails
/// or nothing more is heard. Blocking, to the end of the job here. Takes this process's standard
/// input and output, environment, working folder and children. The exit status says whether it came
/// to an order to start, not how the job ended. Throws `error` (argument) when a terminal is there.
[[nodiscard]] int serve_head();

}  // namespace upwash::launch
