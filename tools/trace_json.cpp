// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_json.hpp"

#include <string>

namespace upwash::tools {
namespace {

double us(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

/// A list even where there is nothing.
nlohmann::json list() { return nlohmann::json::array(); }

}  // namespace

nlohmann::json json_of(const observe::trace& t, const trace_numbers& n) {
  nlohmann::json all = {{"ranks", t.size()},
                        {"traced", t.ranks.size()},
                        {"events", n.events},
                        {"us", us(n.end_ps)},
                        {"virtual", t.virtual_time()},
                        {"missing", t.faults},
                        {"sizes", n.sizes},
                        {"shares", list()},
                        {"waits", list()},
                        {"collectives", list()},
                        {"matrix", list()},
                        {"critical", list()}};
  for (const time_shares& e : n.shares) {
    all["shares"].push_back({{"rank", e.rank},
                             {"program_us", us(e.program)},
                             {"wait_us", us(e.wait)},
                             {"library_us", us(e.library)}});
  }
  for (const name_total& e : n.waits) {
    all["waits"].push_back(
        {{"name", e.name}, {"count", e.count}, {"us", us(e.ps)}, {"longest_us", us(e.longest_ps)}});
  }
  for (const collective_total& e : n.collectives) {
    nlohmann::json late = nlohmann::json::array();
    for (const auto& [rank, count] : e.last) {
      late.push_back({{"rank", rank}, {"last", count}, {"late_us", us(e.late_ps.at(rank))}});
    }
    all["collectives"].push_back({{"name", e.name},
                                  {"calls", e.calls},
                                  {"bytes_least", e.least_bytes},
                                  {"bytes_most", e.most_bytes},
                                  {"us", us(e.ps)},
                                  {"longest_us", us(e.longest_ps)},
                                  {"compared", e.compared},
                                  {"late", late}});
  }
  for (const auto& [pair, what] : n.matrix) {
    all["matrix"].push_back({{"from", pair.first},
                             {"to", pair.second},
                             {"count", what.messages},
                             {"bytes", what.bytes}});
  }
  for (const path_part& e : n.critical) {
    all["critical"].push_back({{"rank", e.rank},
                               {"begin_us", us(e.begin_ps)},
                               {"end_us", us(e.end_ps)},
                               {"came_by", e.came_by}});
  }
  add_layers(all, n);
  return all;
}

std::string text_of(const nlohmann::json& all, int indent) {
  return all.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace upwash::tools
