// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash trace`: reads what ranks wrote down while they ran.
#include "tools/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/trace_export.hpp"
#include "tools/trace_json.hpp"
#include "tools/trace_layers_text.hpp"
#include "tools/trace_numbers.hpp"
#include "tools/trace_otf2.hpp"
#include "tools/trace_replay.hpp"
#include "upwash/base/output_file.hpp"

namespace upwash::tools {
namespace {

constexpr std::size_t most_lines = 12;  ///< of a table in the text; JSON has all

struct trace_options {
  std::string file;
  std::string chrome;
  std::string messages;
  std::string otf2;
  bool json = false;
  what_if_options again;
};

double us(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

template <class Write>
void write_to(const std::string& path, const Write& write) {
  if (path.empty()) return;
  output_file out(path);
  write(out.stream());
  out.finish();
}

/// The rank that was most often the last to begin, where one stands out.
std::string late_rank(const collective_total& of) {
  if (of.last.empty()) return "-";
  const auto worst =
      std::ranges::max_element(of.late_ps, {}, [](const auto& e) { return e.second; });
  return fmt::format("{} ({} of {}, {:.1f} us)", worst->first, of.last.at(worst->first),
                     of.compared, us(worst->second));
}

void print_shares(std::FILE* out, const trace_numbers& n) {
  fmt::print(out, "\n{:>6} {:>14} {:>9} {:>9} {:>9}\n", "rank", "time us", "program %", "wait %",
             "library %");
  std::vector<time_shares> shown = n.shares;
  if (shown.size() > most_lines) {
    std::ranges::stable_sort(shown, std::greater<>(), &time_shares::wait);
    shown.resize(most_lines);
  }
  for (const time_shares& each : shown) {
    fmt::print(out, "{:>6} {:>14.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", each.rank, us(each.total()),
               share(each.program, each.total()), share(each.wait, each.total()),
               share(each.library, each.total()));
  }
  if (shown.size() < n.shares.size()) {
    fmt::print(out, "{:>6} {} more ranks, which wait less\n", "...",
               n.shares.size() - shown.size());
  }
}

void print_waits(std::FILE* out, const trace_numbers& n) {
  if (n.waits.empty()) return;
  fmt::print(out, "\n{:>9} {:>14} {:>12}  waits for\n", "count", "all us", "longest us");
  for (std::size_t i = 0; i < std::min(most_lines, n.waits.size()); ++i) {
    const name_total& each = n.waits[i];
    fmt::print(out, "{:>9} {:>14.1f} {:>12.1f}  {}\n", each.count, us(each.ps), us(each.longest_ps),
               each.name);
  }
}

void print_collectives(std::FILE* out, const trace_numbers& n) {
  if (n.collectives.empty()) return;
  fmt::print(out,
             "\n{:>9} {:>12} {:>12} {:>12}  collective; the late rank (how often, by how much)\n",
             "calls", "bytes", "mean us", "longest us");
  for (std::size_t i = 0; i < std::min(most_lines, n.collectives.size()); ++i) {
    const collective_total& each = n.collectives[i];
    const std::string bytes = each.least_bytes == each.most_bytes
                                  ? fmt::format("{}", each.most_bytes)
                                  : fmt::format("{}-{}", each.least_bytes, each.most_bytes);
    fmt::print(out, "{:>9} {:>12} {:>12.2f} {:>12.1f}  {}; {}\n", each.calls, bytes,
               us(each.ps) / static_cast<double>(each.calls), us(each.longest_ps), each.name,
               late_rank(each));
  }
}

void print_traffic(std::FILE* out, const trace_numbers& n) {
  if (n.matrix.empty()) return;
  std::vector<std::pair<std::pair<int, int>, traffic>> pairs(n.matrix.begin(), n.matrix.end());
  std::ranges::stable_sort(pairs, std::greater<>(), [](const auto& e) { return e.second.bytes; });
  fmt::print(out, "\n{:>6} {:>6} {:>10} {:>14}  messages, puts, gets, atomics\n", "from", "to",
             "count", "bytes");
  for (std::size_t i = 0; i < std::min(most_lines, pairs.size()); ++i) {
    const auto& [pair, what] = pairs[i];
    fmt::print(out, "{:>6} {:>6} {:>10} {:>14}\n", pair.first, pair.second, what.messages,
               what.bytes);
  }
  if (pairs.size() > most_lines)
    fmt::print(out, "{:>6} {} more pairs\n", "...", pairs.size() - most_lines);
}

void print_critical(std::FILE* out, const trace_numbers& n) {
  std::map<int, std::int64_t> by_rank;
  for (const path_part& each : n.critical) by_rank[each.rank] += each.end_ps - each.begin_ps;
  std::vector<std::pair<int, std::int64_t>> ranks(by_rank.begin(), by_rank.end());
  std::ranges::stable_sort(ranks, std::greater<>(), [](const auto& e) { return e.second; });
  fmt::print(out, "\ncritical path: {} parts;", n.critical.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(6, ranks.size()); ++i) {
    fmt::print(out, "{} rank {} {:.1f} %", i == 0 ? "" : ",", ranks[i].first,
               share(ranks[i].second, n.end_ps));
  }
  fmt::print(out, "{}\n", ranks.size() > 6 ? ", ..." : "");
}

void run(const trace_options& chosen) {
  const observe::trace t = observe::read_trace(chosen.file);
  write_to(chosen.chrome, [&](std::ostream& out) { write_chrome(t, out); });
  write_to(chosen.messages, [&](std::ostream& out) { write_messages(t, out); });
  if (!chosen.otf2.empty()) write_otf2(t, chosen.otf2);
  const trace_numbers n = numbers_of(t);
  const std::vector<what_if> again = replay_trace(t, chosen.again);
  if (chosen.json) {
    nlohmann::json all = json_of(t, n);
    all["what_if"] = json_of(again);
    fmt::print("{}\n", text_of(all, 1));
  } else {
    print_trace(stdout, t, n);
    print_what_if(again, n.end_ps);
  }
}

}  // namespace

void print_trace(std::FILE* out, const observe::trace& t, const trace_numbers& n) {
  const auto& head = t.ranks.front().head;
  fmt::print(out, "{} of {} ranks, {} events, {:.1f} us{} on conduit {}\n", t.ranks.size(),
             t.size(), n.events, us(n.end_ps), t.virtual_time() ? " of virtual time" : "",
             head.conduit.data());
  for (const std::string& each : t.faults) fmt::print(out, "missing: {}\n", each);
  std::uint64_t overwritten = 0;
  for (const auto& rank : t.ranks) overwritten += rank.overwritten;
  if (overwritten != 0) {
    fmt::print(out, "missing: the first {} events made room (knob trace_limit)\n", overwritten);
  }
  print_shares(out, n);
  print_waits(out, n);
  print_collectives(out, n);
  print_layers(out, n, most_lines);
  print_traffic(out, n);
  print_critical(out, n);
}

void add_trace(CLI::App& app) {
  auto* command = app.add_subcommand("trace", "Print the numbers of a traced job");
  auto chosen = std::make_shared<trace_options>();
  command->add_option("file", chosen->file, "A trace file from upwash run --trace")->required();
  command->add_option("--chrome", chosen->chrome,
                      "Write the events to this file, for ui.perfetto.dev and chrome://tracing");
  command->add_option("--messages", chosen->messages,
                      "Write a line for each message to this CSV file");
  command->add_option("--otf2", chosen->otf2,
                      "Write an OTF2 archive into this new folder, for Vampir and other readers");
  command->add_flag("--json", chosen->json, "Print all numbers as JSON");
  add_what_if(*command, chosen->again);
  command->callback([chosen] { run(*chosen); });
}

}  // namespace upwash::tools
