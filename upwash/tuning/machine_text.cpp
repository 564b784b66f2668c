// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What measurements of a machine mean: its file, or why there is none.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "upwash/tuning/machine_probe.hpp"

namespace upwash::tuning {
namespace {

using json = nlohmann::ordered_json;

constexpr double worst_fit = 0.3;

json quantity(double value, std::string_view unit, std::string_view source) {
  // Four digits: more would pretend.
  return {{"value", std::stod(fmt::format("{:.4g}", value))}, {"unit", unit}, {"source", source}};
}

double latency_ns(const level_probe& level) { return level.word_ns - 2 * level.send_ns; }

/// At either end of a message of the executor, beyond what a word takes.
double edge_ns(const level_probe& level) {
  return std::max(0.0, (level.fit.shortest().alpha_ns - level.word_ns) / 2);
}

double edge_ns_per_byte(const level_probe& level) {
  return std::max(0.0, level.fit.longest().beta_ns_per_byte - level.put_ns_per_byte);
}

/// Where overheads leave nothing for the way, as with networks whose puts take as long as messages,
/// LogGP does not fit: then messages in bursts are what there is.
bool fits_loggp(const level_probe& level) { return latency_ns(level) > 0; }

json pieces_of(const piecewise_fit& fit) {
  json pieces = json::array();
  for (const auto& [from_bytes, line] : fit.pieces) {
    pieces.push_back({{"from_bytes", from_bytes},
                      {"alpha", quantity(line.alpha_ns, "ns", "measured: multi-ping")},
                      {"beta", quantity(line.beta_ns_per_byte, "ns/B", "measured: multi-ping")}});
  }
  return {{"combine", "by_size"}, {"pieces", std::move(pieces)}};
}

json json_of(const level_probe& level) {
  if (!fits_loggp(level)) {
    return {{"level", to_string(level.kind)}, {"alpha_beta", pieces_of(level.burst_fit)}};
  }
  json costs{
      {"L", quantity(latency_ns(level), "ns", "measured: 8 bytes one way, less both overheads")},
      {"g", quantity(level.gap_ns, "ns", "measured: puts of 64 bytes in bursts of 64")},
      {"G", quantity(level.put_ns_per_byte, "ns/B", "measured: puts of 1 MiB against 512 KiB")}};
  return {{"level", to_string(level.kind)},
          {"o_send", quantity(level.send_ns, "ns", "measured: puts of 8 bytes in bursts of 64")},
          {"o_receive", quantity(level.send_ns, "ns", "taken for equal to o_send")},
          {"loggp", std::move(costs)}};
}

json processor_of(const machine_probe& seen) {
  json costs{{"cores_per_node",
              {{"value", seen.cores}, {"source", "measured: the processors that are online"}}}};
  const auto add = [&](const char* key, std::optional<double> value, std::string_view unit,
                       std::string_view source) {
    if (value) costs[key] = quantity(*value, unit, source);
  };
  add("copy", seen.copy_ns_per_byte, "ns/B", "measured: copies of 1 MiB against 512 KiB, warm");
  add("reduce", seen.reduce_ns_per_byte, "ns/B", "measured: sums of doubles, warm");
  add("core_switch", seen.core_switch_ns, "ns", "measured: sched_yield between two threads");
  const level_probe& inner = seen.levels.front();
  if (!fits_loggp(inner)) return costs;  // there the executor's part is in alpha and beta
  add("edge", edge_ns(inner), "ns", "measured: messages of the executor, beyond a word's time");
  add("edge_per_byte", edge_ns_per_byte(inner), "ns/B",
      "measured: messages of the executor, beyond G");
  return costs;
}

}  // namespace

std::vector<std::string> nonsense_in(const machine_probe& seen) {
  std::vector<std::string> wrong;
  const auto expect_positive = [&](std::string_view what, double value, std::string_view unit) {
    if (!(value > 0)) wrong.push_back(fmt::format("{} would be {:.3g} {}", what, value, unit));
  };
  if (seen.where == placement::disturbed || seen.where == placement::shared) {
    wrong.push_back(seen.where == placement::shared
                        ? "the ranks shared cores: measure with no more ranks than cores"
                        : "the cores did not lie still meanwhile: measure again");
  }
  if (seen.copy_ns_per_byte) expect_positive("copy", *seen.copy_ns_per_byte, "ns/B");
  if (seen.reduce_ns_per_byte) expect_positive("reduce", *seen.reduce_ns_per_byte, "ns/B");
  if (seen.core_switch_ns) expect_positive("core_switch", *seen.core_switch_ns, "ns");
  for (const level_probe& level : seen.levels) {
    const std::string at = fmt::format("{}: ", to_string(level.kind));
    expect_positive(at + "o", level.send_ns, "ns");
    expect_positive(at + "g", level.gap_ns, "ns");
    expect_positive(at + "G", level.put_ns_per_byte, "ns/B");
    if (!level.one_way.empty() && level.word_ns > level.one_way.front().ns * (1 + worst_fit)) {
      wrong.push_back(
          fmt::format("{}8 bytes take {:.3g} ns, {} bytes {:.3g} ns: something disturbed them", at,
                      level.word_ns, level.one_way.front().bytes, level.one_way.front().ns));
    }
    for (const piecewise_fit* fit : {&level.fit, &level.burst_fit}) {
      const bool used = fit == &level.fit || !fits_loggp(level);
      if (!used || (fit->worst() <= worst_fit && fit->shortest().alpha_ns > 0)) continue;
      wrong.push_back(
          fmt::format("{}times lie up to {:.0f} % off the line through them, which begins at "
                      "{:.3g} ns; at most {:.0f} % is wanted: something disturbed them",
                      at, fit->worst() * 100, fit->shortest().alpha_ns, worst_fit * 100));
    }
  }
  return wrong;
}

std::string machine_text(const machine_probe& seen, std::string_view name,
                         std::string_view description) {
  json levels = json::array();
  for (const level_probe& level : seen.levels) {
    json one = json_of(level);
    if (&level != &seen.levels.back()) {
      one["ranks"] = {{"value", seen.ranks_a_node}, {"source", "the layout of the job"}};
    }
    levels.push_back(std::move(one));
  }
  const json file{
      {"name", name},
      {"description", description},
      {"notes", {fmt::format("Measured by upwash tune machine, cores {}.", to_string(seen.where))}},
      {"levels", std::move(levels)},
      {"processor", processor_of(seen)}};
  return file.dump(2) + "\n";
}

}  // namespace upwash::tuning
