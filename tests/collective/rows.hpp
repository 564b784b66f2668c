// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of all algorithms, made once.
#pragma once

#include "upwash/collective/registry.hpp"

namespace upwash::test {

inline const collective::registry& rows() {
  static const collective::registry all = [] {
    collective::registry made;
    collective::add_algorithms(made);
    return made;
  }();
  return all;
}

}  // namespace upwash::test
