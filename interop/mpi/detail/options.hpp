// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the knobs say about taking over.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/other_definitions.hpp"

namespace upwash::mpi {

struct preload_options {
  std::array<bool, number_of_functions> takes{};  ///< those that a knob has not left out
  bool collectives = false;
  bool neighborhoods = false;
  bool messages = false;     ///< never when a list leaves one of their functions out:
  std::string_view missing;  ///< the first of those, where messages were asked for
  std::string missing_why;   ///< and why it is left out
  /// A function of messages that the MPI library has and this preload library has not: messages are
  /// then the library's, too.
  std::string_view unknown;
  /// Functions that take requests reach upwash: else it has no requests of its own.
  bool requests = true;
  bool threads = false;     ///< also where the program has several
  std::int64_t sample = 0;  ///< every N-th call goes to the MPI library; 0: none
  bool checked = false;     ///< what is sampled goes to both
  /// Memory for messages that came before their receives, and as much for those that have no room
  /// at their receivers. MPI libraries have no limit, and programs rely on that: so by default it
  /// is larger than in upwash's own programs.
  std::uint64_t unexpected_bytes = std::uint64_t{1} << 30U;
  std::string report;  ///< empty: none; "1": text; else a file, as JSON

  /// Of the environment. Throws `error` (configuration), also for a name that is no function.
  [[nodiscard]] static preload_options read();

  [[nodiscard]] bool nothing() const noexcept {
    return !collectives && !neighborhoods && !messages;
  }
  /// Leaves out functions whose calls do not reach upwash, and all that depends on them.
  void leave_out(const other_definitions& others);

  /// Equal at ranks that take over alike.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept;
};

}  // namespace upwash::mpi
