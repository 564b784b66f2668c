// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <span>

#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/team.hpp"

namespace apps {

int read_command_line(const upwash::job& here, CLI::App& app, int argc, char** argv) {
  const bool speaks = here.rank() == 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    const bool asked = failure.get_exit_code() == 0;
    if (speaks && asked) return app.exit(failure);
    if (speaks) {
      fmt::print(stderr, "{0}: {1} (see {0} --help)\n", app.get_name(), failure.what());
    }
    return asked ? 0 : bad_input;
  }
  return -1;
}

CLI::Validator number_in(double least, double most) {
  const auto objection = [=](const std::string& text) {
    double value = 0;
    const bool in_range = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return in_range ? std::string()
                    : fmt::format("{} is no number from {} to {}", text, least, most);
  };
  return CLI::Validator(objection, fmt::format("{} - {}", least, most), "number");
}

bool all_prepared(upwash::job& here, const std::string& program,
                  upwash::function_ref<void()> prepare) {
  std::string reason;
  try {
    prepare();
  } catch (const upwash::error& failure) {
    reason = failure.what();
  }
  const auto nobody = static_cast<std::uint64_t>(here.size());
  std::uint64_t first = reason.empty() ? nobody : static_cast<std::uint64_t>(here.rank());
  upwash::control::all_reduce(here.world(), std::span(&first, 1), upwash::control::fold::least);
  if (first == static_cast<std::uint64_t>(here.rank())) {
    fmt::print(stderr, "{}: {}\n", program, reason);
  }
  return first == nobody;
}

upwash::duration slowest(upwash::job& here, upwash::duration mine) {
  auto longest = static_cast<std::uint64_t>(mine.ps());
  upwash::control::all_reduce(here.world(), std::span(&longest, 1), upwash::control::fold::most);
  return upwash::duration::from_ps(static_cast<std::int64_t>(longest));
}

std::uint64_t total(upwash::job& here, std::uint64_t mine) {
  upwash::control::all_reduce(here.world(), std::span(&mine, 1), upwash::control::fold::sum);
  return mine;
}

}  // namespace apps
