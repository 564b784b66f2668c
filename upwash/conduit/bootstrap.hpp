// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The services that a conduit needs from the launcher: the place in the job, exchange of small
// blobs, abort, death watch. The providers are in launch/.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "upwash/conduit/rank_layout.hpp"
#include "upwash/observe/hang_board.hpp"

namespace upwash::conduit {

/// The largest blob of one `exchange`, in bytes.
inline constexpr std::size_t max_blob_bytes = 256;

/// The board on which a process that another launcher started reports to the `upwash run` that used
/// this launcher.
class launcher_board {
 public:
  virtual ~launcher_board() = default;
  /// Reports that the process has left the job in good order.
  virtual void finished() noexcept = 0;
  /// Reports that another host is gone. For launchers that end all processes before any can report.
  /// The first text of the job stays.
  virtual void lost(std::string_view text) noexcept = 0;
  /// Returns the hang board. Null if that `upwash run` does not reach all ranks.
  [[nodiscard]] virtual observe::hang_board* hang_board() noexcept = 0;
};

/// One process's view of its job at start-up.
class bootstrap {
 public:
  virtual ~bootstrap() = default;

  [[nodiscard]] virtual int process() const noexcept = 0;
  [[nodiscard]] virtual int process_count() const noexcept = 0;
  /// Returns the process of each world rank; the same in all processes.
  [[nodiscard]] virtual const rank_layout& layout() const noexcept = 0;

  /// Returns the node of a process. Nodes are dense from 0 and grow with the process; the same in
  /// all processes.
  [[nodiscard]] virtual int node_of(int /*process*/) const noexcept { return 0; }
  [[nodiscard]] int node_count() const noexcept { return node_of(process_count() - 1) + 1; }
  /// Returns the user's name for a node. Empty if there is only one node, or if the name is
  /// unknown.
  [[nodiscard]] virtual std::string_view host_of(int /*node*/) const noexcept { return {}; }

  /// Gathers bytes from all processes: `mine` (at most max_blob_bytes, same size everywhere) of
  /// process p is written to offset p * mine.size() of `all`. Collective, blocking. Throws `error`
  /// (fault) naming the missing processes when the job fails meanwhile or after the knob
  /// start_timeout.
  virtual void exchange(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  /// Waits for all processes. Collective, blocking; errors as `exchange`.
  virtual void barrier() = 0;

  /// Notes that this process has left the job in good order: its exit is no failure.
  virtual void finished() noexcept = 0;

  /// Ends the whole job with the first caller's exit status. The first caller's line is printed
  /// once, by the launcher if there is one. `rank` -1: no particular rank. With an empty text, or
  /// when the job has failed already, it only leaves.
  [[noreturn]] virtual void abort(int rank, int status, std::string_view why) noexcept = 0;

  /// Ends the job as abort does, with status 1, from a process that continues for a while, because
  /// it still has something to report that only its program knows. Its report comes first.
  virtual void desert(int rank, std::string_view why) noexcept = 0;

  /// Returns whether a process died or the job was aborted. One load.
  [[nodiscard]] virtual bool failed() const noexcept = 0;

  /// Returns the board on which ranks post their status for one report of the whole job. Null: no
  /// process gathers it.
  [[nodiscard]] virtual observe::hang_board* hang_board() noexcept { return nullptr; }

  /// Makes the process report to `at`, too, from now on. Processes that upwash run started itself
  /// do not need this.
  virtual void tell(std::unique_ptr<launcher_board> /*at*/) noexcept {}
};

}  // namespace upwash::conduit
