// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/call_stack.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>

namespace upwash {
namespace {

struct place {
  std::string module;
  std::uintptr_t offset = 0;  ///< of the call, not of where it returns to
};

place place_of(const void* returns_to) {
  Dl_info found{};
  if (dladdr(returns_to, &found) == 0 || found.dli_fname == nullptr) return {};
  const std::unique_ptr<char, decltype(&std::free)> path(realpath(found.dli_fname, nullptr),
                                                         &std::free);
  // The program's own name is what it was started by, from wherever.
  const std::unique_ptr<char, decltype(&std::free)> self(realpath("/proc/self/exe", nullptr),
                                                         &std::free);
  const auto base = reinterpret_cast<std::uintptr_t>(found.dli_fbase);
  const char* module = path ? path.get() : self ? self.get() : found.dli_fname;
  return {module, reinterpret_cast<std::uintptr_t>(returns_to) - base - 1};
}

struct pipe_closer {
  void operator()(std::FILE* pipe) const noexcept { pclose(pipe); }
};

/// What addr2line answers to the offsets in a module, a line each; fewer where it fails.
std::vector<std::string> ask(const std::string& module,
                             const std::vector<std::uintptr_t>& offsets) {
  if (module.find('\'') != std::string::npos) return {};
  std::string command = fmt::format("addr2line -Cfpe '{}'", module);
  for (const std::uintptr_t each : offsets) command += fmt::format(" {:#x}", each);
  command += " 2>/dev/null";
  const std::unique_ptr<std::FILE, pipe_closer> answer(popen(command.c_str(), "r"));
  std::vector<std::string> lines;
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t got = 0; answer && (got = getline(&line, &room, answer.get())) > 0;) {
    lines.emplace_back(line, static_cast<std::size_t>(got - (line[got - 1] == '\n' ? 1 : 0)));
  }
  std::free(line);
  return lines;
}

}  // namespace

[[gnu::noinline]] call_stack call_stack::here(std::size_t skipped) {
  constexpr std::size_t most_skipped = 8;
  constexpr std::size_t own = 4;  // this function, and what a sanitizer puts between
  std::array<void*, depth + most_skipped + own> found{};
  const auto end = found.begin() + backtrace(found.data(), static_cast<int>(found.size()));
  auto next = std::find(found.begin(), end, __builtin_return_address(0));
  for (std::size_t i = 0; i < std::min(skipped, most_skipped) && next != end; ++i) ++next;
  call_stack seen;
  std::copy_n(next, std::min<std::ptrdiff_t>(end - next, depth), seen.calls.begin());
  return seen;
}

std::vector<std::string> call_stack::lines() const {
  std::vector<place> places;
  std::map<std::string, std::vector<std::uintptr_t>> by_module;
  for (const void* each : calls) {
    if (each == nullptr) break;
    places.push_back(place_of(each));
    by_module[places.back().module].push_back(places.back().offset);
  }
  std::map<std::string, std::vector<std::string>> answers;
  for (const auto& [module, offsets] : by_module) answers[module] = ask(module, offsets);
  std::map<std::string, std::size_t> used;
  std::vector<std::string> lines;
  for (const place& each : places) {
    const std::vector<std::string>& said = answers[each.module];
    const std::size_t number = used[each.module]++;
    const bool known = number < said.size() && !said[number].starts_with("??");
    std::string line = known ? said[number] : fmt::format("{}+{:#x}", each.module, each.offset);
    // Built without lines.
    if (const auto at = line.find(" at ??:"); at != std::string::npos) line.resize(at);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace upwash
