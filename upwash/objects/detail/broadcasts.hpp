// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of all objects of an array. Member 0 numbers them; each member keeps those since the array
// was quiet, for objects that come from where they have not run yet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/objects/detail/element.hpp"
#include "upwash/objects/detail/member_tree.hpp"

namespace upwash::objects {

/// A call of all objects, or of a section, whose id is then its caller: makes that of one.
class broadcast_call : public invocation {
 public:
  using invocation::invocation;
  [[nodiscard]] virtual std::unique_ptr<invocation> copy_for(const object_key& to) const = 0;
};

class broadcasts {
 public:
  explicit broadcasts(tree_of_members tree) : shape(tree) {}

  /// The last that all objects have run.
  [[nodiscard]] std::uint64_t forgotten() const noexcept { return before_; }
  /// The last that came here.
  [[nodiscard]] std::uint64_t last() const noexcept { return before_ + kept_.size(); }
  [[nodiscard]] const broadcast_call& at(std::uint64_t number) const {
    return *kept_[static_cast<std::size_t>(number - before_ - 1)];
  }
  void add(std::unique_ptr<broadcast_call> came) { kept_.push_back(std::move(came)); }
  /// All objects have run all of them.
  void forget() {
    before_ += kept_.size();
    kept_.clear();
  }

  const tree_of_members shape;  ///< that they go down

 private:
  std::uint64_t before_ = 0;  ///< forgotten
  std::vector<std::unique_ptr<broadcast_call>> kept_;
};

}  // namespace upwash::objects
