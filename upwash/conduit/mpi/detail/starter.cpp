// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/starter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/base/find_program.hpp"
#include "upwash/base/log.hpp"
#include "upwash/base/text_words.hpp"
#include "upwash/conduit/mpi/detail/launcher_manners.hpp"

namespace upwash::conduit::mpi {
namespace {

constexpr std::array libraries{library::openmpi, library::mpich};

bool is_in_path(std::string_view name) { return !find_program(name).empty(); }

/// What a launcher says of itself.
std::string version_of(std::string_view program) {
  struct close_pipe {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<FILE, close_pipe> pipe(
      popen(fmt::format("{} --version 2>/dev/null </dev/null", program).c_str(), "r"));
  std::string text(256, '\0');
  text.resize(pipe ? std::fread(text.data(), 1, text.size(), pipe.get()) : 0);
  return text;
}

bool says(std::string_view program, std::string_view word) {
  return is_in_path(program) && version_of(program).find(word) != std::string::npos;
}

std::string hosts_of(const start_request& wanted) {
  std::string all;
  for (const auto& [host, processes] : wanted.hosts) {
    all += fmt::format("{}{}:{}", all.empty() ? "" : ",", host, processes);
  }
  return all;
}

/// Hydra runs one word. What it has been told itself is good, too.
std::string shell_of_hydra(const std::vector<std::string>& words, const std::string& launcher) {
  if (words.size() == 1) return words.front();
  if (words.empty()) return {};
  const auto shell = fmt::format("{}", fmt::join(words, " "));
  if (std::getenv("HYDRA_LAUNCHER_EXEC") != nullptr) {
    log(log_level::info, "launch",
        fmt::format("{} takes HYDRA_LAUNCHER_EXEC, not '{}'", launcher, shell));
    return {};
  }
  throw error(error_kind::argument,
              fmt::format("--rsh '{}': {} takes a remote shell of one word; put these into a "
                          "script, and give that",
                          shell, launcher));
}

/// Another command than those that are known here says itself where processes go.
void refuse_hosts(const std::string& launcher, const start_request& wanted) {
  if (wanted.hosts.empty()) return;
  throw error(error_kind::argument,
              fmt::format("--hosts {}: '{}' (knob mpi_launcher) has to say itself on which hosts "
                          "processes start; leave out one of them",
                          hosts_of(wanted), launcher));
}

[[noreturn]] void nothing_to_start_by(std::span<const library> tried, const std::string& plugin) {
  std::string lacking;
  for (const library each : tried) {
    const bool has_plugin = wire::find_plugin(plugin_of(each, plugin)).has_value();
    lacking += fmt::format("{}{} has {}", lacking.empty() ? "" : "; ", title_of(each),
                           has_plugin ? "a plugin, but no launcher in PATH" : "no plugin here");
  }
  throw error(error_kind::environment,
              fmt::format("conduit mpi: no MPI library to start processes by: {} (Debian: "
                          "openmpi-bin, mpich; knob mpi_launcher names another command)",
                          lacking));
}

}  // namespace

std::optional<std::string> find_launcher_program(library which) {
  // Names that only one library has come first: asking who somebody is starts it.
  if (which == library::openmpi) {
    if (is_in_path("mpirun.openmpi")) return "mpirun.openmpi";
    if (says("mpirun", "Open MPI")) return "mpirun";
    return std::nullopt;
  }
  for (const char* name : {"mpiexec.mpich", "mpiexec.hydra"}) {
    if (is_in_path(name)) return name;
  }
  if (says("mpiexec", "HYDRA")) return "mpiexec";
  return std::nullopt;
}

std::vector<std::string> words_for(library which, const std::string& program,
                                   const start_request& wanted, bool as_root) {
  std::vector<std::string> words{program, "-n", fmt::to_string(wanted.processes)};
  const auto add = [&words](std::initializer_list<std::string_view> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const std::string hosts = hosts_of(wanted);
  if (which == library::openmpi) {
    add({"--oversubscribe", "--bind-to", wanted.bind_to_cores ? "core:overload-allowed" : "none"});
    if (as_root) add({"--allow-run-as-root"});
    if (wanted.tag_lines) add({"--tag-output"});
    if (!hosts.empty()) add({"--host", hosts});
    const auto shell = fmt::format("{}", fmt::join(wanted.remote_shell, " "));
    if (!shell.empty()) add({"--mca", "plm_rsh_agent", shell});
    for (const std::string& name : wanted.variables) add({"-x", name});
  } else {
    add({"-bind-to", wanted.bind_to_cores ? "core" : "none"});
    if (wanted.tag_lines) add({"-prepend-rank"});
    if (!hosts.empty()) add({"-hosts", hosts});
    const std::string shell = shell_of_hydra(wanted.remote_shell, program);
    if (!shell.empty()) add({"-launcher", "rsh", "-launcher-exec", shell});
  }
  return words;
}

start_command make_start(const settings& values, const start_request& wanted) {
  if (auto words = words_of(values.text("mpi_launcher")); !words.empty()) {
    refuse_hosts(values.text("mpi_launcher"), wanted);
    words.insert(words.end(), {"-n", fmt::to_string(wanted.processes)});
    return {std::move(words), nullptr};
  }
  const std::string& named = values.text("mpi_library");
  const std::string& plugin = values.text("mpi_plugin");
  std::span<const library> tried = libraries;
  if (named != "auto") tried = tried.subspan(named == name_of(libraries[0]) ? 0 : 1, 1);
  for (const library each : tried) {
    if (!wire::find_plugin(plugin_of(each, plugin))) continue;
    const auto program = find_launcher_program(each);
    if (program) return {words_for(each, *program, wanted, geteuid() == 0), &manner_of(each)};
  }
  nothing_to_start_by(tried, plugin);
}

std::string lacking_here(const settings& values) {
  try {
    static_cast<void>(make_start(values, {}));
    return {};
  } catch (const error& failure) {
    return failure.what();
  }
}

std::vector<std::pair<std::string, std::string>> installed(const settings& values) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const library each : libraries) {
    const auto plugin = wire::find_plugin(plugin_of(each, values.text("mpi_plugin")));
    const auto program = find_launcher_program(each);
    facts.emplace_back(name_of(each),
                       fmt::format("{}; {}", plugin ? "plugin " + *plugin : "no plugin",
                                   program ? "launcher " + *program : "no launcher"));
  }
  return facts;
}

}  // namespace upwash::conduit::mpi
