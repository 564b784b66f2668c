// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/version.hpp"

namespace upwash {

const char* library_version() noexcept { return UPWASH_VERSION; }

}  // namespace upwash
