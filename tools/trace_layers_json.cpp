// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Choices, streams, tagged messages and migrations as JSON.
#include <string>

#include "tools/trace_json.hpp"

namespace upwash::tools {
namespace {

using nlohmann::json;

double us(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

json choices_json(const std::vector<choice_total>& choices) {
  json all = json::array();
  for (const choice_total& e : choices) {
    json candidates = json::array();
    for (const observe::traced_candidate& each : e.is.candidates) {
      json one = {{"name", each.name}, {"predicted_us", nullptr}};
      if (each.predicted_ns) one["predicted_us"] = *each.predicted_ns * 1e-3;
      candidates.push_back(std::move(one));
    }
    json ran = json::array();
    for (const algorithm_runs& each : e.ran) {
      ran.push_back({{"algorithm", each.algorithm},
                     {"calls", each.calls},
                     {"us", us(each.ps)},
                     {"least_us", us(each.least_ps)}});
    }
    all.push_back({{"problem", e.is.problem},
                   {"chosen", e.is.chosen},
                   {"label", e.is.label},
                   {"how", e.is.how},
                   {"why", e.is.why},
                   {"times", e.times},
                   {"rank", e.rank},
                   {"at_us", us(e.at_ps)},
                   {"choosing_us", us(e.length_ps)},
                   {"candidates", std::move(candidates)},
                   {"ran", std::move(ran)}});
  }
  return all;
}

json streams_json(const std::vector<stream_total>& streams) {
  json all = json::array();
  for (const stream_total& e : streams) {
    json receivers = json::array();
    for (const auto& [rank, messages] : e.receivers) {
      receivers.push_back({{"rank", rank}, {"messages", messages}});
    }
    all.push_back({{"opened_at", e.opened_at},
                   {"cause", e.cause},
                   {"messages", e.messages},
                   {"items", e.items},
                   {"bytes", e.bytes},
                   {"fill", e.fill / static_cast<double>(e.messages)},
                   {"fills", e.fills},
                   {"receivers", std::move(receivers)}});
  }
  return all;
}

json matching_json(const matching_total& of) {
  json tags = json::array();
  for (const auto& [tag, each] : of.tags) {
    tags.push_back({{"tag", tag}, {"messages", each.messages}, {"bytes", each.bytes}});
  }
  json ranks = json::array();
  for (const matching_total::at_rank& each : of.ranks) {
    ranks.push_back({{"rank", each.rank},
                     {"most_posted", each.most_posted},
                     {"most_unexpected", each.most_kept}});
  }
  return {{"messages", of.messages},
          {"found_a_receive", of.found_a_receive},
          {"unexpected", of.kept},
          {"receives", of.receives},
          {"found_a_message", of.found_a_message},
          {"waited", of.waited},
          {"tags", std::move(tags)},
          {"ranks", std::move(ranks)},
          {"posted_depth", of.posted},
          {"unexpected_depth", of.unexpected}};
}

}  // namespace

void add_layers(json& to, const trace_numbers& n) {
  to["choices"] = choices_json(n.choices);
  to["streams"] = streams_json(n.streams);
  to["matching"] = matching_json(n.matching);
  json migrations = json::array();
  for (const migration_total& e : n.migrations) {
    migrations.push_back({{"name", e.name},
                          {"from", e.from},
                          {"to", e.to},
                          {"objects", e.objects},
                          {"bytes", e.bytes}});
  }
  to["migrations"] = std::move(migrations);
  json steps = json::array();
  for (const name_total& e : n.steps) {
    steps.push_back(
        {{"name", e.name}, {"count", e.count}, {"us", us(e.ps)}, {"longest_us", us(e.longest_ps)}});
  }
  to["steps"] = std::move(steps);
}

}  // namespace upwash::tools
