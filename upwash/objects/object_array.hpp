// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of objects that are called by index, on any rank, and may migrate. Source: Kumar 2005,
// chapters 5 and 6 (message-driven objects, location managers).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/core/team.hpp"
#include "upwash/objects/detail/index_text.hpp"
#include "upwash/objects/detail/method_message.hpp"
#include "upwash/objects/index_map.hpp"
#include "upwash/objects/object.hpp"
#include "upwash/objects/object_view.hpp"
#include "upwash/objects/options.hpp"
#include "upwash/objects/reduction.hpp"
#include "upwash/objects/section.hpp"

namespace upwash {

/// Distributes objects of type T over a team; an object is found by its index. Memory:
/// objects::array_core.
///
/// @code
/// struct cell : upwash::object<int> {
///   using site = upwash::object_site<int>;
///   explicit cell(const site& at) : object(at) {}
///   template <class A> void serialize(A& archive) { archive(heat); }
///   void warm(double amount) { heat += amount; }
///   double heat = 0;
/// };
/// // ---
/// upwash::object_array<cell> cells(world);
/// cells.fill(std::vector<int>{0, 1, 2, 3});
/// cells[2].send<&cell::warm>(0.5);  // runs at the rank of object 2
/// cells.quiet();                    // every call has run
/// @endcode
template <class T, objects::object_index Index = typename T::index_type>
class object_array : private objects::index_space {
 public:
  static_assert(has_serialize<T>, "objects migrate: give T a serialize(A&) member");
  static_assert(std::is_constructible_v<T, object_site<Index>>,
                "objects arrive: give T a constructor from its site alone");

  /// Makes an empty array. `home` maps an index to its home member (index_map.hpp): by default by a
  /// hash; otherwise `in_blocks`, `round_robin`, or a function of the program. Collective over the
  /// team, blocking.
  explicit object_array(const team& among, object_options options = {},
                        index_map<Index> home = &by_hash)
      : home_(home), core_(among, *this, std::move(options)) {}

  /// Makes objects `T(site, args...)` for all these indices, each at its home. Each member iterates
  /// over all indices. Collective, blocking; cost: one barrier. The objects run broadcasts that
  /// began earlier, and take part in reductions from the last quiet on. Throws `error` (argument)
  /// if other objects have contributed to a reduction since then.
  template <class Range, class... Args>
  void fill(const Range& indices, const Args&... args) {
    const auto me = static_cast<std::size_t>(core_.among().rank());
    std::vector<std::uint32_t> at_member(static_cast<std::size_t>(core_.among().size()));
    std::vector<Index> own;
    for (const Index& index : indices) {
      const auto home = static_cast<std::size_t>(home_of(objects::object_key::of(index)));
      ++at_member[home];
      if (home == me) own.push_back(index);
    }
    core_.reduced().fill(at_member);
    for (const Index& index : own) {
      core_.insert(std::make_unique<objects::typed_element<T>>(core_, index, args...), true);
    }
    core_.filled();
  }

  /// Returns the array as its objects see it. Copies are cheap.
  [[nodiscard]] object_view<T, Index> view() { return object_view<T, Index>(core_); }
  [[nodiscard]] auto operator[](const Index& index) { return view()[index]; }
  [[nodiscard]] auto operator[](const object_section<T>& of) { return view()[of]; }
  /// Makes a section; see object_view::section.
  template <class Range>
  [[nodiscard]] object_section<T> section(const Range& indices,
                                          section_shape shape = section_shape::tree) {
    return view().section(indices, shape);
  }
  void drop(const object_section<T>& of) { view().drop(of); }  ///< see object_view::drop

  /// Binds a strategy, by which calls can then travel: `view().with(id)`. Each call site of a
  /// program may have its own. Collective, blocking: waits until the array is quiet (a fence).
  [[nodiscard]] strategy_id bind(std::unique_ptr<strategy> by,
                                 call_places places = call_places::at_fence,
                                 call_site site = call_site::current()) {
    return core_.delegated().bind(std::move(by), places, site);
  }
  [[nodiscard]] auto with(strategy_id by) { return view().with(by); }  ///< see object_view::with
  /// Calls the method of every object; see object_view::broadcast.
  template <auto Method, class... Args>
  void broadcast(Args&&... args) {
    view().template broadcast<Method>(std::forward<Args>(args)...);
  }
  /// Makes a new object; see object_view::insert.
  template <class... Args>
  void insert(const Index& index, const Args&... args) {
    view().insert(index, args...);
  }

