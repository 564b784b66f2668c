// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handler ids across modules that are loaded while a job runs.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/modules.hpp"

TEST(modules, a_function_loaded_later_is_found_by_its_receiver) {
  using namespace upwash::detail;
  module_table sender;
  module_table receiver;  // both looked before the library was there
  void* late = dlopen("libBrokenLocale.so.1", RTLD_NOW);  // of the C library's package
  if (late == nullptr) GTEST_SKIP() << dlerror();
  const void* function = dlsym(late, "__ctype_get_mb_cur_max");
  ASSERT_NE(function, nullptr);
  const auto id = sender.id_of(function);
  EXPECT_GT(id.module, 0);
  EXPECT_EQ(receiver.function_of(id), function);
  EXPECT_THROW(static_cast<void>(receiver.function_of({0, 200})), upwash::error);
  dlclose(late);
}
