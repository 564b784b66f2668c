// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tag of calls that return when their operation is complete.
#pragma once

namespace upwash {

/// Tag: the call returns when the operation is complete. A small collective between ranks that
/// share memory then runs on the caller's stack.
struct blocking_t {};
inline constexpr blocking_t blocking{};

}  // namespace upwash