  /// Waits until no call, object or insertion of this array is in transit and no method of it is
  /// waiting to run. Runs methods meanwhile. Other arrays with methods that call this one must be
  /// quiet first. Collective, blocking. Cost: quiescence::wait and a barrier after it.
  void quiet(call_site site = call_site::current()) { core_.quiet(site); }

  /// Returns the name of this array. It is plain, the same at all members, and may be kept in
  /// objects of other arrays.
  [[nodiscard]] array_id<T> id() const noexcept {
    array_id<T> made;
    made.name = core_.name();
    return made;
  }

  /// Moves objects as the strategy decides from the measurements since the previous balancing, and
  /// restarts the measurements. `by`: the strategy of member 0 is used; it needs memory for all
  /// objects and their call graph. `mine`: each member's own data. Collective, blocking; the array
  /// becomes quiet before and after. Throws the same `error` at all members, without moving
  /// objects, if the strategy throws, names an invalid member (argument), or a member's share is
  /// not positive.
  balancing::result balance(const balancing::strategy& by, const balancing::share& mine = {},
                            call_site site = call_site::current()) {
    return core_.balance(by, mine, site);
  }

  /// Writes all objects to files: `path`, which names the other files, and one file of each member
  /// next to it (path.NUMBER.MEMBER). A previous checkpoint at `path` stays complete until the new
  /// one is on the disk, and is then removed. Collective, blocking: the array becomes quiet, then
  /// the disk limits the time. Throws the same `error` at all members if one of them fails, or if
  /// `path` is not a checkpoint.
  checkpoint_result save(const std::string& path, const checkpoint_options& options = {},
                         call_site site = call_site::current()) {
    return core_.save(path, options, site);
  }
  /// Reads a checkpoint into an array that never had objects, on any number of members. Verifies
  /// all data before it makes an object. Collective, blocking. Throws the same `error` at all
  /// members if one of them fails; the array then has no objects.
  checkpoint_result load(const std::string& path, const checkpoint_options& options = {},
                         call_site site = call_site::current()) {
    return core_.load(path, options, {}, site);
  }

  /// Calls `each(T&)` for every object on this rank, in no order. Local; no method runs meanwhile.
  /// `each` may call objects, but must not wait.
  template <class Each>
  void for_each_here(const Each& each) {
    core_.for_each([&](objects::element& one) { each(objects::value_of<T>(one)); });
  }
  /// Returns the number of objects on this rank.
  [[nodiscard]] std::size_t size_here() const noexcept { return core_.size_here(); }
  /// Returns the object of that index if it is on this rank, otherwise nullptr. The pointer is
  /// valid until this rank waits or sends.
  [[nodiscard]] T* find(const Index& index) {
    objects::element* const one = core_.find(objects::object_key::of(index));
    return one == nullptr ? nullptr : &objects::value_of<T>(*one);
  }
  /// Returns the team of the array.
  [[nodiscard]] const team& members() const noexcept { return core_.among(); }
  /// Forbids migration: objects that migrate are errors (argument) from now on. Local.
  void stay() noexcept { core_.stay(); }

  /// Returns the home by a hash of the index, the default map.
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
  [[nodiscard]] std::size_t index_bytes() const override { return sizeof(Index); }
  [[nodiscard]] std::unique_ptr<objects::element> make(
      objects::array_core& of, const objects::object_key& key,
      std::span<const std::byte> state) const override {
    return objects::element_of<T>(of, key.template as<Index>(), state);
  }

  index_map<Index> home_;
  objects::array_core core_;
};

/// Waits until nothing is in progress in any of these arrays, with methods that may call each
/// other; then each array is quiet. The arrays have the same team. Collective, blocking. Cost: at
/// least two waves for each array and an all-reduce, repeated while calls travel between them.
template <class... Arrays>
void quiet_together(Arrays&... all) {
  static_assert(sizeof...(all) > 0);
  objects::array_core* const cores[] = {&all.view().core()...};
  objects::array_core::quiet_together(cores, call_site::current());
}

}  // namespace upwash
