// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What objects contribute to a reduction, without its type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upwash {
class job;
}

namespace upwash::objects {

class array_core;

/// What travels with a contribution.
struct contribution_head {
  std::uint64_t array = 0;
  std::uint64_t section = 0;  ///< 0: all objects of the array
  std::uint64_t number = 0;   ///< of the reduction, from 1
  std::int32_t child = -1;    ///< member whose part of the tree this is; -1: of one object
};

class contribution {
 public:
  contribution() = default;
  virtual ~contribution() = default;
  contribution(const contribution&) = delete;
  contribution& operator=(const contribution&) = delete;

  /// Throws `error` (argument) where the other is of another operator, type or target.
  virtual void add(contribution& other) = 0;
  virtual void send(job& here, int rank, const contribution_head& head) = 0;
  /// To its target: the result of the reduction of that number.
  virtual void give(array_core& of, std::uint64_t number) = 0;
};

[[noreturn]] void refuse_lengths(std::size_t one, std::size_t other);
[[noreturn]] void refuse_kinds();

}  // namespace upwash::objects
