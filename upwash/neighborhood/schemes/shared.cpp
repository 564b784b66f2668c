// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {

routing shared(router& at, const model::values& with) {
  at.share();
  return direct(at, with);
}

}  // namespace upwash::neighborhoods
