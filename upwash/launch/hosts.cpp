// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "upwash/base/error.hpp"
#include "upwash/launch/bootstrap.hpp"

namespace upwash::launch {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t longest_name = 255;

[[noreturn]] void wrong(const std::string& text) { throw error(error_kind::argument, text); }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

int slots_in(std::string_view number, std::string_view where) {
  int slots = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), slots);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() || slots < 1 ||
      slots > most_ranks) {
    wrong(fmt::format("{}: '{}' slots: expected a number from 1 to {}", where, number, most_ranks));
  }
  return slots;
}

/// It becomes a word of the remote shell's command line: none of its options, nor more words.
void check_name(std::string_view name, std::string_view where) {
  const bool strange = std::any_of(name.begin(), name.end(),
                                   [](unsigned char one) { return one <= ' ' || one == 127; });
  if (name.empty() || name.size() > longest_name || name.front() == '-' || strange) {
    wrong(fmt::format("{}: '{}' is no name of a host (expected as a:8,b:8)", where, name));
  }
}

void add(std::vector<host_share>& all, std::string_view name, int slots, std::string_view where) {
  check_name(name, where);
  if (!all.empty() && all.back().name == name) {
    slots += all.back().slots;
    if (slots > most_ranks) wrong(fmt::format("{}: host {} has {} slots", where, name, slots));
    all.back().slots = slots;
    return;
  }
  if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; })) {
    wrong(fmt::format("{}: host {} is named again after others: a host's slots belong together",
                      where, name));
  }
  all.push_back({std::string(name), slots});
}

/// "a", "a:8"; in a file "a slots=8" too. An address of IPv6 stands in brackets: "[fd00::1]:8".
void add_entry(std::vector<host_share>& all, std::string_view entry, bool in_file,
               std::string_view where) {
  constexpr std::string_view key = "slots=";
  std::string_view name = entry;
  std::optional<std::string_view> number;
  if (const auto blank = entry.find_first_of(blanks); in_file && blank != std::string_view::npos) {
    const std::string_view more = trimmed(entry.substr(blank));
    if (!more.starts_with(key)) wrong(fmt::format("{}: '{}': expected slots=N", where, more));
    name = entry.substr(0, blank);
    number = more.substr(key.size());
  } else if (const auto colon = entry.rfind(':');
             colon != std::string_view::npos && entry.back() != ']') {
    name = entry.substr(0, colon);
    number = entry.substr(colon + 1);
  }
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  add(all, name, number ? slots_in(*number, where) : 1, where);
}

std::vector<host_share> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) wrong(fmt::format("--hosts @{}: cannot read the file", path));
  std::vector<host_share> all;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view entry = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!entry.empty()) add_entry(all, entry, true, fmt::format("{}, line {}", path, number));
  }
  if (all.empty()) wrong(fmt::format("--hosts @{}: the file names no host", path));
  return all;
}

}  // namespace

std::vector<host_share> parse_hosts(std::string_view text) {
  if (text.starts_with('@')) return read_file(std::string(text.substr(1)));
  std::vector<host_share> all;
  const std::string where = fmt::format("--hosts {}", text);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    add_entry(all, text.substr(at, end - at), false, where);
    at = end + 1;
  }
  return all;
}

}  // namespace upwash::launch
