// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A contribution of objects to a reduction, without its type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upwash {
class job;
}

namespace upwash::objects {

class array_core;

/// The fields sent with a contribution.
struct contribution_head {
  std::uint64_t array = 0;
  std::uint64_t section = 0;  ///< 0: all objects of the array
  std::uint64_t number = 0;   ///< of the reduction, from 1
  std::int32_t child = -1;    ///< member with this part of the tree; -1: of one object
};

class contribution {
 public:
  contribution() = default;
  virtual ~contribution() = default;
  contribution(const contribution&) = delete;
  contribution& operator=(const contribution&) = delete;

  /// Throws `error` (argument) if the other has a different operator, type or target.
  virtual void add(contribution& other) = 0;
  virtual void send(job& here, int rank, const contribution_head& head) = 0;
  /// Passes the result of reduction `number` to its target.
  virtual void give(array_core& of, std::uint64_t number) = 0;
};

[[noreturn]] void refuse_lengths(std::size_t one, std::size_t other);
[[noreturn]] void refuse_kinds();

}  // namespace upwash::objects
