// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "interop/mpi/detail/library_names.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/base/random.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::mpi {
namespace {

/// Sets those that a list names. Throws `error` (configuration).
void mark(std::string_view knob, std::string_view list,
          std::array<bool, number_of_functions>& which, bool value) {
  const std::vector<std::string_view> names(std::begin(function_names), std::end(function_names));
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    if (name.empty()) continue;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const std::string_view near = nearest_name(name, names);
      throw error(error_kind::configuration,
                  fmt::format("{}={}: no such function of MPI{}; expected names as in "
                              "MPI_Bcast,MPI_Allreduce",
                              knob_variable(knob), name,
                              near.empty() ? "" : fmt::format(", did you mean {}?", near)));
    }
    which[static_cast<std::size_t>(found - names.begin())] = value;
  }
}

/// Those that a list names.
void mark_families(std::string_view list, preload_options& made) {
  const std::string_view all = list;
  if (list == "off") return;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    const bool every = name == "all";
    if (!every && name != "collectives" && name != "neighborhoods" && name != "messages") {
      throw error(error_kind::configuration,
                  fmt::format("UPWASH_MPI={}: expected off, all, or some of collectives, "
                              "neighborhoods, messages with commas between",
                              all));
    }
    made.collectives |= every || name == "collectives";
    made.neighborhoods |= every || name == "neighborhoods";
    made.messages |= every || name == "messages";
  }
}

/// A send that one rank gave to upwash would never meet a receive that another gave to the MPI.
void check_messages(preload_options& made, std::string_view why) {
  const auto missing = std::ranges::find_if_not(functions_of_messages, [&](function each) {
    return made.takes[static_cast<std::size_t>(each)];
  });
  if (!made.messages || missing == std::ranges::end(functions_of_messages)) return;
  made.messages = false;
  made.missing = function_names[static_cast<std::size_t>(*missing)];
  made.missing_why = why;
}

/// They get requests that the program has from others.
constexpr std::array functions_of_requests = {
    function::of_MPI_Wait,         function::of_MPI_Waitall,
    function::of_MPI_Waitany,      function::of_MPI_Waitsome,
    function::of_MPI_Test,         function::of_MPI_Testall,
    function::of_MPI_Testany,      function::of_MPI_Testsome,
    function::of_MPI_Request_free, function::of_MPI_Request_get_status,
    function::of_MPI_Cancel,       function::of_MPI_Start,
    function::of_MPI_Startall,
};

}  // namespace

void preload_options::leave_out(const other_definitions& others) {
  for (std::size_t i = 0; i < takes.size(); ++i) takes[i] = takes[i] && !others.in_program[i];
  requests = std::ranges::none_of(functions_of_requests, [&](function each) {
    return others.in_program[static_cast<std::size_t>(each)];
  });
  check_messages(*this, "is defined by the program, so its calls do not reach upwash");
}

preload_options preload_options::read() {
  knob_table table;
  add_all_knobs(table);
  const settings values = settings::from_environment(table);
  preload_options made;
  mark_families(values.text("mpi"), made);
  made.threads = values.flag("mpi_threads");
  made.sample = values.integer("mpi_sample");
  if (made.sample < 0) {
    throw error(error_kind::configuration,
                fmt::format("UPWASH_MPI_SAMPLE={}: expected 0 or more", made.sample));
  }
  made.checked = values.flag("checked");
  if (values.source("unexpected_limit") != knob_source::fallback) {
    made.unexpected_bytes = values.bytes("unexpected_limit");
  }
  const std::string& only = values.text("mpi_only");
  made.takes.fill(only.empty());
  mark("mpi_only", only, made.takes, true);
  mark("mpi_except", values.text("mpi_except"), made.takes, false);
  check_messages(made, "is not taken over (UPWASH_MPI_ONLY, UPWASH_MPI_EXCEPT)");
  if (made.messages) made.unknown = unknown_message_function();
  if (!made.unknown.empty()) made.messages = false;
  made.report = values.text("report");
  if (made.report == "0") made.report.clear();
  return made;
}

std::uint64_t preload_options::fingerprint() const noexcept {
  std::uint64_t all = random_bits(static_cast<std::uint64_t>(sample),
                                  (collectives ? 1U : 0U) | (messages ? 2U : 0U) |
                                      (threads ? 4U : 0U) | (checked && sample != 0 ? 8U : 0U),
                                  neighborhoods ? 1 : 0);
  for (std::size_t i = 0; i < takes.size(); ++i) all = random_bits(all, i, takes[i] ? 1 : 0);
  return all;
}

}  // namespace upwash::mpi
