// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One object on each rank, or on each node. Source: Kumar 2005, chapter 5 (groups, node groups).
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
  /// Process, socket or node: at its first member; else one at every member.
  std::optional<level> one_per = std::nullopt;
};

/// Objects of a group that was saved (`group->save(path)`).
struct saved_group {
  std::string path;
  checkpoint_options options = {};  ///< `to_old_members` means nothing
};

/// An array of one object a member, or a node, that stay where they are: one that migrates is an
/// error (argument). The index is the member where it is. All else as of arrays.
template <class T>
class object_group {
 public:
  static_assert(std::is_same_v<typename T::index_type, int>, "the index is the member");

  /// `T(site, args...)` at each. Collective over the team, blocking; an all-gather where not every
  /// member has one.
  template <class... Args>
  explicit object_group(const team& among, const group_options& options = {}, const Args&... args)
      : mine_(among.rank()), all_(among, {.name = options.name}, &at_member) {
    all_.fill(objects::first_members(among, options.one_per, mine_), args...);
    all_.stay();
  }

  /// Those that were saved, on as many members or nodes, whatever the number of ranks: the k-th
  /// object comes to the k-th place, and has that for its index. Collective, blocking. Throws the
  /// same `error` at all members as object_array::load does, and (configuration) where there are
  /// more places or fewer.
  object_group(const team& among, const group_options& options, const saved_group& saved)
      : mine_(among.rank()), all_(among, {.name = options.name}, &at_member) {
    const std::vector<int> places = objects::first_members(among, options.one_per, mine_);
    all_.view().core().load(saved.path, saved.options, places, call_site::current());
    all_.stay();
  }

  /// The index of the object of this rank, or of its node.
  [[nodiscard]] int index_of_mine() const noexcept { return mine_; }
  /// The object that is on this rank; nullptr where none is. Methods run only while this rank waits
  /// or sends.
  [[nodiscard]] T* here() { return all_.find(all_.members().rank()); }
  /// For calls, broadcasts, sections, reductions and quiet.
  [[nodiscard]] object_array<T>& array() noexcept { return all_; }
  [[nodiscard]] object_array<T>* operator->() noexcept { return &all_; }
  [[nodiscard]] auto operator[](int member) { return all_[member]; }

 private:
  static int at_member(const int& index, int /*members*/) { return index; }

  int mine_;
  object_array<T> all_;
};

}  // namespace upwash
