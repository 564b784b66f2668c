// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process's place in a job of several nodes by PMIx, whose server the launcher is.
#pragma once

#include <memory>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/foreign/foreign_bootstrap.hpp"

namespace upwash::conduit::foreign {

/// Whether this process has a server of PMIx.
[[nodiscard]] bool pmix_is_there() noexcept;

/// As `join`. Throws `error` (environment) where the plugin is missing, saying what to install.
[[nodiscard]] std::unique_ptr<bootstrap> join_by_pmix(const announcement& said,
                                                      const settings& values);

}  // namespace upwash::conduit::foreign
