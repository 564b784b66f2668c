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
#include <vector>

#include "upwash/conduit/wire/transport.hpp"

namespace upwash::conduit::mpi {

struct transport_options {
  std::size_t packet_bytes = 0;  ///< the largest packet
  int receives = 0;              ///< that wait for packets at any time
};

/// How far something is that goes on while others come.
enum class progress { done, under_way, failed };

/// MPI in this process; one for each process. Its ranks are MPI_COMM_WORLD's until `number`.
class mpi_engine {
 public:
  virtual ~mpi_engine() = default;

  /// MPI_Init_thread, unless the program has called it. Blocks until all processes are there.
  /// False on failure, and why; no other method may be called before.
  [[nodiscard]] virtual bool enter(std::string& why) noexcept = 0;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// The program has called MPI_Init, and will call MPI_Finalize.
  [[nodiscard]] virtual bool entered_by_program() const noexcept = 0;
  /// As the library names itself: "Open MPI v4.1.4".
  [[nodiscard]] virtual std::string version() const = 0;

  /// Starts to gather the blobs of all ranks, of equal size, in all: that of rank r lands at
  /// r * mine.size(). Collective, one at a time; the spans are the engine's until it is over.
  virtual void begin_gather(std::span<const std::byte> mine, std::span<std::byte> all) noexcept = 0;
  /// Moves it on. Not blocking.
  [[nodiscard]] virtual progress advance_gather(std::string& why) noexcept = 0;
  /// Whose blobs have not come: known at rank 0 only, which gathers them for all.
  [[nodiscard]] virtual std::vector<int> missing() const = 0;

  /// From now on, transports say p for rank `ranks[p]`. The same at all ranks.
  virtual void number(std::span<const int> ranks) = 0;

  /// Collective; may block. Null on failure, and why. The engine outlives it.
  [[nodiscard]] virtual std::unique_ptr<wire::transport> make_transport(
      const transport_options& options, std::string& why) noexcept = 0;

  /// MPI_Abort. What the library says of it goes nowhere: its caller has said why.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

  /// `what(argument)` is called when the process exits, behind all that its program does then.
  virtual void at_end(void (*what)(void* argument), void* argument) noexcept = 0;

  /// MPI_Finalize, unless the program called MPI_Init. Collective, may block. The last call.
  virtual void leave() noexcept = 0;
};

/// What a plugin exports under this name. The number counts changes of this interface, or of
/// `wire::transport`: a plugin of another version lacks the name.
inline constexpr const char* plugin_function = "upwash_mpi_plugin_1";
using make_engine = mpi_engine* (*)();

}  // namespace upwash::conduit::mpi
