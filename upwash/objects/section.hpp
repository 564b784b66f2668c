// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sections: some objects of an array, called together. Source: Kumar 2005, chapter 6 (section
// multicast: direct, ring and tree).
#pragma once

#include <cstdint>
#include <memory>

#include "upwash/objects/detail/method_message.hpp"

namespace upwash {

using objects::section_shape;

/// Names a section of an array. Plain: it may be an argument of messages and part of an object's
/// state. Valid until the section is dropped or the array is destroyed.
template <class T>
struct object_section {
  object_section() = default;

  std::uint64_t id = 0;
};

/// A target of `contribute` (reduction.hpp): calls `(object.*Method)(result)` of the section's
/// objects.
template <auto Method>
struct all_of {
  using message = objects::method_message<Method>;

  all_of() = default;
  /// The objects of this section.
  explicit all_of(object_section<typename message::object_type> of) : section(of.id) {}

  /// Called by the library at the rank with the result.
  template <class Value>
  void give(objects::array_core& of, const Value& result) const {
    of.sections_here().call(section, 0,
                            std::make_unique<typename message::call_of_all>(
                                objects::envelope{}, typename message::values(result)));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(section);
  }

  std::uint64_t section = 0;
};

}  // namespace upwash
