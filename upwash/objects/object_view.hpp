// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of an array's objects, from objects and from ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/objects/detail/method_message.hpp"
#include "upwash/objects/object.hpp"
#include "upwash/objects/section.hpp"

namespace upwash {

namespace objects {
struct core_access;
}

/// Names an array of objects T; plain, so it travels in arguments and states of objects.
template <class T>
struct array_id {
  array_id() = default;

  std::uint64_t name = 0;
};

/// An array as an object or a rank sees it: who can call. Valid while the array is.
template <class T, objects::object_index Index = typename T::index_type>
class object_view {
 public:
  /// Of an array of this rank, for layers.
  explicit object_view(objects::array_core& of) : of_(&of) {}
  /// The array that an object is of, in its methods.
  explicit object_view(const T& one) : of_(&one.self_->of) {}
  /// Any array that is on this rank, also in methods of other arrays. Throws `error` (fault) for
  /// one that is not, or no more.
  object_view(job& here, array_id<T> of)
      : of_(&here.service<objects::object_service>().find(of.name)) {}
  /// For layers.
  [[nodiscard]] objects::array_core& core() const noexcept { return *of_; }

  /// One object of it.
  class place {
   public:
    /// Made by `operator[]`.
    place(objects::array_core& of, const Index& index)
        : of_(&of), key_(objects::object_key::of(index)) {}

    /// `(object.*Method)(args...)` runs where the object is, some time later: nonblocking, also in
    /// methods and handlers. Arguments are copied, of `std::span<const V>` the elements; to an
    /// object on this rank they are not serialized. `priority`, of 16 bits: the lower the sooner
    /// among what waits there, `when_idle` behind all else. Each call runs once. One message where
    /// the object is known to be, one more for each detour.
    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    /// As `send`, by priority.
    template <auto Method, class... Args>
    void send_first(int priority, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
      message::send(*of_, key_, priority, typename message::values(std::forward<Args>(args)...));
    }
    /// The same call, made when `time` has passed here (virtual time on sim), on this rank even if
    /// the caller migrates meanwhile. In no order with others. The array is not quiet before.
    template <auto Method, class... Args>
    void send_after(duration time, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
      of_->call_after(time, std::make_unique<typename message::call>(
                                of_->begin_call_of_rank(key_, 0, false), key_,
                                typename message::values(std::forward<Args>(args)...)));
    }

   private:
    objects::array_core* of_;
    objects::object_key key_;
  };

  [[nodiscard]] place operator[](const Index& index) const { return {*of_, index}; }

  /// The objects of a section.
  class members {
   public:
    /// Made by `operator[]`.
    members(objects::array_core& of, std::uint64_t id) : of_(&of), id_(id) {}

    /// `(object.*Method)(args...)` for each, once, wherever it is. Nonblocking. Calls of a section
    /// that one rank or object makes come to each object in their order, while the object stays and
    /// in ordered arrays. A message to the root of the section, one to each of its members, and one
    /// for each object that has left its member since the array was quiet.
    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    /// As `send`, by priority.
    template <auto Method, class... Args>
    void send_first(int priority, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
      of_->sections_here().call(
          id_, priority,
          std::make_unique<typename message::call_of_all>(
              objects::envelope{}, typename message::values(std::forward<Args>(args)...)));
    }

   private:
    objects::array_core* of_;
    std::uint64_t id_;
  };
  [[nodiscard]] members operator[](const object_section<T>& of) const { return {*of_, of.id}; }

  /// Some objects as one. Nonblocking; not collective: the one that makes it may hand it to others.
  /// An object that ends is called no more, and reductions go on without it. Throws `error`
  /// (argument) for an index that is there twice. A message to each member that is home of any.
  /// Memory: 32 bytes an object at the root, and as many where it is.
  template <class Range>
  [[nodiscard]] object_section<T> section(const Range& indices,
                                          section_shape shape = section_shape::tree) const {
    std::vector<objects::object_key> keys;
    for (const Index& index : indices) keys.push_back(objects::object_key::of(index));
    object_section<T> made;
    made.id = of_->sections_here().make(keys, shape);
    return made;
  }
  class delegated;
  /// The same objects, called by a strategy (strategies.hpp) that the array is bound to.
  [[nodiscard]] delegated with(strategy_id by) const { return {*of_, by}; }

