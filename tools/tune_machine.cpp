// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/tuning/machine_probe.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tools {
namespace {

namespace fs = std::filesystem;

std::string text_of(const tuning::piecewise_fit& fit) {
  std::string text;
  for (const auto& [from_bytes, line] : fit.pieces) {
    if (from_bytes != 0) text += fmt::format(", from {} bytes ", from_bytes);
    text += fmt::format("{:.4g} ns + {:.4g} ns/B", line.alpha_ns, line.beta_ns_per_byte);
  }
  return text + fmt::format("; at most {:.0f} % off", fit.worst() * 100);
}

/// Each measured time beside what the fit says: its quality.
void print_level(const tuning::level_probe& level) {
  fmt::print("# {}: ranks 0 and {}: a word {:.4g} ns, o {:.4g} ns, g {:.4g} ns, G {:.4g} ns/B\n",
             to_string(level.kind), level.partner, level.word_ns, level.send_ns, level.gap_ns,
             level.put_ns_per_byte);
  fmt::print("# one way: {}\n# bursts both ways: {}\n", text_of(level.fit),
             text_of(level.burst_fit));
  fmt::print("# {:>9} {:>12} {:>12} {:>7} {:>13} {:>12} {:>7}\n", "Size", "One way us", "Fit us",
             "Off %", "Both ways us", "Fit us", "Off %");
  for (std::size_t i = 0; i < level.one_way.size(); ++i) {
    const tuning::timed_size& way = level.one_way[i];
    const tuning::timed_size& burst = level.both_ways[i];
    const double way_fit = level.fit.at(way.bytes);
    const double burst_fit = level.burst_fit.at(burst.bytes);
    fmt::print("{:>11} {:>12.3f} {:>12.3f} {:>7.1f} {:>13.3f} {:>12.3f} {:>7.1f}\n", way.bytes,
               way.ns * 1e-3, way_fit * 1e-3, (way_fit / way.ns - 1) * 100, burst.ns * 1e-3,
               burst_fit * 1e-3, (burst_fit / burst.ns - 1) * 100);
  }
}

void write(const std::string& path, const std::string& text) {
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  write_output(path, text);
}

}  // namespace

void measure_machine(job& here, const std::string& path) {
  const tuning::machine_probe seen = tuning::probe_machine(here);
  if (here.rank() != 0) return;
  for (const tuning::level_probe& each : seen.levels) print_level(each);
  const auto print = [](const char* what, std::optional<double> value, const char* unit) {
    if (value) fmt::print("# {} {:.4g} {}\n", what, *value, unit);
  };
  print("copy", seen.copy_ns_per_byte, "ns/B");
  print("reduce", seen.reduce_ns_per_byte, "ns/B");
  print("core switch", seen.core_switch_ns, "ns");
  if (const auto wrong = tuning::nonsense_in(seen); !wrong.empty()) {
    throw error(error_kind::environment,
                fmt::format("tune: the measurements make no sense, nothing "
                            "is written: {}",
                            fmt::join(wrong, "; ")));
  }
  const std::string name = path == "none" ? "measured" : fs::path(path).stem().string();
  const std::string text = tuning::machine_text(seen, name, tuning::machine_fingerprint());
  static_cast<void>(parse_machine(text, path));  // what is written can be read
  if (path == "none") return;
  write(path, text);
  fmt::print("# written to {}; {}\n", path,
             path == tuning::own_machine_file() ? "jobs choose by it from now on"
                                                : fmt::format("UPWASH_MACHINE={} uses it", path));
}

}  // namespace upwash::tools
