// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process asks of the library by which its launcher knows it: MPI's, or PMIx. A plugin
// implements it and links with that library and with nothing of upwash: headers only, and nothing
// throws.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upwash::conduit::foreign {

/// How far something is that goes on while others come.
enum class progress { done, under_way, failed };

/// One for each process. Its ranks are the library's.
class foreign_engine {
 public:
  virtual ~foreign_engine() = default;

  /// For messages: "MPI".
  [[nodiscard]] virtual std::string_view title() const noexcept = 0;
  /// As the library names itself: "Open MPI v4.1.4".
  [[nodiscard]] virtual std::string version() const = 0;

  /// Joins the job. May block until all processes are there. False on failure, and why; no other
  /// method below may be called before.
  [[nodiscard]] virtual bool enter(std::string& why) noexcept = 0;
  /// What it calls then, for messages: "MPI_Init".
  [[nodiscard]] virtual std::string_view entering() const noexcept = 0;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// Starts to gather the blobs of all ranks, of equal size, in all: that of rank r lands at
  /// r * mine.size(). Collective, one at a time; the spans are the engine's until it is over.
  virtual void begin_gather(std::span<const std::byte> mine, std::span<std::byte> all) noexcept = 0;
  /// Moves it on. Not blocking.
  [[nodiscard]] virtual progress advance_gather(std::string& why) noexcept = 0;
  /// Whose blobs have not come, as far as this rank knows.
  [[nodiscard]] virtual std::vector<int> missing() const = 0;

  /// Ends the job.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

  /// `what(argument)` is called when the process exits, behind all that its program does then.
  virtual void at_end(void (*what)(void* argument), void* argument) noexcept = 0;

  /// Leaves the job in good order. Collective, may block. The last call.
  virtual void leave() noexcept = 0;
};

}  // namespace upwash::conduit::foreign
