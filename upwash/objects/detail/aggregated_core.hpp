// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of aggregated methods of any type: their queries to the array and to each other.
#pragma once

#include <cstdint>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/objects/detail/aggregated_keeper.hpp"
#include "upwash/objects/detail/aggregated_places.hpp"
#include "upwash/objects/detail/array_core.hpp"

namespace upwash::objects {

class aggregated_core : public place_keeper {
 public:
  /// Local. Throws `error` (argument) for ordered arrays, and if one of its kind exists.
  aggregated_core(array_core& of, const void* which);

  [[nodiscard]] array_core& array() const noexcept { return of_; }

 protected:
  ~aggregated_core();

  /// Waits until methods find this object at all members. Collective, blocking.
  void wait_for_all() const;

  /// Returns the place from the array's tables. Unknown: this is the object's home, and the object
  /// is not inserted yet or was removed.
  [[nodiscard]] object_place place_of(const object_key& key) const;
  /// The same; throws `error` (argument) if the object was removed. `caller`: member, or -1.
  [[nodiscard]] object_place look_up(const object_key& key, int caller) const;
  /// Asks the member whether it has the object. If not, this member receives the object's place.
  void ask(int member, const object_key& key);
  /// Runs a method as a handler does, without waiting.
  void run_now(function_ref<void()> method) const;
  [[noreturn]] static void refuse_unopened(const array_core& of, const object_key& caller);

 private:
  array_core& of_;
};

/// Answers `from`'s question for the object's place. `hops`: earlier wrong places.
void handle_question(incoming& in, std::uint64_t array, object_key key, std::int32_t from,
                     std::uint32_t hops);

}  // namespace upwash::objects
