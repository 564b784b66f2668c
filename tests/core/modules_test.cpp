// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handler ids across modules that are loaded while a job runs.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

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

namespace {

struct numbers {
  upwash::conduit::handler_id early;
  upwash::conduit::handler_id late;
  std::uint64_t fingerprint = 0;
};

/// What a process that loads the libraries in this order takes a function of the first two for.
numbers of_process(const std::vector<std::string>& libraries) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (const std::string& one : libraries) static_cast<void>(dlopen(one.c_str(), RTLD_NOW));
    upwash::detail::module_table table;
    void* first = dlopen("libBrokenLocale.so.1", RTLD_NOW);
    void* second = dlopen("libresolv.so.2", RTLD_NOW);
    numbers told;
    if (first != nullptr && second != nullptr) {
      told = {table.id_of(dlsym(first, "__ctype_get_mb_cur_max")),
              table.id_of(dlsym(second, "__b64_ntop")), table.fingerprint()};
    }
    _exit(write(ends[1], &told, sizeof told) == sizeof told ? 0 : 1);
  }
  numbers told;
  EXPECT_EQ(read(ends[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return told;
}

}  // namespace

TEST(modules, are_numbered_alike_whatever_else_is_loaded_and_in_which_order) {
  const numbers one = of_process({"libBrokenLocale.so.1", "libresolv.so.2"});
  if (one.fingerprint == 0) GTEST_SKIP() << "the C library has not these two";
  for (const auto& order : std::vector<std::vector<std::string>>{
           {"libresolv.so.2", "libBrokenLocale.so.1"},
           {"libanl.so.1", "libresolv.so.2", "libmemusage.so", "libBrokenLocale.so.1"},
           {}}) {
    const numbers other = of_process(order);
    EXPECT_EQ(other.early, one.early);
    EXPECT_EQ(other.late, one.late);
    EXPECT_EQ(other.fingerprint, one.fingerprint) << "it would be taken for another build";
  }
  EXPECT_NE(one.early.module, 0);
  EXPECT_NE(one.early.module, 1);
}
