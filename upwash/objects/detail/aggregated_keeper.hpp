// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Additional tables with the places of an array's objects.
#pragma once

#include "upwash/objects/detail/object_key.hpp"

namespace upwash::objects {

class place_keeper {
 public:
  explicit place_keeper(const void* that) noexcept : identity(that) {}
  place_keeper(const place_keeper&) = delete;
  place_keeper& operator=(const place_keeper&) = delete;

  /// The object has arrived, left or ended, or its known place has changed.
  virtual void changed(const object_key& key) = 0;

  const void* const identity;  ///< equal for all keepers of one kind on an array

 protected:
  ~place_keeper() = default;
};

}  // namespace upwash::objects
