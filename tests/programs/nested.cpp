// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank starts this program again, which is a job of one rank then; "nested twice" runs twice
// in one process. Prints "outer R of N" and "inner R of N", and "fd FILE" for what came with it.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "upwash/upwash.hpp"

namespace {

void tell(const char* what, const upwash::job& here) {
  std::printf("%s %d of %d\n", what, here.rank(), here.size());
  std::fflush(stdout);
}

/// Inherited descriptors of shared memory: a rank's are its own.
void tell_memory() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(entry, closed);
    if (target.find("upwash") != std::string::npos) std::printf("fd %s\n", target.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how == "inner") {
    tell_memory();
    return upwash::run(argc, argv, [](upwash::job& here) { tell("inner", here); });
  }
  int status = 0;
  const int outer = upwash::run(argc, argv, [&](upwash::job& here) {
    tell("outer", here);
    if (how.empty()) status = std::system((std::string(argv[0]) + " inner").c_str());
  });
  if (how == "twice")
    return upwash::run(argc, argv, [](upwash::job& here) { tell("outer", here); });
  return outer != 0 || status != 0 ? 1 : 0;
}
