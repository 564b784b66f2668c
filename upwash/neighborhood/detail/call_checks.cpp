// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/detail/call_checks.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/job.hpp"

namespace upwash::neighborhoods::detail {
namespace {

[[noreturn]] void refuse(const neighborhood& on, what of, const std::string& why) {
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: {}", on.among().here().rank(), name_of(of), why));
}

schedule::steps nothing(schedule::script& /*out*/) { co_return; }

/// A collective without steps, whose signature alone travels: planning by different schemes would
/// wait for messages that nobody sends.
void compare_schemes(const neighborhood& on, what of, std::uint64_t bytes,
                     const neighbor_options& how, call_site site) {
  const auto scheme = std::make_shared<const std::string>(how.scheme);
  collective::manner run_as;
  run_as.agreed = {.operation = name_of(of), .algorithm = *scheme, .bytes = bytes, .site = site};
  run_as.refers_to = scheme;
  const schedule::generator none({}, [](schedule::script& out) { return nothing(out); });
  collective::execute(on.among(), none, {}, run_as).detach();
}

}  // namespace

const char* name_of(what of) noexcept {
  return of == what::all_gather ? "neighbor_all_gather" : "neighbor_all_to_all";
}

void check_options(const neighborhood& on, what of, std::uint64_t bytes,
                   const neighbor_options& how, call_site site) {
  if (!how.edges.algorithm.empty()) {
    refuse(on, of,
           fmt::format("neighbor_options::edges.algorithm is \"{}\"; it chooses nothing here: give "
                       "neighbor_options::scheme",
                       how.edges.algorithm));
  }
  if (on.among().here().options().checked) compare_schemes(on, of, bytes, how, site);
}

}  // namespace upwash::neighborhoods::detail
