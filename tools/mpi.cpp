// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash mpi -- mpirun -n 16 ./program`: the user's own command line, whose ranks get the preload
// library that fits their MPI. Becomes the launcher: what that does is what the user sees.
#include "tools/mpi.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/linked_mpi.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/find_program.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::tools {
namespace {

namespace fs = std::filesystem;

struct mpi_options {
  std::string library = "auto";
  bool opened = false;  ///< by the program itself, while it runs
  std::vector<std::string> knobs;
  std::vector<std::string> command;
};

[[noreturn]] void wrong(const std::string& text) {
  throw error(error_kind::argument, "mpi: " + text);
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// The library whose launcher a file is, by its name; nothing: it is none's, or any's.
std::optional<std::string> launcher_of(std::string_view name) {
  if (is_one_of(name, {"mpirun.openmpi", "mpiexec.openmpi", "orterun", "prterun", "prun"})) {
    return "openmpi";
  }
  if (is_one_of(name, {"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "hydra_mpiexec",
                       "mpiexec.gforker"})) {
    return "mpich";
  }
  return std::nullopt;
}

/// The MPI library that a program is linked with.
std::optional<std::string> linked_with(const fs::path& file) {
  for (const std::string& name : needed_libraries(file.string())) {
    if (name.starts_with("libmpich")) return "mpich";
    if (name.starts_with("libmpi") && name.ends_with(".so.40")) return "openmpi";
  }
  return std::nullopt;
}

/// By the launcher's name, and those of the files that it is a link to.
std::optional<std::string> library_of(const std::string& word) {
  const std::string found = find_program(word);
  if (found.empty()) wrong(fmt::format("no program {} (PATH)", word));
  fs::path at = found;
  for (int links = 0; links < 16; ++links) {
    if (auto known = launcher_of(at.filename().string())) return known;
    std::error_code none;
    const fs::path next = fs::read_symlink(at, none);
    if (none) break;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return linked_with(at);
}

std::string choose_library(const mpi_options& chosen) {
  const auto by_command = library_of(chosen.command.front());
  if (chosen.library == "auto") {
    if (by_command) return *by_command;
    wrong(
        fmt::format("cannot tell which MPI {} starts programs of; say --mpi openmpi or --mpi "
                    "mpich",
                    chosen.command.front()));
  }
  if (by_command && *by_command != chosen.library) {
    wrong(fmt::format("--mpi {}, but {} is of {}; leave --mpi away, or take the launcher of {}",
                      chosen.library, chosen.command.front(), *by_command, chosen.library));
  }
  return chosen.library;
}

/// The first word of the command that is a program which was built with -fsanitize=address and has
/// its runtime in a library; empty: none.
std::string sanitized_program(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    const std::string found = find_program(word);
    if (found.empty()) continue;
    const auto needed = needed_libraries(found);
    const bool has_runtime = std::ranges::any_of(needed, [](const std::string& name) {
      return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
    });
    if (has_runtime) return word;
  }
  return {};
}

/// ASAN_OPTIONS for the ranks of such a program: its runtime refuses to start after another
/// library. An option of the user's comes later, and counts. Says so.
std::string sanitizer_variable(const std::string& program) {
  std::string value = "verify_asan_link_order=0";
  const char* before = std::getenv("ASAN_OPTIONS");
  if (before != nullptr && *before != '\0') value += fmt::format(":{}", before);
  fmt::print(stderr,
             "upwash: {} is built with -fsanitize=address: it gets "
             "ASAN_OPTIONS=verify_asan_link_order=0, since upwash's library is loaded first\n",
             program);
  return "ASAN_OPTIONS=" + value;
}

/// Beside this command, where it was built or installed.
std::string preload_file(const std::string& library) {
  const fs::path folder = fs::canonical("/proc/self/exe").parent_path().parent_path();
  const std::string name = fmt::format("libupwash-mpi-{}.so", library);
  for (const fs::path& each : {folder / "lib" / name, folder / UPWASH_LIBRARY_FOLDER / name}) {
    if (fs::exists(each)) return each.string();
  }
  throw error(error_kind::environment,
              fmt::format("mpi: no {}: this upwash was built without {}; install its headers "
                          "(Debian: {}) and build upwash again",
                          name, library, library == "openmpi" ? "libopenmpi-dev" : "libmpich-dev"));
}

/// "name=value" as a variable. Throws `error` (configuration) for an unknown one.
std::string variable_of(const std::string& knob) {
  const auto equals = knob.find('=');
  if (equals == std::string::npos) {
    wrong(fmt::format("--knob {}: expected name=value (upwash info --knobs)", knob));
  }
  knob_table table;
  add_all_knobs(table);
  settings values = settings::defaults(table);
  values.set(knob.substr(0, equals), knob.substr(equals + 1));
  return knob_variable(knob.substr(0, equals)) + knob.substr(equals);
}

/// The ranks' variables, as the launcher takes them. The launcher itself stays without the library,
/// but for programs that have none.
std::vector<std::string> command_line(const mpi_options& chosen, const std::string& library,
                                      const std::vector<std::string>& variables) {
  const std::string& first = chosen.command.front();
  const bool is_launcher =
      !linked_with(find_program(first)) || launcher_of(fs::path(first).filename().string());
  std::vector<std::string> line{first};
  const auto give = [&](bool for_all) {
    for (const std::string& each : variables) {
      const auto equals = each.find('=');
      if (library == "openmpi") {
        line.insert(line.end(), {"-x", each});
      } else if (for_all) {
        line.insert(line.end(), {"-genv", each.substr(0, equals), each.substr(equals + 1)});
      }
    }
  };
  const bool known = is_launcher && library_of(first).has_value();
  if (!known) {
    for (const std::string& each : variables) {
      const auto equals = each.find('=');
      setenv(each.substr(0, equals).c_str(), each.substr(equals + 1).c_str(), 1);
    }
  }
  if (known) give(true);
  for (std::size_t i = 1; i < chosen.command.size(); ++i) {
    line.push_back(chosen.command[i]);
    if (known && chosen.command[i] == ":") give(false);  // another program of the same job
  }
  return line;
}

[[noreturn]] void become(std::vector<std::string> line) {
  std::vector<char*> words;
  for (std::string& each : line) words.push_back(each.data());
  words.push_back(nullptr);
  execvp(words[0], words.data());
  wrong(fmt::format("cannot start {}: {}", line[0], std::strerror(errno)));
}

void start(const mpi_options& chosen) {
  if (!is_one_of(chosen.library, {"auto", "openmpi", "mpich"})) {
    wrong(fmt::format("--mpi {}: expected openmpi or mpich", chosen.library));
  }
  const std::string library = choose_library(chosen);
  std::string preload = preload_file(library);
  // Behind upwash's: what a program opens for itself alone, upwash would not find.
  if (chosen.opened) preload += library == "openmpi" ? ":libmpi.so.40" : ":libmpich.so.12";
  if (const char* before = std::getenv("LD_PRELOAD"); before != nullptr && *before != '\0') {
    preload += fmt::format(":{}", before);
  }
  std::vector<std::string> variables{"LD_PRELOAD=" + preload};
  for (const std::string& each : chosen.knobs) variables.push_back(variable_of(each));
  if (const std::string program = sanitized_program(chosen.command); !program.empty()) {
    variables.push_back(sanitizer_variable(program));
  }
  become(command_line(chosen, library, variables));
}

}  // namespace

void add_mpi(CLI::App& app) {
  auto* command = app.add_subcommand("mpi", "Start an unmodified MPI program on upwash");
  auto chosen = std::make_shared<mpi_options>();
  command->add_option("--mpi", chosen->library,
                      "openmpi or mpich (default: the library whose launcher the command names)");
  command->add_flag("--opened", chosen->opened,
                    "The program opens its MPI library at run time, as Python does");
  command->add_option("--knob", chosen->knobs, "A knob for the ranks: name=value; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  command->prefix_command();
  command->callback([chosen, command] {
    chosen->command = command->remaining();
    if (!chosen->command.empty() && chosen->command[0].starts_with('-')) {
      wrong(fmt::format("unknown option {} (see upwash mpi --help)", chosen->command[0]));
    }
    if (chosen->command.empty()) {
      wrong("no command to start (upwash mpi -- mpirun -n N program ...)");
    }
    start(*chosen);
  });
}

}  // namespace upwash::tools
