// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a conduit needs of the launcher: who am I, exchange of small blobs, abort, death watch.
// Providers stand in launch/.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "upwash/conduit/rank_layout.hpp"
#include "upwash/observe/hang_board.hpp"

namespace upwash::conduit {

/// Largest blob of one `exchange`.
inline constexpr std::size_t max_blob_bytes = 256;

/// Where a process of a job that another launcher started tells the `upwash run` that had it do so.
class launcher_board {
 public:
  virtual ~launcher_board() = default;
  /// The process has left the job in good order.
  virtual void finished() noexcept = 0;
  /// Another host is gone: for where the launcher ends all processes before anybody can say so. The
  /// first text of the job stays.
  virtual void lost(std::string_view text) noexcept = 0;
  /// Null where that one does not reach all ranks.
  [[nodiscard]] virtual observe::hang_board* hang_board() noexcept = 0;
};

/// One process's view of its job at start-up.
class bootstrap {
 public:
  virtual ~bootstrap() = default;

  [[nodiscard]] virtual int process() const noexcept = 0;
  [[nodiscard]] virtual int process_count() const noexcept = 0;
  /// Which world rank lives in which process; the same in all.
  [[nodiscard]] virtual const rank_layout& layout() const noexcept = 0;

  /// The node that a process runs on: dense from 0, grows with the process, the same in all.
  [[nodiscard]] virtual int node_of(int /*process*/) const noexcept { return 0; }
  [[nodiscard]] int node_count() const noexcept { return node_of(process_count() - 1) + 1; }
  /// As the launcher's user named that node; empty where there is one only, or nobody knows.
  [[nodiscard]] virtual std::string_view host_of(int /*node*/) const noexcept { return {}; }

  /// All-gather between processes: `mine` (at most max_blob_bytes, same size everywhere) of
  /// process p lands at p * mine.size() of `all`. Collective, blocking; throws `error` (fault)
  /// naming the processes that are missing when the job fails meanwhile or after the knob
  /// start_timeout.
  virtual void exchange(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  /// Collective, blocking, as exchange.
  virtual void barrier() = 0;

  /// This process has left the job in good order: its exit is no failure.
  virtual void finished() noexcept = 0;

  /// Ends the whole job with this exit status, the first caller's: its line is printed once, by
  /// the launcher where there is one. `rank` -1: of no rank in particular. With an empty text, or
  /// when the job has failed already, only leaves.
  [[noreturn]] virtual void abort(int rank, int status, std::string_view why) noexcept = 0;

  /// Ends the job as abort does, with status 1, from a process that goes on for a while: it still
  /// has something to tell that only its program knows. What it tells comes first.
  virtual void desert(int rank, std::string_view why) noexcept = 0;

  /// Whether a process died or the job was aborted; one load.
  [[nodiscard]] virtual bool failed() const noexcept = 0;

  /// Where ranks leave what they are in for one report of the whole job; null: nobody gathers it.
  [[nodiscard]] virtual observe::hang_board* hang_board() noexcept { return nullptr; }

  /// From now on the process tells there, too. Those that upwash run started itself have no need.
  virtual void tell(std::unique_ptr<launcher_board> /*at*/) noexcept {}
};

}  // namespace upwash::conduit
