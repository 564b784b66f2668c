// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies on conduits whose ranks are in processes of their own: this program again, as a rank.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "tests/harness/job_test.hpp"

namespace upwash::test {

/// The option that makes this program a rank: the body follows, as suite.name.
inline constexpr std::string_view rank_option = "--rank-body=";

/// GoogleTest owns it.
[[nodiscard]] testing::Test* make_process_case(const registered_body& entry, std::string conduit);

/// Conduits whose processes may be on several nodes, over each library or transport that this
/// machine has for them: some bodies each for itself, and all with UPWASH_TEST_LONG=1, a suite in
/// one test. Starting one process takes longer than most bodies.
void register_spanning(std::span<const registered_body> bodies);

}  // namespace upwash::test
