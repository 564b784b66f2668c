// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What aggregated methods of any type share: what they ask the array, and each other.
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
  /// Local. Throws `error` (argument) in ordered arrays, and where there is one of its kind.
  aggregated_core(array_core& of, const void* which);

  [[nodiscard]] array_core& array() const noexcept { return of_; }

 protected:
  ~aggregated_core();

  /// Collective, blocking: methods find it everywhere.
  void wait_for_all() const;

  /// From the array's tables. Not known: this is its home, and it has yet to be inserted, or was
  /// removed.
  [[nodiscard]] object_place place_of(const object_key& key) const;
  /// The same; throws `error` (argument) where it was removed. `caller`: member, or -1.
  [[nodiscard]] object_place look_up(const object_key& key, int caller) const;
  /// Whether it is at that member; where not, this member hears of its place.
  void ask(int member, const object_key& key);
  /// As a handler does, which waits for nothing.
  void run_now(function_ref<void()> method) const;
  [[noreturn]] static void refuse_unopened(const array_core& of, const object_key& caller);

 private:
  array_core& of_;
};

/// `from` asks where the object is; it was not where it was thought to be so many times.
void handle_question(incoming& in, std::uint64_t array, object_key key, std::int32_t from,
                     std::uint32_t hops);

}  // namespace upwash::objects
