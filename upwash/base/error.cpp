// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/error.hpp"

#include <system_error>

namespace upwash {

error system_error(const std::string& what, int error_number) {
  return {error_kind::system, what + ": " + std::generic_category().message(error_number)};
}

}  // namespace upwash
