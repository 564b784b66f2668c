// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who keeps where the objects of an array are, beside the array's own tables.
#pragma once

#include "upwash/objects/detail/object_key.hpp"

namespace upwash::objects {

class place_keeper {
 public:
  explicit place_keeper(const void* that) noexcept : identity(that) {}
  place_keeper(const place_keeper&) = delete;
  place_keeper& operator=(const place_keeper&) = delete;

  /// The object has come, left or ended, or its place is now known otherwise.
  virtual void changed(const object_key& key) = 0;

  const void* const identity;  ///< the same for all that do the same on an array

 protected:
  ~place_keeper() = default;
};

}  // namespace upwash::objects
