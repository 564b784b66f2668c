// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of an array, at one member.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/core/incoming.hpp"
#include "upwash/objects/detail/broadcasts.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash::objects {

class array_core;

/// The path of a call of a section between members: from the first to each, from each to the next,
/// or down a binomial tree. Reductions of the section return on the same path.
enum class section_shape : std::uint8_t { direct, ring, tree };

/// A section occupies the home members of its objects, and from the next fence on their members at
/// that time. Its root is the member that made it. The root numbers nothing: calls go down its tree
/// in their order there. Memory: the keys of its objects at the root, and each at its member.
class sections {
 public:
  explicit sections(array_core& of) : of_(of) {}

  /// A member and its objects of the section.
  using stand = std::pair<std::int32_t, std::vector<object_key>>;

  /// Makes a section of that shape with its root here. Throws `error` (argument) if a key occurs
  /// twice.
  [[nodiscard]] std::uint64_t make(const std::vector<object_key>& keys, section_shape shape);
  void drop(std::uint64_t id);
  /// Throws `error` (argument) if this member knows that the section does not exist.
  void check(std::uint64_t id, const char* what) const;
  /// Calls all objects of a section. Throws `error` (argument) if it does not exist.
  void call(std::uint64_t id, int priority, std::unique_ptr<broadcast_call> made);

  /// Returns the members of a section that was made here before the last fence; otherwise none.
  [[nodiscard]] std::vector<std::int32_t> members_of(std::uint64_t id) const;

  // At a fence, with nothing in progress:
  /// Returns whether a section here has objects that are elsewhere.
  [[nodiscard]] bool has_moved() const;
  /// Asks for the places of these objects.
  void look_for_moved();
  /// Roots rebuild their sections at the objects' members. Called after the answers.
  void rebuild();
  /// All members know all sections.
  void stood();

  // From messages:
  /// The construction of a member's part of a tree.
  struct plan {
    std::uint64_t id = 0;
    std::uint64_t passed = 0;  ///< completed reductions
    std::int32_t parent = -1;
    section_shape shape = section_shape::tree;
    bool again = false;  ///< at a fence
  };
  void opened(const plan& of, std::vector<stand> below);
  void call_arrived(std::unique_ptr<broadcast_call> call);
  /// An object with its home here has ended. `told`: its sections that know already.
  void object_ended(const object_key& key, const std::vector<std::uint64_t>& told);
  void object_begun(const object_key& key) { ended_.erase(key); }
  void dropped(std::uint64_t id, bool with_tree);
  void asked(std::uint64_t id, const object_key& key);
  void answered(std::uint64_t id, const object_key& key, std::int32_t member);

  static constexpr std::int32_t removed = -1;  ///< of `answered`: the object was removed
  static constexpr std::int32_t in_use = -2;   ///< a reduction is in progress

 private:
  struct place {
    std::vector<int> children;
    std::vector<object_key> keys;
  };
  struct root {
    section_shape shape = section_shape::tree;
    std::vector<stand> stands;
    std::vector<std::pair<object_key, std::int32_t>> moved;
    bool in_use = false;
    bool stands_everywhere = false;
  };

  [[nodiscard]] int root_of(std::uint64_t id) const;

  template <auto Handler, class... Args>
  void tell(int member, const Args&... args);
  void deliver(const place& at, const broadcast_call& call);

  array_core& of_;
  std::uint64_t made_ = 0;
  std::map<std::uint64_t, place> places_;
  std::map<std::uint64_t, root> roots_;
  /// Since the last fence, for sections that this member does not know yet.
  std::map<object_key, std::vector<std::uint64_t>> ended_;
};

}  // namespace upwash::objects
