// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that the ranks of a process share: a layer makes each object once for all of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

namespace upwash::conduit {

/// The shared objects. An object lives as long as one of the ranks holds it. One thread, that of
/// the endpoint.
class process_shelf {
 public:
  /// Returns the object of this type under this name. The first call default-constructs it. O(log
  /// objects).
  template <class T>
  [[nodiscard]] std::shared_ptr<T> find_or_make(std::uint64_t name, std::uint64_t number) {
    static constexpr char type = 0;  // its address identifies the type
    std::weak_ptr<void>& kept = objects_[{&type, name, number}];
    if (const auto found = kept.lock()) return std::static_pointer_cast<T>(found);
    std::erase_if(objects_, [&kept](const auto& each) {
      return &each.second != &kept && each.second.expired();
    });
    auto made = std::make_shared<T>();
    kept = made;
    return made;
  }

 private:
  std::map<std::tuple<const void*, std::uint64_t, std::uint64_t>, std::weak_ptr<void>> objects_;
};

}  // namespace upwash::conduit
