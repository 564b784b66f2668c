// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups have one object on each rank or on each node. Source: Kumar 2005, chapter 5 (groups, node
// groups).
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upwash/objects/object_array.hpp"

namespace upwash {

struct group_options {
  std::string name = "group";  ///< in errors and reports
  /// Process, socket or node: one object at the first member of each. Otherwise one at every
  /// member.
  std::optional<level> one_per = std::nullopt;
};

/// A saved group (`group->save(path)`).
struct saved_group {
  std::string path;
  checkpoint_options options = {};  ///< `to_old_members` has no effect
};

/// An array of one object for each member or node. The objects stay at their members: migration is
/// an error (argument). The index is the object's member. Otherwise it behaves as an array.
template <class T>
class object_group {
 public:
  static_assert(std::is_same_v<typename T::index_type, int>, "the index is the member");

  /// Makes `T(site, args...)` at each member or node. Collective over the team, blocking. Cost: an
  /// all-gather if not every member has an object.
  template <class... Args>
  explicit object_group(const team& among, const group_options& options = {}, const Args&... args)
      : mine_(among.rank()), all_(among, {.name = options.name}, &at_member) {
    all_.fill(objects::first_members(among, options.one_per, mine_), args...);
    all_.stay();
  }

  /// Loads a saved group on the same number of members or nodes, with any number of ranks. The k-th
  /// object goes to the k-th member or node and has that index. Collective, blocking. Throws the
  /// same `error` at all members as object_array::load, and (configuration) if the number of
  /// members or nodes differs.
  object_group(const team& among, const group_options& options, const saved_group& saved)
      : mine_(among.rank()), all_(among, {.name = options.name}, &at_member) {
    const std::vector<int> places = objects::first_members(among, options.one_per, mine_);
    all_.view().core().load(saved.path, saved.options, places, call_site::current());
    all_.stay();
  }

  /// Returns the index of the object of this rank or of its node.
  [[nodiscard]] int index_of_mine() const noexcept { return mine_; }
  /// Returns the object on this rank, or nullptr. Methods run only while this rank waits or sends.
  [[nodiscard]] T* here() { return all_.find(all_.members().rank()); }
  /// Returns the array, for calls, broadcasts, sections, reductions and quiet.
  [[nodiscard]] object_array<T>& array() noexcept { return all_; }
  [[nodiscard]] object_array<T>* operator->() noexcept { return &all_; }
  [[nodiscard]] auto operator[](int member) { return all_[member]; }

 private:
  static int at_member(const int& index, int /*members*/) { return index; }

  int mine_;
  object_array<T> all_;
};

}  // namespace upwash
