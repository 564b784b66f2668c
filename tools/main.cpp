// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The upwash command: each subcommand adds itself. Exit status 2 for bad input, with one line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench.hpp"
#include "tools/compile.hpp"
#include "tools/host_ranks.hpp"
#include "tools/info.hpp"
#include "tools/manual.hpp"
#include "tools/mpi.hpp"
#include "tools/report.hpp"
#include "tools/run.hpp"
#include "tools/schedule.hpp"
#include "tools/simulate.hpp"
#include "tools/status.hpp"
#include "tools/trace.hpp"
#include "tools/tune.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/standard_descriptors.hpp"
#include "upwash/base/version.hpp"

namespace {

constexpr int bad_input = 2;

/// One line of the several that CLI11 may write.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// CLI11 takes an unknown first word for a missing subcommand; this names the nearest one.
void check_command(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const auto* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = upwash::nearest_name(word, candidates);
  throw upwash::error(
      upwash::error_kind::argument,
      fmt::format("unknown command {}{} (upwash --help lists all)", word,
                  near.empty() ? std::string() : fmt::format("; did you mean {}?", near)));
}

int run(int argc, char** argv) {
  CLI::App app("A communication runtime for parallel programs", "upwash");
  app.set_version_flag("--version", "upwash " UPWASH_VERSION);
  app.require_subcommand(1);
  int status = 0;
  upwash::tools::add_run(app, status);
  upwash::tools::add_mpi(app);
  upwash::tools::add_info(app, status);
  upwash::tools::add_bench(app, status);
  upwash::tools::add_schedule(app, status);
  upwash::tools::add_simulate(app, status);
  upwash::tools::add_tune(app, status);
  upwash::tools::add_trace(app);
  upwash::tools::add_report(app);
  upwash::tools::add_status(app);
  upwash::tools::add_compile(app);
  upwash::tools::add_manual(app);
  upwash::tools::add_host_ranks(app, status);
  upwash::tools::add_agent(app, status);
  if (argc > 1) check_command(app, argv[1]);
  std::vector<char*> words(argv, argv + argc);
  upwash::tools::drop_separator(app, words);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      const int done = app.exit(failure, text, text);
      fmt::print("{}", text.str());
      return done;
    }
    fmt::print(stderr, "upwash: {} (see upwash --help)\n", first_line(failure.what()));
    return bad_input;
  }
  return status;
}

/// The status of a command whose output may still be in buffers, or lost.
int with_output(int status) {
  errno = 0;
  const bool whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush();
  if (whole) return status;
  fmt::print(stderr, "upwash: cannot write standard output: {}\n",
             errno != 0 ? std::strerror(errno) : "a part of it is lost");
  return status != 0 ? status : 1;
}

}  // namespace

int main(int argc, char** argv) {
  upwash::open_standard_descriptors();
  try {
    return with_output(run(argc, argv));
  } catch (const upwash::error& failure) {
    fmt::print(stderr, "upwash: {}\n", failure.what());
    return failure.exit_status();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "upwash: {}\n", failure.what());
    return 1;
  }
}
