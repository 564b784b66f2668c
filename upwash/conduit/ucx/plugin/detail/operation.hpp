// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One request to UCX that is under way.
#pragma once

#include "upwash/conduit/message.hpp"

namespace upwash::conduit::ucx {

class engine;

/// Lies in a pool of who began it.
struct operation {
  engine* home = nullptr;
  int process = -1;                                  ///< with which
  void (*over)(operation& self) noexcept = nullptr;  ///< gives it back and tells
  completion* told = nullptr;                        ///< null: nobody asks
};

}  // namespace upwash::conduit::ucx
