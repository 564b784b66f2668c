// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of objects that are called by index, wherever they are, and migrate. Source: Kumar 2005,
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

/// Objects of type T, found by an index. Memory: objects::array_core.
template <class T, objects::object_index Index = typename T::index_type>
class object_array : private objects::index_space {
 public:
  static_assert(has_serialize<T>, "objects migrate: give T a serialize(A&) member");
  static_assert(std::is_constructible_v<T, object_site<Index>>,
                "objects arrive: give T a constructor from its site alone");

  /// Collective over the team, blocking. Empty at first. `home`: of an index (index_map.hpp), by
  /// default by a hash; `in_blocks`, `round_robin`, or a function of the program's.
  explicit object_array(const team& among, object_options options = {},
                        index_map<Index> home = &by_hash)
      : home_(home), core_(among, *this, std::move(options)) {}

  /// Objects `T(site, args...)` for all these indices, each at its home. Collective, blocking: each
  /// member goes through all; one barrier. They run the broadcasts that others have begun already,
  /// and take part in reductions from the last quiet on: throws `error` (argument) where other
  /// objects have done any since.
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

  /// The array as its objects see it. Copies are cheap.
  [[nodiscard]] object_view<T, Index> view() { return object_view<T, Index>(core_); }
  [[nodiscard]] auto operator[](const Index& index) { return view()[index]; }
  [[nodiscard]] auto operator[](const object_section<T>& of) { return view()[of]; }
  /// As object_view::section.
  template <class Range>
  [[nodiscard]] object_section<T> section(const Range& indices,
                                          section_shape shape = section_shape::tree) {
    return view().section(indices, shape);
  }
  void drop(const object_section<T>& of) { view().drop(of); }  ///< as object_view::drop

  /// From now on calls can go by the strategy: `view().with(id)`. Each call site of a program may
  /// have one of its own. Collective, blocking: the array is quiet meanwhile (a fence).
  [[nodiscard]] strategy_id bind(std::unique_ptr<strategy> by,
                                 call_places places = call_places::at_fence,
                                 call_site site = call_site::current()) {
    return core_.delegated().bind(std::move(by), places, site);
  }
  [[nodiscard]] auto with(strategy_id by) { return view().with(by); }  ///< as object_view::with
  /// As object_view::broadcast.
  template <auto Method, class... Args>
  void broadcast(Args&&... args) {
    view().template broadcast<Method>(std::forward<Args>(args)...);
  }
  /// As object_view::insert.
  template <class... Args>
  void insert(const Index& index, const Args&... args) {
    view().insert(index, args...);
  }

  /// Until no call, object or insertion of this array is under way and no method of it has anything
  /// left to run. Other arrays whose methods call this one are quiet first. Collective, blocking:
  /// runs methods meanwhile. A barrier behind quiescence::wait.
  void quiet(call_site site = call_site::current()) { core_.quiet(site); }

  /// Names this array: plain, the same at all members, to be kept in objects of other arrays.
  [[nodiscard]] array_id<T> id() const noexcept {
    array_id<T> made;
    made.name = core_.name();
    return made;
  }

  /// Moves objects as the strategy says of what was measured since the last time, and measures
  /// anew. Collective, blocking: as `quiet`, before and behind. The strategy is that of member 0,
  /// which takes memory for all objects and for who called whom; `mine` is each member's own.
  /// Throws the same `error` at all members, and nothing moves, where the strategy throws or names
  /// no member (argument), or a member's share is not positive.
  balancing::result balance(const balancing::strategy& by, const balancing::share& mine = {},
                            call_site site = call_site::current()) {
    return core_.balance(by, mine, site);
  }

  /// Writes all objects to files: `path`, which names the others, and one of each member beside it
  /// (path.NUMBER.MEMBER). What was at `path` stays whole until all is on the disk, and is then
  /// removed. Collective, blocking: as `quiet`, then by disk. Throws the same `error` at all
  /// members where one of them fails, or at `path` is what is no checkpoint.
  checkpoint_result save(const std::string& path, const checkpoint_options& options = {},
                         call_site site = call_site::current()) {
    return core_.save(path, options, site);
  }
  /// Reads them into an array that never had objects, on any number of members. Collective,
  /// blocking. All is verified before an object is made. Throws the same `error` at all members
  /// where one of them fails; the array has no objects then.
  checkpoint_result load(const std::string& path, const checkpoint_options& options = {},
                         call_site site = call_site::current()) {
    return core_.load(path, options, {}, site);
  }

  /// `each(T&)` for the objects that are on this rank, in no order. Local; no method runs
  /// meanwhile, so `each` may call objects, but waits for none.
  template <class Each>
  void for_each_here(const Each& each) {
    core_.for_each([&](objects::element& one) { each(objects::value_of<T>(one)); });
  }
  /// How many objects are on this rank.
  [[nodiscard]] std::size_t size_here() const noexcept { return core_.size_here(); }
  /// The object of that index if it is here; else nullptr. Until this rank waits or sends.
  [[nodiscard]] T* find(const Index& index) {
    objects::element* const one = core_.find(objects::object_key::of(index));
    return one == nullptr ? nullptr : &objects::value_of<T>(*one);
  }
  /// The team that the array is on.
  [[nodiscard]] const team& members() const noexcept { return core_.among(); }
  /// From now on objects that migrate are errors (argument). Local.
  void stay() noexcept { core_.stay(); }

  /// Homes by a hash of the index: what an array without another map has.
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

/// Until nothing is under way in any of these arrays, whose methods may call each other; then each
/// is quiet. Collective over their team, which is the same, blocking. Two waves at least for each
/// array, and an all-reduce, as often as calls go between them.
template <class... Arrays>
void quiet_together(Arrays&... all) {
  static_assert(sizeof...(all) > 0);
  objects::array_core* const cores[] = {&all.view().core()...};
  objects::array_core::quiet_together(cores, call_site::current());
}

}  // namespace upwash
