// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every application does around its work: read the command line on all ranks, agree on what
// is wrong, combine what the ranks saw.
#pragma once

#include <cstdint>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/core/job.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace apps {

constexpr int bad_input = 2;

/// Parses the command line; the exit status when the program should end here, else -1. All ranks
/// read the same line: rank 0 speaks. Not collective.
[[nodiscard]] int read_command_line(const upwash::job& here, CLI::App& app, int argc, char** argv);

/// Refuses what is no number from `least` to `most`.
[[nodiscard]] CLI::Validator number_in(double least, double most);

/// Runs `prepare` and returns whether it threw no `error` on any rank; the first rank where it
/// did says why, in one line that starts with the program's name. Collective, blocking.
[[nodiscard]] bool all_prepared(upwash::job& here, const std::string& program,
                                upwash::function_ref<void()> prepare);

/// The longest time of any rank. Collective, blocking.
[[nodiscard]] upwash::duration slowest(upwash::job& here, upwash::duration mine);

/// The sum over all ranks. Collective, blocking.
[[nodiscard]] std::uint64_t total(upwash::job& here, std::uint64_t mine);

}  // namespace apps
