// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tuning file: what was found on one machine over one conduit, kept across runs as FFTW keeps
// its wisdom. A file is used as a whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "upwash/collective/registry.hpp"
#include "upwash/tuning/knowledge.hpp"

namespace upwash::tuning {

/// Where results were found, and where they may be used.
struct origin {
  std::string machine;  ///< machine_fingerprint(), or "simulated NAME"
  std::string conduit;
  friend bool operator==(const origin&, const origin&) = default;
};

/// This machine as hwloc sees it: processor, packages, cores, threads, caches, memory nodes. The
/// same for all jobs on it. Takes some milliseconds. Throws `error` (system).
[[nodiscard]] std::string machine_fingerprint();

/// `simulated`: the machine that the job is simulated on; empty: it runs on this one. Throws
/// `error` (system).
[[nodiscard]] origin origin_of(std::string_view conduit, std::string_view simulated);

/// JSON, ending in a newline. The same knowledge is the same text.
[[nodiscard]] std::string text_of(const knowledge& known, const origin& from);

/// Reads a whole file's text; `name` stands in the errors. Throws `error` (configuration) that says
/// where and why: not JSON, a key unknown, missing or doubled, a value out of range, an algorithm
/// that `algorithms` does not have, another version of upwash, another machine or conduit.
[[nodiscard]] knowledge parse_tuning(std::string_view text, std::string_view name,
                                     const origin& here, const collective::registry& algorithms);

/// Adds to the file, which may not exist yet, folders neither. Jobs may do so at the same time:
/// each takes the lock (`path`.lock, waits at most 10 s, removes it afterwards), merges with the
/// content, and replaces the file as an output_file, so that readers see the old or the new.
/// Symbolic links are followed. Blocking. Throws `error`: configuration when there is anything else
/// than such a file of this machine (it stays as it is); environment or system when the file or its
/// lock cannot be written. A call without findings checks all this.
void add_to_file(const std::string& path, const knowledge& known, const origin& from,
                 const collective::registry& algorithms);

/// What the knob `tuning` asks for.
struct tuning_source {
  std::string path;    ///< empty: no file
  bool asked = false;  ///< by name: it should exist
};

/// `asked`: a path; "none"; empty: upwash/tuning/CONDUIT.json (simulated: sim-MACHINE.json) of the
/// user's config folder, else shipped with the library.
[[nodiscard]] tuning_source find_tuning_file(std::string_view asked, std::string_view name);
/// Where results go when nobody names a file: in the user's config folder. Empty: there is none.
[[nodiscard]] std::string own_tuning_file(std::string_view name);
/// Where `upwash tune machine` writes this machine when nobody names a file, and jobs look for it.
/// Empty: there is no config folder.
[[nodiscard]] std::string own_machine_file();
/// CONDUIT, or of jobs on a simulated machine CONDUIT-MACHINE.
[[nodiscard]] std::string tuning_name(std::string_view conduit, std::string_view simulated);

/// The text of a file; nothing where it does not exist. Throws `error` (configuration) where it
/// cannot be read or is larger than 64 MiB.
[[nodiscard]] std::optional<std::string> read_tuning_text(const std::string& path);

}  // namespace upwash::tuning
