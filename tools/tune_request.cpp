// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/tuning/trial.hpp"

namespace upwash::tools {
namespace {

using collective::kind;
using schedule::sync_mode;

constexpr std::uint64_t most_buffer = std::uint64_t{64} << 20U;

bool has_block_of_each(kind of) {
  return of.facts().input == collective::extent::each ||
         of.facts().output == collective::extent::each;
}

std::vector<kind> kinds_of(const tune_request& asked) {
  std::vector<kind> all;
  if (!asked.all) {
    for (const std::string& each : asked.collectives) {
      all.push_back(collective::kind_named(each));
      tuning::expect_tunable(all.back());
    }
  } else {
    for (const kind one : collective::own_kinds()) {
      if (tuning::can_be_tuned(one)) all.push_back(one);
    }
  }
  if (all.empty()) {
    throw error(error_kind::argument, "tune: name collectives, or --all (upwash tune --help)");
  }
  return all;
}

}  // namespace

std::vector<collective::problem> problems_of(const tune_request& asked) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& each : asked.bytes) sizes.push_back(parse_bytes(each, "--bytes"));
  const bool own_sizes = !sizes.empty();
  if (!own_sizes) sizes = {8, 64, 512, 4096, 32768, 262144};
  std::vector<collective::problem> found;
  for (const kind what : kinds_of(asked)) {
    for (const std::uint64_t bytes : sizes) {
      const bool has_sizes = what != kind::barrier;
      const auto blocks = has_block_of_each(what) ? static_cast<std::uint64_t>(asked.ranks) : 1;
      if (!own_sizes && bytes * blocks > most_buffer) continue;
      collective::problem call{.of = what, .ranks = asked.ranks, .bytes = bytes};
      call.element_bytes = bytes % sizeof(double) == 0 ? sizeof(double) : 1;
      call.commutative = !asked.ordered;
      call.in_place = what.facts().one_buffer;
      call.overlapped = asked.overlapped;
      call.addresses = asked.addresses == "single" ? schedule::address_mode::single
                                                   : schedule::address_mode::local;
      call.entry = asked.sync == "none"  ? sync_mode::none
                   : asked.sync == "all" ? sync_mode::all
                                         : sync_mode::mine;
      call.exit = call.entry;
      call.direct_access = conduit_named(asked.conduit).shares_memory;
      if (!has_sizes) call.bytes = 0;
      found.push_back(call);
      if (!has_sizes) break;
    }
  }
  return found;
}

std::string simulated_machine(const tune_request& asked) {
  return conduit_named(asked.conduit).simulated ? asked.machine : std::string();
}

}  // namespace upwash::tools
