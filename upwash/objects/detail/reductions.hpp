// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The reductions of an array and of its sections, at one member.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "upwash/core/incoming.hpp"
#include "upwash/objects/detail/contribution.hpp"
#include "upwash/objects/detail/object_key.hpp"
#include "upwash/objects/detail/reduction_node.hpp"

namespace upwash::objects {

class array_core;
class element;

/// A contribution goes to the member of its object at the last fence, so a later move costs one
/// message more. From there one message for each member and reduction goes up a tree. Source: Kumar
/// 2005, chapter 6 (designated ranks of the last fence).
class reductions {
 public:
  explicit reductions(array_core& of);

  /// Adds the next contribution of a local object, to its array (section 0) or a section.
  void contribute(element& from, std::uint64_t section, std::unique_ptr<contribution> value);
  void arrived(const contribution_head& head, std::unique_ptr<contribution> value);

  /// Adds objects at their homes: `at_member` at each member.
  void fill(std::span<const std::uint32_t> at_member);
  /// Adds an object that was filled in here.
  void joins(element& made) const;
  /// An object has ended.
  void leaves(const element& gone);

  /// Opens this member's node in the tree of a section; it gathers the contributions of `objects`
  /// objects. `passed`: completed reductions.
  void open(std::uint64_t section, int parent, const std::vector<int>& children,
            std::size_t objects, std::uint64_t passed);
  void close(std::uint64_t section) { nodes_.erase(section); }
  [[nodiscard]] const reduction_node& node(std::uint64_t section) const;

  /// An object has arrived with contributions that another member gathers, or none yet.
  void came(const element& one) noexcept;

  // At a fence, with nothing in progress:
  /// Returns the last reduction with a contribution of an object here.
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
  [[nodiscard]] bool has_new() const noexcept { return new_; }
  [[nodiscard]] bool has_moved() const noexcept { return moved_; }
  /// Gathers the contributions of local objects here, from the reduction after `begun` on.
  void settle(std::uint64_t begun);
  void fence_at(std::uint64_t begun) noexcept { settled_ = begun; }
  /// Returns whether the object lacks a contribution that others made before the last fence.
  [[nodiscard]] bool owes(const element& one) const noexcept;

  [[nodiscard]] std::string describe_pending() const;

  // From messages:
  void objects_change(std::uint64_t section, std::uint64_t from, std::int64_t more);
  void child_changes(std::uint64_t section, int child,
                     const std::vector<reduction_node::activity>& now, std::uint64_t epoch);

 private:
  struct place {
    place(int up, const std::vector<int>& below, bool whole) : parent(up), sums(below, whole) {}
    int parent;  ///< -1: the root
    reduction_node sums;
  };

  void advance(std::uint64_t section, place& at);
  void change_at(int member, std::uint64_t section, std::uint64_t from, std::int64_t more);

  array_core& of_;
  std::map<std::uint64_t, place> nodes_;
  /// For sections that this member does not know yet.
  std::map<std::uint64_t, std::vector<std::pair<contribution_head, std::unique_ptr<contribution>>>>
      early_;
  std::map<std::uint64_t, std::vector<std::pair<std::uint64_t, std::int64_t>>> early_changes_;
  std::uint64_t begun_ = 0;
  std::uint64_t settled_ = 0;  ///< reductions begun at the last fence
  std::uint64_t fills_ = 0;
  bool new_ = false;
  bool moved_ = false;
};

void handle_objects_change(incoming& in, std::uint64_t array, std::uint64_t section,
                           std::uint64_t from, std::int64_t more);
void handle_child_change(incoming& in, std::uint64_t array, std::uint64_t section,
                         std::int32_t child, std::vector<reduction_node::activity> now,
                         std::uint64_t epoch);

}  // namespace upwash::objects
