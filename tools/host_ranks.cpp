// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of `upwash run --privatize`: this executable has an upwash of its own, which only
// loads the program's libraries; that among them hosts the ranks.
#include "tools/host_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/privatize/private_copy.hpp"
#include "upwash/runtime/host_program.hpp"

namespace upwash::tools {
namespace {

using host_function = int (*)(int, char**);

host_function load(const std::string& name) {
  const privatize::program_file program(name);
  privatize::load_libraries(program);
  void* found = dlsym(RTLD_DEFAULT, host_program_name);
  if (found == nullptr) {
    throw error(error_kind::argument,
                fmt::format("--privatize: {} links no libupwash.so of this version, which its "
                            "copies would share; build it with upwash cc --privatize or upwash cxx "
                            "--privatize",
                            program.path()));
  }
  return reinterpret_cast<host_function>(found);
}

int host(std::vector<std::string> words) {
  try {
    const host_function run = load(words.front());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return run(static_cast<int>(words.size()), argv.data());
  } catch (const error& failure) {
    launch::abort_start(failure.exit_status(), failure.what());
    throw;
  }
}

}  // namespace

std::vector<std::string> hosted(const std::vector<std::string>& program) {
  std::vector<std::string> words{"/proc/self/exe", "host-ranks"};
  words.insert(words.end(), program.begin(), program.end());
  words[2] = privatize::program_file(program.front()).path();
  return words;
}

void add_host_ranks(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("host-ranks", "")->group("");
  command->prefix_command();
  command->callback([command, &status] {
    if (command->remaining().empty()) {
      throw error(error_kind::argument, "host-ranks: upwash run --privatize starts this");
    }
    status = host(command->remaining());
  });
}

}  // namespace upwash::tools
