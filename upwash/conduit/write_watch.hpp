// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The events that core reports to a conduit that looks for conflicting writes, and that its
// endpoint does not see: the call of an operation, and the writes of owners for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::conduit {

class write_watch {
 public:
  /// Notes that the program of `rank` begins an operation: remembers the call stack, and the rank's
  /// knowledge of completions so far. Returns the operation's number, valid until `end`.
  [[nodiscard]] virtual std::uint32_t begin(int rank) = 0;
  /// Notes that the operation's completion at `target` is not reported to the rank until a question
  /// there reports it.
  virtual void is_untold(std::uint32_t operation, int target) = 0;
  /// Notes that the rank knows of the operation's completion.
  virtual void complete(std::uint32_t operation) = 0;
  /// Notes the completion of a question: all operations that this rank began to `target` before are
  /// complete.
  virtual void confirmed(std::uint32_t operation, int target) = 0;
  virtual void end(std::uint32_t operation) = 0;
  /// Assigns the injections of `rank` until `injected` to that operation: to its beginning, or to a
  /// step that follows the completion of earlier steps.
  virtual void injects(int rank, std::uint32_t operation, bool is_first_step) = 0;
  /// Assigns the injections of `rank` to its memory, not to its program. They pass on none of the
  /// program's knowledge.
  virtual void injects_for_memory(int rank) = 0;
  virtual void injected(int rank) = 0;
  /// Notes that `owner`, in the handler of a message of the memory class, wrote these bytes for
  /// `source`.
  virtual void wrote(int owner, int source, std::span<const std::byte> at) = 0;

 protected:
  ~write_watch() = default;
};

}  // namespace upwash::conduit
