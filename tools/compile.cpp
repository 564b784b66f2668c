// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash cc` and `upwash cxx`: the compiler with the folders and libraries of this upwash, and for
// --privatize with what makes a program whose copies can be loaded side by side.
#include "tools/compile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/error.hpp"

namespace upwash::tools {
namespace {

namespace fs = std::filesystem;

struct language {
  std::string_view command;
  std::string_view variable;  ///< that names another compiler
  std::string_view compiler;
  std::string_view standard;  ///< the program's own option comes later, and counts
};

constexpr language c{"cc", "CC", UPWASH_C_COMPILER, ""};
constexpr language cxx{"cxx", "CXX", UPWASH_CXX_COMPILER, "-std=c++20"};

/// Where this upwash lies: installed, or in the folder where it was built.
struct places {
  std::vector<std::string> headers;
  std::string libraries;
};

places find_places() {
  const fs::path prefix = fs::canonical("/proc/self/exe").parent_path().parent_path();
  const fs::path headers = prefix / UPWASH_INCLUDE_FOLDER;
  if (fs::exists(headers / "upwash/upwash.hpp")) {
    return {{headers.string(), (headers / "upwash/armci").string()},
            (prefix / UPWASH_LIBRARY_FOLDER).string()};
  }
  const fs::path source(UPWASH_TOOL_SOURCE);
  return {{source.string(), (source / "interop/armci/include").string()},
          (prefix / "lib").string()};
}

/// Only some of the words make a compiler link.
bool links(const std::vector<std::string>& words) {
  constexpr std::array ends_before{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version"};
  return std::ranges::none_of(words, [&](const std::string& word) {
    return std::ranges::find(ends_before, word) != ends_before.end();
  });
}

std::vector<std::string> command_line(const language& of, std::vector<std::string> words) {
  const bool privatize = std::erase(words, "--privatize") > 0;
  const places at = find_places();
  const char* chosen = std::getenv(std::string(of.variable).c_str());
  std::vector<std::string> line;
  std::string_view compiler = chosen != nullptr && *chosen != '\0' ? chosen : of.compiler;
  while (!compiler.empty()) {  // it may come with options, as in CC="ccache gcc"
    line.emplace_back(compiler.substr(0, compiler.find(' ')));
    compiler.remove_prefix(std::min(line.back().size() + 1, compiler.size()));
    if (line.back().empty()) line.pop_back();
  }
  if (!of.standard.empty()) line.emplace_back(of.standard);
  // With it the program's code finds a library's variables where they are, and copies of it do too;
  // and a frame larger than the guard below a rank's stack touches the guard.
  line.insert(line.end(), {"-fPIC", "-fstack-clash-protection"});
  if (privatize) line.emplace_back("-fno-semantic-interposition");
  for (const std::string& folder : at.headers) line.push_back("-I" + folder);
  line.insert(line.end(), words.begin(), words.end());
  if (!links(words)) return line;
  // A library that nobody mistakes for another: calls stay in the copy, and all names are known.
  if (privatize) line.insert(line.end(), {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"});
  line.insert(line.end(), {"-L" + at.libraries, "-Wl,-rpath," + at.libraries, "-Wl,--as-needed"});
  if (fs::exists(fs::path(at.libraries) / "libarmci.so")) line.emplace_back("-larmci");
  line.emplace_back("-lupwash");
  return line;
}

[[noreturn]] void become_compiler(const language& of, const std::vector<std::string>& words) {
  std::vector<std::string> line = command_line(of, words);
  std::vector<char*> argv;
  for (std::string& word : line) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  throw error(error_kind::argument,
              fmt::format("{}: cannot start {}: {} (set {} to a compiler)", of.command, line[0],
                          std::strerror(errno), of.variable));
}

void add(CLI::App& app, const language& of, const std::string& text) {
  CLI::App* command = app.add_subcommand(std::string(of.command), text);
  command->set_help_flag();  // all options are the compiler's
  command->prefix_command();
  command->callback([command, of] { become_compiler(of, command->remaining()); });
}

}  // namespace

void add_compile(CLI::App& app) {
  add(app, c, "compile and link C (--privatize: for upwash run --privatize)");
  add(app, cxx, "compile and link C++ (--privatize: as cc)");
}

}  // namespace upwash::tools
