// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report_page.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tools/report_files.hpp"
#include "tools/trace_json.hpp"

namespace upwash::tools {
namespace {

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

/// What draws each, the frame last.
std::vector<const char*> scripts_of(page_kind what) {
  switch (what) {
    case page_kind::traces:
      return {"uplot/uPlot.iife.min.js",
              "timeline.js",
              "matrix.js",
              "charts.js",
              "layers.js",
              "page.js",
              "traces.js"};
    case page_kind::schedule: return {"page.js", "schedule.js"};
    case page_kind::network: return {"page.js", "network.js"};
  }
  return {};
}

}  // namespace

std::string page_of(page_kind what, const nlohmann::json& data) {
  std::string page(report_file("page.html"));
  std::string styles;
  for (const char* each : {"uplot/uPlot.min.css", "style.css"}) styles += report_file(each);
  std::string scripts;
  for (const char* each : scripts_of(what)) scripts += fmt::format("{}\n", report_file(each));
  fill(page, "/*STYLES*/", styles);
  fill(page, "/*SCRIPTS*/", scripts);
  fill(page, "/*DATA*/", harmless(text_of(data, -1)));
  return page;
}

}  // namespace upwash::tools
