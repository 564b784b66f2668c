// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls an array's objects, from other objects and from ranks.
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

/// Names an array of objects T. Plain: it may be an argument of messages and part of an object's
/// state.
template <class T>
struct array_id {
  array_id() = default;

  std::uint64_t name = 0;
};

/// Gives access to an array, from an object or a rank. Valid as long as the array.
template <class T, objects::object_index Index = typename T::index_type>
class object_view {
 public:
  /// Views an array of this rank; for layers.
  explicit object_view(objects::array_core& of) : of_(&of) {}
  /// Views the array of an object, in the object's methods.
  explicit object_view(const T& one) : of_(&one.self_->of) {}
  /// Views any array on this rank, also in methods of other arrays. Throws `error` (fault) if the
  /// array is not on this rank or no longer exists.
  object_view(job& here, array_id<T> of)
      : of_(&here.service<objects::object_service>().find(of.name)) {}
  /// Returns the core of the array; for layers.
  [[nodiscard]] objects::array_core& core() const noexcept { return *of_; }

  /// One object of the array.
  class place {
   public:
    /// Made by `operator[]`.
    place(objects::array_core& of, const Index& index)
        : of_(&of), key_(objects::object_key::of(index)) {}

    /// Runs `(object.*Method)(args...)` at the object's rank some time later. Nonblocking, also in
    /// methods and handlers. Arguments are copied; of a `std::span<const V>` the elements are
    /// copied. They are not serialized for an object on this rank. Each call runs once. Cost: one
    /// message if the object's rank is known, and one more for each detour.
    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    /// `send` with a priority of 16 bits: a lower value runs earlier among the waiting calls;
    /// `when_idle` runs after all others.
    template <auto Method, class... Args>
    void send_first(int priority, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
      message::send(*of_, key_, priority, typename message::values(std::forward<Args>(args)...));
    }
    /// Makes the same call after `time` has passed here (virtual time on sim), on this rank even if
    /// the caller migrates meanwhile. It has no order with other calls. The array is not quiet
    /// before the call has run.
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

    /// Runs `(object.*Method)(args...)` once at each object of the section, on any rank.
    /// Nonblocking. Calls of a section by one rank or object reach each object in order, as long as
    /// the object stays, and always in ordered arrays. Cost: one message to the root of the
    /// section, one to each of its members, and one for each object that has left its member since
    /// the array was quiet.
    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    /// `send` with a priority.
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

  /// Makes a section of some objects. Nonblocking and not collective: the maker may pass the
  /// section to others. A removed object is not called any more, and reductions continue without
  /// it. Cost: one message to each member that is home of an object. Memory: 32 bytes for each
  /// object at the root, and as much at the object's member. Throws `error` (argument) if an index
  /// occurs twice.
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
  /// Returns a view of the same objects with calls through a strategy (strategies.hpp) that the
  /// array is bound to.
  [[nodiscard]] delegated with(strategy_id by) const { return {*of_, by}; }

  /// Ends a section, after the calls made here before. Nonblocking. No reduction of the section may
  /// be in progress.
  void drop(const object_section<T>& of) const { of_->sections_here().drop(of.id); }

  /// Runs `(object.*Method)(args...)` once at every object of the array, also at objects that
  /// migrate meanwhile. Broadcasts run in one order, the same at all objects. Nonblocking. Cost:
  /// one message to member 0 and one to each member, down a binomial tree.
  template <auto Method, class... Args>
  void broadcast(Args&&... args) const {
    using message = objects::method_message<Method>;
    static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
    of_->broadcast(std::make_unique<typename message::call_of_all>(
        objects::envelope{}, typename message::values(std::forward<Args>(args)...)));
  }

  /// Makes a new object, `T(site, args...)`, at the home of the index. Nonblocking. Calls that
  /// arrive earlier wait for the object; if an object of that index was removed, they are errors.
  /// The job ends with `error` (argument) if the object exists, and in ordered arrays also if it
  /// existed before.
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

/// Calls through a strategy: `all.with(by)[index].send<&T::m>(...)`. With a bracketed strategy each
/// object of the array calls `begin` and `end`, equally often between two fences, and makes its
/// calls between them. Calls of objects on this rank are made directly and do not wait for the end.
/// A call through a strategy has no order with other calls.
template <class T, objects::object_index Index>
class object_view<T, Index>::delegated {
 public:
  /// Made by `with`.
  delegated(objects::array_core& of, strategy_id by) : of_(&of), by_(by) {}

  /// Begins the object's calls of this bracket. Call it in a method. Throws `error` (argument)
  /// outside a method, if called twice, or if the strategy is not bracketed.
  void begin() const { of_->delegated().begin(by_); }
  /// Ends the object's calls of this bracket. Throws as `begin`.
  void end() const { of_->delegated().end(by_); }

  /// Returns an object of this array.
  [[nodiscard]] auto operator[](const Index& index) const {
    return place<T, Index>(*of_, by_, *of_, index);
  }
  /// Returns an object of another array on ranks of this one's team.
  template <class U, objects::object_index Other>
  [[nodiscard]] auto to(const object_view<U, Other>& array, const Other& index) const {
    return place<U, Other>(*of_, by_, array.core(), index);
  }

  /// Returns a section of this array. Its calls bypass the strategy if the section was not made on
  /// this rank before the last quiet.
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
