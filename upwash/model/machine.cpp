// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/machine.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "upwash/base/data_folders.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash {
namespace {

namespace fs = std::filesystem;

/// Without streams: a job's first choice waits for it, and these begin by making a locale.
std::string read_text(const std::string& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "re"), close);
  std::string text;
  std::array<char, 4096> part{};
  std::size_t came = 0;
  while (file && (came = std::fread(part.data(), 1, part.size(), file.get())) != 0) {
    text.append(part.data(), came);
  }
  if (!file || std::ferror(file.get()) != 0) {
    throw error(error_kind::configuration, "cannot read the machine file " + path);
  }
  return text;
}

bool is_file(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

[[noreturn]] void unknown_machine(std::string_view name) {
  const std::vector<std::string> known = known_machines();
  const std::vector<std::string_view> views(known.begin(), known.end());
  std::string what = "unknown machine \"" + std::string(name) + "\"";
  if (const std::string_view near = nearest_name(name, views); !near.empty()) {
    what += "; did you mean " + std::string(near) + "?";
  }
  what += known.empty() ? " (no machine files were found)" : " Known:";
  for (const std::string& each : known) what += " " + each;
  what += "; or the path of a machine file";
  throw error(error_kind::configuration, what);
}

/// The ranks that a variant (":ranks_a_node=") of a machine's name says.
int ranks_from(std::string_view variant, std::string_view text, std::string_view machine_name) {
  int ranks = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (status == std::errc() && end == text.data() + text.size()) return ranks;
  throw error(error_kind::configuration, fmt::format("machine {}: {}{}: a number is wanted",
                                                     machine_name, variant.substr(1), text));
}

}  // namespace

std::string_view to_string(level_kind kind) noexcept {
  switch (kind) {
    case level_kind::core: return "core";
    case level_kind::cache: return "cache";
    case level_kind::socket: return "socket";
    case level_kind::node: return "node";
    case level_kind::group: return "group";
    case level_kind::network: return "network";
  }
  return "unknown";
}

std::size_t machine::level_between(int a, int b) const noexcept {
  std::size_t index = 0;
  for (; index + 1 < levels.size(); ++index) {
    const int ranks = levels[index].ranks.value_or(INT_MAX);
    if (levels[index].has_costs() && a / ranks == b / ranks) break;
  }
  return index;
}

int machine::ranks_in(level_kind kind) const noexcept {
  int inside = 1;
  for (const machine_level& level : levels) {
    if (level.kind == kind) return level.ranks.value_or(INT_MAX);
    if (level.kind < kind) inside = level.ranks.value_or(INT_MAX);
  }
  return kind == level_kind::node ? inside : ranks_in(level_kind::node);
}

template <class T>
T needed(const machine& on, const std::optional<T>& value, std::string_view field,
         std::string_view who) {
  if (value) return *value;
  throw error(error_kind::configuration, "machine " + on.name + " has no " + std::string(field) +
                                             ", which " + std::string(who) + " needs; add it to " +
                                             (on.origin.empty() ? "its file" : on.origin));
}
template duration needed(const machine&, const std::optional<duration>&, std::string_view,
                         std::string_view);
template double needed(const machine&, const std::optional<double>&, std::string_view,
                       std::string_view);
template std::uint64_t needed(const machine&, const std::optional<std::uint64_t>&, std::string_view,
                              std::string_view);
template int needed(const machine&, const std::optional<int>&, std::string_view, std::string_view);

machine with_ranks_a_node(machine on, int ranks) {
  const int room = on.ranks_in(level_kind::node);
  if (ranks < 1 || ranks > room) {
    throw error(error_kind::configuration,
                fmt::format("machine {}: ranks_a_node={}: a node has room for 1 to {}", on.name,
                            ranks, room));
  }
  if (on.levels.back().kind <= level_kind::node) {
    throw error(error_kind::configuration,
                fmt::format("machine {}: ranks_a_node={}: it is one node", on.name, ranks));
  }
  on.name += fmt::format(":ranks_a_node={}", ranks);
  if (ranks == 1) on.levels.erase(on.levels.begin(), on.levels.end() - 1);
  for (machine_level& level : on.levels) {
    if (level.kind > level_kind::node) break;
    level.ranks = std::min(level.ranks.value_or(ranks), ranks);
  }
  return on;
}

machine with_ranks_a_core(machine on, int ranks) {
  constexpr int most = 65536;
  if (on.levels.back().kind <= level_kind::node) {
    throw error(error_kind::configuration,
                fmt::format("machine {}: ranks_a_core={}: it is one node, of any number of ranks",
                            on.name, ranks));
  }
  if (ranks < 1 || ranks > most / std::min(on.ranks_in(level_kind::node), most)) {
    throw error(error_kind::configuration,
                fmt::format("machine {}: ranks_a_core={}: expected 1 and up, and at most {} ranks "
                            "a node",
                            on.name, ranks, most));
  }
  on.name += fmt::format(":ranks_a_core={}", ranks);
  if (ranks == 1) return on;
  for (machine_level& level : on.levels) {
    if (level.ranks) *level.ranks *= ranks;
  }
  if (on.levels.size() == 1) {  // the one rank of a node has company now
    machine_level node;
    node.kind = level_kind::node;
    node.ranks = ranks;
    on.levels.insert(on.levels.begin(), node);
  }
  return on;
}

machine with_communication_thread(machine on, bool threads) {
  on.processor.communication_thread = threads;
  on.name += fmt::format(":communication_thread={}", threads ? 1 : 0);
  return on;
}

machine load_machine(std::string_view name_or_path) {
  constexpr std::string_view fewer = ":ranks_a_node=";
  constexpr std::string_view more = ":ranks_a_core=";
  constexpr std::string_view thread = ":communication_thread=";
  // The last one is taken off first.
  if (const std::size_t at = name_or_path.rfind(':'); at != std::string_view::npos) {
    const std::string_view variant = name_or_path.substr(at);
    const std::string_view rest = name_or_path.substr(0, at);
    if (variant.starts_with(fewer)) {
      return with_ranks_a_node(load_machine(rest),
                               ranks_from(fewer, variant.substr(fewer.size()), rest));
    }
    if (variant.starts_with(more)) {
      return with_ranks_a_core(load_machine(rest),
                               ranks_from(more, variant.substr(more.size()), rest));
    }
    if (variant.starts_with(thread)) {
      const std::string_view value = variant.substr(thread.size());
      if (value == "0" || value == "1") {
        return with_communication_thread(load_machine(rest), value == "1");
      }
      throw error(error_kind::configuration,
                  fmt::format("machine {}: communication_thread={}: 0 or 1", rest, value));
    }
  }
  if (name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(".json")) {
    return parse_machine(read_text(std::string(name_or_path)), name_or_path);
  }
  for (const std::string& folder : data_folders("machines")) {
    const std::string path = (folder + '/').append(name_or_path).append(".json");
    if (!name_or_path.empty() && is_file(path)) return parse_machine(read_text(path), path);
  }
  unknown_machine(name_or_path);
}

std::vector<std::string> known_machines() {
  std::vector<std::string> names;
  for (const std::string& folder : data_folders("machines")) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

machine uniform_machine(duration latency, duration overhead, duration gap, double gap_ns_per_byte) {
  machine_level level;
  level.send_overhead = overhead;
  level.receive_overhead = overhead;
  level.loggp = loggp_cost{latency, gap, gap_ns_per_byte};
  machine result;
  result.name = "uniform";
  result.levels.push_back(std::move(level));
  result.nic.of = nic_protocol::owner::rank;
  return result;
}

}  // namespace upwash