  /// Its end, behind the calls that were made here before. Nonblocking. No reduction of it is under
  /// way.
  void drop(const object_section<T>& of) const { of_->sections_here().drop(of.id); }

  /// `(object.*Method)(args...)` for every object of the array, once each, also for those that
  /// migrate meanwhile. Broadcasts run in one order, the same at all objects. Nonblocking. A
  /// message to member 0 and one to each member, down a binomial tree.
  template <auto Method, class... Args>
  void broadcast(Args&&... args) const {
    using message = objects::method_message<Method>;
    static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
    of_->broadcast(std::make_unique<typename message::call_of_all>(
        objects::envelope{}, typename message::values(std::forward<Args>(args)...)));
  }

  /// A new object, `T(site, args...)`, at the home of the index. Nonblocking; calls that come
  /// before it wait for it, but where an object of that index was removed they are errors. The job
  /// ends with `error` (argument) where there is one, and in ordered arrays where there was one.
  template <class... Args>
  void insert(const Index& index, const Args&... args) const {
    const team& among = of_->among();
    const int home = of_->home_of(objects::object_key::of(index));
    if (home == among.rank()) {
      return of_->insert(std::make_unique<objects::typed_element<T>>(*of_, index, args...));
    }
    of_->created();
    send<&objects::insert_message<T, std::decay_t<Args>...>::arrive>(
        among.here(), among.world_rank(home), of_->name(), index, args...);
  }

 private:
  friend struct objects::core_access;

  objects::array_core* of_;
};

/// Calls go by a strategy: `all.with(by)[index].send<&T::m>(...)`. One that is bracketed wants each
/// object of the array to say `begin` and `end`, as often as the others between two fences, and
/// takes its calls between them only. Calls to objects on this rank do not travel, nor wait for the
/// end. A call that is on its way by a strategy is not ordered with others.
template <class T, objects::object_index Index>
class object_view<T, Index>::delegated {
 public:
  /// Made by `with`.
  delegated(objects::array_core& of, strategy_id by) : of_(&of), by_(by) {}

  /// In a method: the object's calls of this bracket begin, or are all made. Throw `error`
  /// (argument) elsewhere, twice, or of a strategy that is not bracketed.
  void begin() const { of_->delegated().begin(by_); }
  /// The other end of `begin`.
  void end() const { of_->delegated().end(by_); }

  /// An object of this array, or of another on ranks of this one's team.
  [[nodiscard]] auto operator[](const Index& index) const {
    return place<T, Index>(*of_, by_, *of_, index);
  }
  /// An object of another array, on ranks of this one's team.
  template <class U, objects::object_index Other>
  [[nodiscard]] auto to(const object_view<U, Other>& array, const Other& index) const {
    return place<U, Other>(*of_, by_, array.core(), index);
  }

  /// A section of this array. Where it was not made on this rank before the last quiet its calls
  /// go their own way.
  [[nodiscard]] auto operator[](const object_section<T>& all) const {
    return members{*of_, by_, all.id};
  }

 private:
  template <class U, objects::object_index Other>
  class place {
   public:
    place(objects::array_core& of, strategy_id by, objects::array_core& array, const Other& index)
        : of_(&of), by_(by), array_(&array), key_(objects::object_key::of(index)) {}

    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    template <auto Method, class... Args>
    void send_first(int priority, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, U>, "a method of these objects");
      of_->delegated().call(by_, *array_,
                            std::make_unique<typename message::call>(
                                array_->begin_call(key_, priority, false), key_,
                                typename message::values(std::forward<Args>(args)...)));
    }

   private:
    objects::array_core* of_;
    strategy_id by_;
    objects::array_core* array_;
    objects::object_key key_;
  };

  struct members {
    objects::array_core& of;
    strategy_id by;
    std::uint64_t id;

    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    template <auto Method, class... Args>
    void send_first(int priority, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
      of.delegated().call_section(
          by, id, priority,
          std::make_unique<typename message::call_of_all>(
              objects::envelope{}, typename message::values(std::forward<Args>(args)...)));
    }
  };

  objects::array_core* of_;
  strategy_id by_;
};

}  // namespace upwash
