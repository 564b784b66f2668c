// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts to all objects of an array. Member 0 numbers them. Each member keeps those since the
// array was quiet, for arriving objects that have not run them yet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/objects/detail/element.hpp"
#include "upwash/objects/detail/member_tree.hpp"

namespace upwash::objects {

/// A call of all objects, or of a section, with the section's id as its caller. Makes the calls of
/// single objects.
class broadcast_call : public invocation {
 public:
  using invocation::invocation;
  [[nodiscard]] virtual std::unique_ptr<invocation> copy_for(const object_key& to) const = 0;
};

class broadcasts {
 public:
  explicit broadcasts(tree_of_members tree) : shape(tree) {}

  /// Returns the number of the last broadcast that all objects have run.
  [[nodiscard]] std::uint64_t forgotten() const noexcept { return before_; }
  /// Returns the number of the last broadcast that arrived here.
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

  const tree_of_members shape;  ///< of the broadcasts

 private:
  std::uint64_t before_ = 0;  ///< forgotten
  std::vector<std::unique_ptr<broadcast_call>> kept_;
};

}  // namespace upwash::objects
