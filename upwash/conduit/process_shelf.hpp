// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of a process share beside messages: objects that a layer makes once for them all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

namespace upwash::conduit {

/// An object lives as long as one of the ranks holds it. One thread, that of the endpoint.
class process_shelf {
 public:
  /// The object of this type under this name; made by default by whoever asks first. O(log
  /// objects).
  template <class T>
  [[nodiscard]] std::shared_ptr<T> find_or_make(std::uint64_t name, std::uint64_t number) {
    static constexpr char type = 0;  // whose address tells types apart
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
