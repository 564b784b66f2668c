// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an object of an array knows of itself.
#pragma once

#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_core.hpp"

namespace upwash {

namespace objects {
struct site_access;
}

template <class T>
struct object_section;

/// Where an object is made: its constructor takes it first, and hands it to its base.
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

/// Methods of a class of objects: `using methods_that_wait = upwash::methods<&T::step, ...>;`
/// inside T, behind their declarations, says which may wait. They run on stacks of their own.
template <auto... Methods>
struct methods {};

/// Base of the objects of an array. T is made by `T(object_site<Index>, arguments...)`, by
/// `T(object_site<Index>)` where it arrives, and has `template <class A> void serialize(A&)` for
/// its state (base/archive.hpp). Its methods run one at a time on the rank where it is, in the
/// rank's progress; they may call other objects, and wait for nothing but where T says so. While
/// one waits, others of this object and of others run.
template <objects::object_index Index>
class object {
 public:
  using index_type = Index;
  using site = object_site<Index>;

  /// What the array hands to the constructor of each of its objects.
  explicit object(const site& at) : self_(at.at_), index_(at.index_) {}
  object(const object&) = delete;
  object& operator=(const object&) = delete;

  [[nodiscard]] const Index& index() const noexcept { return index_; }  ///< its own
  /// The job of the rank where it is.
  [[nodiscard]] job& here() const { return self_->of.among().here(); }
  /// Of the array's team, where this object is.
  [[nodiscard]] int member() const { return self_->of.among().rank(); }

  /// In a method: moves to a member of the array's team when the method is over, and all others of
  /// this object that have begun and wait. Calls find it there. The state travels as `serialize`
  /// says. Throws `error` (argument) for no member, and outside a method.
  void migrate_to(int member) { objects::migrate(*self_, member); }
  /// In a method: the object ends when it would move. Calls of it are errors from then on.
  /// Throws `error` (argument) outside a method.
  void remove() { objects::end(*self_); }
  /// In a method that may wait: until `condition()`, which other methods of this object make true.
  /// It is asked for when one of them is over or waits itself, and must not wait. Throws `error`
  /// (argument) elsewhere.
  template <class Condition>
  void wait_until(const Condition& condition) {
    objects::wait_until(*self_, [&condition] { return static_cast<bool>(condition()); });
  }

  /// Adds to a reduction over all objects of the array: the n-th contributions of all are the n-th
  /// reduction, and have one type, `Operator` (which commutes) and target. Its result goes to the
  /// target (reduction.hpp). Nonblocking; the object may migrate meanwhile. Objects that `fill`
  /// made take part, those that were inserted from the array's next quiet on (error (argument)
  /// before), and those that ended do no more. One message a member and reduction, and one for each
  /// object that has moved since the array was quiet.
  template <class Operator, class Value, class Target>
  void contribute(const Value& value, const Target& then);
  /// The same over the objects of a section, of which this is one.
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
