// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who takes part in a call with a scope.
#pragma once

#include "interop/armci/detail/session.hpp"

namespace upwash::armci {

/// The members; null: this rank alone. SCOPE_NODE is its domain, SCOPE_MASTERS the first ranks of
/// all domains: all ranks. Throws `refusal` for no scope.
[[nodiscard]] const team* in_scope(const session& own, int scope);
/// The same within a group; null group: of all ranks.
[[nodiscard]] const team* in_scope(const session& own, int scope, const ARMCI_Group* group);

}  // namespace upwash::armci
