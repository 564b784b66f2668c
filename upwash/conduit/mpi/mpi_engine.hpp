// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the conduit asks of an MPI library. A plugin, one for each library, implements it and links
// with that library and with nothing of upwash: headers only, and nothing throws.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "upwash/conduit/foreign/foreign_engine.hpp"
#include "upwash/conduit/wire/plugin.hpp"
#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::mpi {

struct transport_options {
  std::size_t packet_bytes = 0;  ///< the largest packet
  int receives = 0;              ///< that wait for packets at any time
};

/// MPI in this process; one for each process. Its ranks are MPI_COMM_WORLD's. `enter` calls
/// MPI_Init_thread and `leave` MPI_Finalize, unless the program has called MPI_Init; of what is
/// `missing` rank 0 only knows, which gathers for all.
class mpi_engine : public foreign::foreign_engine {
 public:
  [[nodiscard]] std::string_view title() const noexcept final { return "MPI"; }
  [[nodiscard]] std::string_view entering() const noexcept final { return "MPI_Init"; }

  /// The program has called MPI_Init, and will call MPI_Finalize.
  [[nodiscard]] virtual bool entered_by_program() const noexcept = 0;

  /// Whether threads may call MPI by turns beside what the program calls.
  [[nodiscard]] virtual bool bears_threads() const noexcept = 0;

  /// Process p is rank `ranks[p]`; the same everywhere. Collective; may block. Null on failure, and
  /// why. The engine outlives it.
  [[nodiscard]] virtual std::unique_ptr<wire::transport> make_transport(
      std::span<const int> ranks, const transport_options& options, std::string& why) noexcept = 0;
};

/// What a plugin exports.
struct mpi_plugin : wire::plugin_head {
  mpi_engine* (*make)() = nullptr;  ///< the caller's own
};

}  // namespace upwash::conduit::mpi
