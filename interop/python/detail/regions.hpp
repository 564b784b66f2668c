// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a team's members that all can reach, and where in it a transfer goes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/session.hpp"
#include "upwash/core/region.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash::python {

/// Elements of one type and shape at each member. Arrays of its memory hold `lent`.
struct region_handle {
  team_handle on;
  upwash::region memory;
  py::dtype type;
  std::vector<std::size_t> shape;
  std::size_t count = 1;
  std::shared_ptr<int> lent = std::make_shared<int>(0);

  [[nodiscard]] session& of() const { return *on.of; }
  [[nodiscard]] job& here() const {
    if (!memory) refuse("the region was freed");
    return of().here();
  }
  [[nodiscard]] std::size_t item_bytes() const { return static_cast<std::size_t>(type.itemsize()); }
};

/// Where a put or get goes at both ends. Good as long as `owner` is there.
struct transfer {
  py::object owner;               ///< the array at this rank
  std::span<std::byte> local;     ///< what it takes up, from its first element
  global_ptr<std::byte> remote;   ///< the first element of the member's
  std::optional<strided> runs{};  ///< none: one run
};

/// `values` into elements of a member's part: from `at` on, a number or one for each dimension, or
/// those that `at` selects as numpy's indices do, where slices are among them. Throws `error`
/// (argument) for another type or shape, and for what leaves the part.
[[nodiscard]] transfer put_of(const region_handle& to, int member, const py::object& values,
                              const py::object& at);
/// The same elements into `out`; where that is None into a new array, of `count` elements where
/// `at` has no slices.
[[nodiscard]] transfer get_of(const region_handle& from, int member, const py::object& out,
                              const py::object& at, const py::object& count);

/// For one element of a member's part.
[[nodiscard]] global_ptr<std::byte> place_of(const region_handle& in, int member,
                                             const py::object& at);

/// Numbers of 0 and up: one, or several.
[[nodiscard]] std::vector<std::size_t> numbers_of(const py::object& given, const char* name);

}  // namespace upwash::python
