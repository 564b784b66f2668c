// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The base class of the objects of an array: index, rank, migration, reductions.
#pragma once

#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_core.hpp"

namespace upwash {

namespace objects {
struct site_access;
}

template <class T>
struct object_section;

/// The place at which an object is made. The object's constructor takes it as first argument and
/// passes it to the base.
template <objects::object_index Index>
class object_site {
 private:
  friend struct objects::site_access;
  template <objects::object_index>
  friend class object;
  object_site(objects::element& at, const Index& index) : at_(&at), index_(index) {}

  objects::element* at_;
  Index index_;
};

/// Lists methods of a class. `using methods_that_wait = upwash::methods<&T::step, ...>;` inside T,
/// after the declarations of the methods, names the methods that may wait. They run on their own
/// stacks.
template <auto... Methods>
struct methods {};

/// Base of the objects of an array. T has the constructor `T(object_site<Index>, arguments...)`,
/// the constructor `T(object_site<Index>)` for arrival after a migration, and `template <class A>
/// void serialize(A&)` for its state (base/archive.hpp). The methods of an object run one at a
/// time, on the rank where the object is, in the rank's progress. They may call other objects. Only
/// the methods in T::methods_that_wait may wait; while one waits, other methods of this object and
/// of other objects run.
template <objects::object_index Index>
class object {
 public:
  using index_type = Index;
  using site = object_site<Index>;

  /// Takes the site that the array passes to the constructor of each of its objects.
  explicit object(const site& at) : self_(at.at_), index_(at.index_) {}
  object(const object&) = delete;
  object& operator=(const object&) = delete;

  [[nodiscard]] const Index& index() const noexcept { return index_; }  ///< index in the array
  /// Returns the job of the object's current rank.
  [[nodiscard]] job& here() const { return self_->of.among().here(); }
  /// Returns the object's current member of the array's team.
  [[nodiscard]] int member() const { return self_->of.among().rank(); }

  /// Moves the object to a member of the array's team when the current method ends and all waiting
  /// methods of the object have ended. Calls find the object there. `serialize` transfers the
  /// state. Call it in a method. Throws `error` (argument) for an invalid member, and outside a
  /// method.
  void migrate_to(int member) { objects::migrate(*self_, member); }
  /// Removes the object at the time at which it would otherwise migrate. Later calls of it are
  /// errors. Call it in a method. Throws `error` (argument) outside a method.
  void remove() { objects::end(*self_); }
  /// Waits until `condition()` is true; other methods of this object make it true. The condition is
  /// evaluated when one of these methods ends or waits, and must not wait. Call it in a method that
  /// may wait. Throws `error` (argument) elsewhere.
  template <class Condition>
  void wait_until(const Condition& condition) {
    objects::wait_until(*self_, [&condition] { return static_cast<bool>(condition()); });
  }

  /// Adds a value to a reduction over all objects of the array. The n-th contributions of all
  /// objects form the n-th reduction; they have the same type, `Operator` (which commutes) and
  /// target. The result goes to the target (reduction.hpp). Nonblocking; the object may migrate
  /// meanwhile.
  ///
  /// Objects made by `fill` take part. Inserted objects take part from the array's next quiet on,
  /// and throw error (argument) before. Removed objects no longer take part. Cost: one message for
  /// each member and reduction, and one for each object that has moved since the array was quiet.
  template <class Operator, class Value, class Target>
  void contribute(const Value& value, const Target& then);
  /// Adds a value to a reduction over the objects of a section to which this object belongs.
  template <class Operator, class T, class Value, class Target>
  void contribute(const object_section<T>& of, const Value& value, const Target& then);

 protected:
  ~object() = default;

 private:
  template <class, objects::object_index>
  friend class object_view;

  objects::element* self_;
  Index index_;
};

namespace objects {

struct site_access {
  template <object_index Index>
  [[nodiscard]] static object_site<Index> make(element& at, const Index& index) {
    return {at, index};
  }
};

}  // namespace objects
}  // namespace upwash
