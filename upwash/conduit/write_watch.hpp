// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What core tells a conduit that looks for conflicting writes, and that its endpoint does not see:
// which call an operation comes from, and what owners write for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::conduit {

class write_watch {
 public:
  /// The program of `rank` begins an operation: remembers the calls on the stack that led here, and
  /// what the rank has been told of so far. A number for it, until `end`.
  [[nodiscard]] virtual std::uint32_t begin(int rank) = 0;
  /// Nobody tells the rank when this one is complete at `target`, until a question there does.
  virtual void is_untold(std::uint32_t operation, int target) = 0;
  /// The rank is told that it is complete.
  virtual void complete(std::uint32_t operation) = 0;
  /// The same of a question: all that this rank began to `target` before is complete.
  virtual void confirmed(std::uint32_t operation, int target) = 0;
  virtual void end(std::uint32_t operation) = 0;
  /// What `rank` injects until `injected` belongs to that operation: to its beginning, or to a step
  /// that it takes when it has heard of earlier ones.
  virtual void injects(int rank, std::uint32_t operation, bool is_first_step) = 0;
  /// Likewise it belongs to the memory of `rank`, not to its program, and tells what that knows to
  /// nobody.
  virtual void injects_for_memory(int rank) = 0;
  virtual void injected(int rank) = 0;
  /// `owner`, in the handler of a message of the memory class, wrote these bytes for `source`.
  virtual void wrote(int owner, int source, std::span<const std::byte> at) = 0;

 protected:
  ~write_watch() = default;
};

}  // namespace upwash::conduit
