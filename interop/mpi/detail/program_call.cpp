// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/program_call.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "upwash/base/call_stack.hpp"

namespace upwash::mpi {
namespace {

constexpr char here_in_library = 0;  ///< an address in this library

Dl_info symbol_of(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0) found = {};
  return found;
}

}  // namespace

std::string program_call::describe_pending() const {
  std::array<void*, 64> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  const void* own = symbol_of(&here_in_library).dli_fbase;
  int outer = 0;  // the first frame outside this library
  while (outer < depth && symbol_of(frames[static_cast<std::size_t>(outer)]).dli_fbase == own) {
    ++outer;
  }
  if (outer == 0 || outer == depth) return {};
  const char* function = symbol_of(frames[static_cast<std::size_t>(outer) - 1]).dli_sname;
  call_stack caller;
  caller.calls[0] = frames[static_cast<std::size_t>(outer)];
  const std::vector<std::string> lines = caller.lines();
  if (function == nullptr || lines.empty()) return {};
  const std::string& line = lines.front();
  return fmt::format("{} called by {}", function, line.substr(0, line.find(" (discriminator")));
}

}  // namespace upwash::mpi
