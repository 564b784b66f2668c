// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of an array, as one member takes part in them.
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

/// How a call of a section goes from member to member: from the first to each, each to the next, or
/// down a binomial tree. Reductions of the section come back the same way.
enum class section_shape : std::uint8_t { direct, ring, tree };

/// A section stands on the members that are the homes of its objects, and from the next fence on
/// where they are then. Its root is the member that made it, which numbers nothing: calls go down
/// its tree as they come there. Memory: its objects' keys at the root, and each at its member.
class sections {
 public:
  explicit sections(array_core& of) : of_(of) {}

  /// A member and those it stands for.
  using stand = std::pair<std::int32_t, std::vector<object_key>>;

  /// Makes a section whose root is here; it is of that shape. Throws `error`
  /// (argument) for a key that is there twice.
  [[nodiscard]] std::uint64_t make(const std::vector<object_key>& keys, section_shape shape);
  void drop(std::uint64_t id);
  /// Throws `error` (argument) for a section that is not, as far as this member knows.
  void check(std::uint64_t id, const char* what) const;
  /// Calls all objects of a section. Throws `error` (argument) for one that is not.
  void call(std::uint64_t id, int priority, std::unique_ptr<broadcast_call> made);

  /// Members where a section stands that was made here before the last fence; else none.
  [[nodiscard]] std::vector<std::int32_t> members_of(std::uint64_t id) const;

  // At a fence, when nothing is under way:
  /// Whether a section stands here for objects that are elsewhere.
  [[nodiscard]] bool has_moved() const;
  /// Asks where those are.
  void look_for_moved();
  /// Roots stand their sections where the objects are. Behind the answers.
  void rebuild();
  /// All members know of all sections.
  void stood();

  // From messages:
  /// How a member's part of a tree is made.
  struct plan {
    std::uint64_t id = 0;
    std::uint64_t passed = 0;  ///< reductions
    std::int32_t parent = -1;
    section_shape shape = section_shape::tree;
    bool again = false;  ///< at a fence
  };
  void opened(const plan& of, std::vector<stand> below);
  void call_arrived(std::unique_ptr<broadcast_call> call);
  /// An object has ended whose home this is. `told`: its sections that know already.
  void object_ended(const object_key& key, const std::vector<std::uint64_t>& told);
  void object_begun(const object_key& key) { ended_.erase(key); }
  void dropped(std::uint64_t id, bool with_tree);
  void asked(std::uint64_t id, const object_key& key);
  void answered(std::uint64_t id, const object_key& key, std::int32_t member);

  static constexpr std::int32_t removed = -1;  ///< of `answered`: the object is no more
  static constexpr std::int32_t in_use = -2;   ///< a reduction is under way

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
  /// Since the last fence, for sections that this member has yet to hear of.
  std::map<object_key, std::vector<std::uint64_t>> ended_;
};

}  // namespace upwash::objects
