// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_layers_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace upwash::tools {
namespace {

std::string us_or_dash(const std::optional<double>& us) {
  return us ? fmt::format("{:.2f}", *us) : "-";
}

std::optional<double> predicted_us(const choice_total& of) {
  const auto found =
      std::ranges::find(of.is.candidates, of.is.chosen, &observe::traced_candidate::name);
  if (found == of.is.candidates.end() || !found->predicted_ns) return std::nullopt;
  return *found->predicted_ns * 1e-3;
}

/// In the mean, by the algorithm that was chosen.
std::optional<double> taken_us(const choice_total& of) {
  const std::string_view name = std::string_view(of.is.chosen).substr(0, of.is.chosen.find(':'));
  const auto found = std::ranges::find(of.ran, name, &algorithm_runs::algorithm);
  if (found == of.ran.end()) return std::nullopt;
  return static_cast<double>(found->ps) * 1e-6 / static_cast<double>(found->calls);
}

template <class Rows, class Print>
void print_first(std::FILE* out, const Rows& rows, std::size_t most, const Print& print) {
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) print(rows[i]);
  if (rows.size() > most) fmt::print(out, "{:>9} {} more\n", "...", rows.size() - most);
}

void print_matching(std::FILE* out, const matching_total& of) {
  if (of.messages + of.receives == 0) return;
  std::uint64_t posted = 0;
  std::uint64_t kept = 0;
  for (const matching_total::at_rank& each : of.ranks) {
    posted = std::max(posted, each.most_posted);
    kept = std::max(kept, each.most_kept);
  }
  fmt::print(
      out,
      "\ntagged messages: {}, {} found a receive, {} were kept; receives: {}, {} found a message, "
      "{} waited; queues of at most {} receives and {} messages; {} tags\n",
      of.messages, of.found_a_receive, of.kept, of.receives, of.found_a_message, of.waited, posted,
      kept, of.tags.size());
}

}  // namespace

void print_layers(std::FILE* out, const trace_numbers& n, std::size_t most_lines) {
  if (!n.choices.empty()) {
    fmt::print(out, "\n{:>12} {:>12}  chosen (mean of its calls; --json has all prices)\n",
               "predicted us", "took us");
    print_first(out, n.choices, most_lines, [out](const choice_total& each) {
      fmt::print(out, "{:>12} {:>12}  {}: {}\n", us_or_dash(predicted_us(each)),
                 us_or_dash(taken_us(each)), each.is.problem, each.is.chosen);
    });
  }
  if (!n.streams.empty()) {
    fmt::print(out, "\n{:>9} {:>10} {:>14} {:>7}  messages of streams: why they left\n", "messages",
               "items", "bytes", "full %");
    print_first(out, n.streams, most_lines, [out](const stream_total& each) {
      fmt::print(out, "{:>9} {:>10} {:>14} {:>7.1f}  {}, opened at {}\n", each.messages, each.items,
                 each.bytes, 100 * each.fill / static_cast<double>(each.messages), each.cause,
                 each.opened_at);
    });
  }
  print_matching(out, n.matching);
  if (!n.migrations.empty()) {
    fmt::print(out, "\n{:>9} {:>14} {:>6} {:>6}  migrations\n", "objects", "bytes", "from", "to");
    print_first(out, n.migrations, most_lines, [out](const migration_total& each) {
      fmt::print(out, "{:>9} {:>14} {:>6} {:>6}  {}\n", each.objects, each.bytes, each.from,
                 each.to, each.name);
    });
  }
}

}  // namespace upwash::tools
