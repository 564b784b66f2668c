// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash report`: puts the data of traces and what draws it into one page.
#include "tools/report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/report_data.hpp"
#include "tools/report_page.hpp"
#include "tools/trace_replay.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {
namespace {

struct report_options {
  std::vector<std::string> files;
  std::string page = "report.html";
  std::int64_t slices = 200'000;
  what_if_options again;
};

void run(const report_options& chosen) {
  if (chosen.files.size() > 2) {
    throw error(error_kind::argument,
                fmt::format("report: {} traces; one, or two to compare", chosen.files.size()));
  }
  check_output(chosen.page);
  nlohmann::json traces = nlohmann::json::array();
  for (const std::string& file : chosen.files) {
    const observe::trace t = observe::read_trace(file);
    traces.push_back(report_data(t, file, static_cast<std::size_t>(chosen.slices)));
    traces.back()["what_if"] = json_of(replay_trace(t, chosen.again));
  }
  write_output(chosen.page, page_of(page_kind::traces, traces));
  fmt::print("{}\n", chosen.page);
}

}  // namespace

void add_report(CLI::App& app) {
  auto* command = app.add_subcommand(
      "report", "Write an HTML page that shows a traced job, or two jobs side by side");
  auto chosen = std::make_shared<report_options>();
  command->add_option("files", chosen->files, "One or two trace files from upwash run --trace")
      ->required();
  command->add_option("-o,--output", chosen->page, "The page to write (default: report.html)");
  command
      ->add_option("--slices", chosen->slices,
                   "Largest number of slices; shorter ones are merged beyond it")
      ->check(CLI::Range(std::int64_t{100}, std::int64_t{10'000'000}));
  add_what_if(*command, chosen->again);
  command->callback([chosen] { run(*chosen); });
}

}  // namespace upwash::tools
