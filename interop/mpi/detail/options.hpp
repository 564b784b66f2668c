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

namespace upwash::mpi {

struct preload_options {
  std::array<bool, number_of_functions> takes{};  ///< those that a knob has not left out
  bool collectives = false;
  bool neighborhoods = false;
  bool messages = false;     ///< never when a list leaves one of their functions out:
  std::string_view missing;  ///< the first of those, where messages were asked for
  /// A function of messages that the MPI library has and this preload library has not: messages are
  /// then the library's, too.
  std::string_view unknown;
  bool threads = false;     ///< also where the program has several
  std::int64_t sample = 0;  ///< every so-manieth call goes to the MPI library
  bool checked = false;     ///< what is sampled goes to both
  std::string report;       ///< empty: none; "1": text; else a file, as JSON

  /// Of the environment. Throws `error` (configuration), also for a name that is no function.
  [[nodiscard]] static preload_options read();

  [[nodiscard]] bool nothing() const noexcept {
    return !collectives && !neighborhoods && !messages;
  }
  /// Equal at ranks that take over alike.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept;
};

}  // namespace upwash::mpi
