// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash report`: puts the data of traces and what draws it into one page.
#include "tools/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report_data.hpp"
#include "tools/report_files.hpp"
#include "tools/trace_json.hpp"
#include "upwash/base/error.hpp"
#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {
namespace {

struct report_options {
  std::vector<std::string> files;
  std::string page = "report.html";
  std::int64_t slices = 200'000;
};

/// Puts `text` where the page says so.
void fill(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

/// JSON inside of HTML: no name in it can end the element that holds it.
std::string harmless(std::string json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

std::string page_of(const nlohmann::json& traces) {
  std::string page(report_file("page.html"));
  std::string styles;
  for (const char* each : {"uplot/uPlot.min.css", "style.css"}) styles += report_file(each);
  std::string scripts;
  for (const char* each :
       {"uplot/uPlot.iife.min.js", "timeline.js", "matrix.js", "charts.js", "page.js"}) {
    scripts += fmt::format("{}\n", report_file(each));
  }
  fill(page, "/*STYLES*/", styles);
  fill(page, "/*SCRIPTS*/", scripts);
  fill(page, "/*DATA*/", harmless(text_of(traces, -1)));
  return page;
}

void run(const report_options& chosen) {
  if (chosen.files.size() > 2) {
    throw error(error_kind::argument,
                fmt::format("report: {} traces; one, or two to compare", chosen.files.size()));
  }
  nlohmann::json traces = nlohmann::json::array();
  for (const std::string& file : chosen.files) {
    traces.push_back(
        report_data(observe::read_trace(file), file, static_cast<std::size_t>(chosen.slices)));
  }
  std::ofstream out(chosen.page, std::ios::binary | std::ios::trunc);
  out << page_of(traces);
  out.flush();
  if (!out) {
    throw error(error_kind::environment,
                fmt::format("cannot write {}: {}", chosen.page, std::strerror(errno)));
  }
  fmt::print("{}\n", chosen.page);
}

}  // namespace

void add_report(CLI::App& app) {
  auto* command =
      app.add_subcommand("report", "a page that shows a traced job, or two side by side");
  auto chosen = std::make_shared<report_options>();
  command->add_option("files", chosen->files, "that upwash run --trace FILE wrote; one or two")
      ->required();
  command->add_option("-o,--output", chosen->page, "the page (report.html)");
  command->add_option("--slices", chosen->slices, "drawn at most, before short ones are merged")
      ->check(CLI::Range(std::int64_t{100}, std::int64_t{10'000'000}));
  command->callback([chosen] { run(*chosen); });
}

}  // namespace upwash::tools
