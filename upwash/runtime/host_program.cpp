// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/runtime/host_program.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "upwash/runtime/detail/hosting.hpp"
#include "upwash/runtime/detail/running.hpp"

namespace upwash::runtime_detail {
namespace {

int run_copies(const std::vector<std::string>& words) {
  composition parts;
  int failed = -1;
  return reported(parts, failed, [&] {
    const privatize::program_file program(words.front());
    begin_process(parts, false);
    hosting ranks(parts, program, words);
    int status = 0;
    const auto live = [&](job& here) {
      status = std::max(status, ranks.of(here.rank()).live(here));
    };
    const auto install = [&](job& here) { install_layers(here, parts); };
    const auto copy = [&](int rank) -> const void* { return ranks.of(rank).copy().program(); };
    run_all({*parts.world, parts.options, install, copy}, live, failed);
    end_process(parts);
    return status;
  });
}

}  // namespace
}  // namespace upwash::runtime_detail

int upwash_host_program_1(int argc, char** argv) {
  return upwash::runtime_detail::run_copies({argv, argv + argc});
}
