// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of objects that are called by index, wherever they are, and migrate. Source: Kumar 2005,
// chapters 5 and 6 (message-driven objects, location managers).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "upwash/core/team.hpp"
#include "upwash/objects/detail/index_text.hpp"
#include "upwash/objects/detail/method_message.hpp"
#include "upwash/objects/object.hpp"

namespace upwash {

struct object_options {
  std::string name = "objects";  ///< in errors and reports
  /// Calls of one caller (an object of the array, or a rank) to one object run in the order in
  /// which they were made, whatever migrates. Else those of equal priority do while the object
  /// stays.
  bool ordered = false;
};

/// An array as an object or a rank sees it: who can call. Valid while the array is.
template <class T, objects::object_index Index = typename T::index_type>
class object_view {
 public:
  explicit object_view(objects::array_core& of) : of_(&of) {}
  /// The array that an object is of, in its methods.
  explicit object_view(const T& one) : of_(&one.self_->of) {}

  /// One object of it.
  class place {
   public:
    place(objects::array_core& of, const Index& index)
        : of_(&of), key_(objects::object_key::of(index)) {}

    /// `(object.*Method)(args...)` runs where the object is, some time later: nonblocking, also in
    /// methods and handlers. Arguments are copied; to an object on this rank they are not
    /// serialized. `priority`, of 16 bits: the lower the sooner among what waits there. Each call
    /// runs once. One message where the object is known to be, one more for each detour.
    template <auto Method, class... Args>
    void send(Args&&... args) const {
      send_first<Method>(0, std::forward<Args>(args)...);
    }
    template <auto Method, class... Args>
    void send_first(int priority, Args&&... args) const {
      using message = objects::method_message<Method>;
      static_assert(std::is_same_v<typename message::object_type, T>, "a method of these objects");
      of_->call(std::make_unique<typename message::call>(
          of_->begin_call(key_, priority), key_,
          typename message::values(std::forward<Args>(args)...)));
    }

   private:
    objects::array_core* of_;
    objects::object_key key_;
  };

  [[nodiscard]] place operator[](const Index& index) const { return {*of_, index}; }

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
  objects::array_core* of_;
};

/// Objects of type T, found by an index. Memory: objects::array_core.
template <class T, objects::object_index Index = typename T::index_type>
class object_array : private objects::index_space {
 public:
  static_assert(has_serialize<T>, "objects migrate: give T a serialize(A&) member");
  static_assert(std::is_constructible_v<T, object_site<Index>>,
                "objects arrive: give T a constructor from its site alone");

  /// The home of an index, a member of a team of that size; the same at all members.
  using map = int (*)(const Index& index, int members);

  /// Collective over the team, blocking. Empty at first. `home`: by default by a hash of the index.
  explicit object_array(const team& among, object_options options = {}, map home = &by_hash)
      : home_(home), core_(among, *this, std::move(options.name), options.ordered) {}

  /// Objects `T(site, args...)` for all these indices, each at its home. Collective, local: no
  /// messages; each member goes through all. They run the broadcasts that others have begun
  /// already.
  template <class Range, class... Args>
  void fill(const Range& indices, const Args&... args) {
    for (const Index& index : indices) {
      if (home_of(objects::object_key::of(index)) != core_.among().rank()) continue;
      core_.insert(std::make_unique<objects::typed_element<T>>(core_, index, args...));
    }
  }

  [[nodiscard]] object_view<T, Index> view() { return object_view<T, Index>(core_); }
  [[nodiscard]] auto operator[](const Index& index) { return view()[index]; }
  template <auto Method, class... Args>
  void broadcast(Args&&... args) {
    view().template broadcast<Method>(std::forward<Args>(args)...);
  }
  template <class... Args>
  void insert(const Index& index, const Args&... args) {
    view().insert(index, args...);
  }

  /// Until no call, object or insertion of this array is under way and no method of it has anything
  /// left to run. Other arrays whose methods call this one are quiet first. Collective, blocking:
  /// runs methods meanwhile. A barrier behind quiescence::wait.
  void quiet(call_site site = call_site::current()) { core_.quiet(site); }

  /// `each(T&)` for the objects that are on this rank, in no order. Local; no method runs
  /// meanwhile, so `each` may call objects, but waits for none.
  template <class Each>
  void for_each_here(const Each& each) {
    core_.for_each([&](objects::element& one) { each(objects::value_of<T>(one)); });
  }
  [[nodiscard]] std::size_t size_here() const noexcept { return core_.size_here(); }

  [[nodiscard]] static int by_hash(const Index& index, int members) {
    return static_cast<int>(objects::object_key::of(index).hash() %
                            static_cast<std::uint64_t>(members));
  }

 private:
  [[nodiscard]] int home_of(const objects::object_key& key) const override {
    const int members = core_.among().size();
    const int home = home_(key.template as<Index>(), members);
    if (home >= 0 && home < members) return home;
    objects::refuse_home(core_.naming(key), home, members);
  }
  [[nodiscard]] std::string text_of(const objects::object_key& key) const override {
    return objects::index_text(key.template as<Index>());
  }

  map home_;
  objects::array_core core_;
};

}  // namespace upwash
