// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a call says that refuses its arguments.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "upwash/base/error.hpp"

namespace upwash::test {

/// An error of kind argument; empty where there was none.
std::string refusal(const auto& call) {
  try {
    call();
  } catch (const error& wrong) {
    EXPECT_EQ(wrong.kind(), error_kind::argument) << wrong.what();
    return wrong.what();
  }
  return {};
}

}  // namespace upwash::test
