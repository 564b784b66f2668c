// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "upwash/base/error.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"
#include "upwash/simulator/network/traffic.hpp"

namespace upwash::simulator {
namespace {

constexpr std::string_view blanks = " \t\r";

/// The words of a line, at most one more than there may be.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (words.size() <= 4) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) break;
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
  return words;
}

/// Where in a trace, for errors.
struct place {
  std::string_view origin;
  int line = 0;

  [[noreturn]] void fail(const std::string& what) const {
    throw error(error_kind::configuration,
                fmt::format("trace {}, line {}: {}", origin, line, what));
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view word, std::string_view name, Number most) const {
    Number value{};
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size() || !(value >= 0) ||
        value > most) {
      fail(fmt::format("{}: \"{}\" is not in 0 .. {}", name, word, most));
    }
    return value;
  }
};

trace_message message_in(std::string_view line, const place& at, int nodes) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 4) at.fail("expected: time_ns source destination bytes");
  constexpr double most_ns = 1e15;  // some ten days
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50U;
  trace_message one;
  one.at = duration::from_ps(std::llround(at.number(words[0], "time_ns", most_ns) * 1e3));
  one.source = at.number(words[1], "source", nodes - 1);
  one.destination = at.number(words[2], "destination", nodes - 1);
  one.bytes = at.number(words[3], "bytes", most_bytes);
  if (one.source == one.destination) {
    at.fail(fmt::format("a message of node {} to itself crosses no network", one.source));
  }
  return one;
}

}  // namespace

std::vector<trace_message> parse_trace(std::string_view text, std::string_view origin, int nodes) {
  std::vector<trace_message> all;
  place at{origin};
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++at.line;
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos || line[first] == '#') continue;
    all.push_back(message_in(line, at, nodes));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const trace_message& a, const trace_message& b) { return a.at < b.at; });
  return all;
}

std::vector<trace_message> read_trace(const std::string& path, int nodes) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw error(error_kind::configuration,
                fmt::format("trace {} cannot be read, or is empty", path));
  }
  return parse_trace(text.str(), path, nodes);
}

trace_writer::trace_writer(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "w")) {
  if (file_ == nullptr) {
    throw error(error_kind::configuration,
                fmt::format("trace {} cannot be written: {}", path, std::strerror(errno)));
  }
  std::fputs("# time_ns source destination bytes\n", file_);
}

trace_writer::~trace_writer() { std::fclose(file_); }

void trace_writer::write(const trace_message& one) {
  std::array<char, 96> line{};
  const std::int64_t ps = one.at.ps();
  const auto end = fmt::format_to_n(line.data(), line.size(), "{}.{:03} {} {} {}\n", ps / 1000,
                                    ps % 1000, one.source, one.destination, one.bytes);
  std::fwrite(line.data(), 1, end.size, file_);
}

void trace_writer::flush() {
  if (std::fflush(file_) == 0 && std::ferror(file_) == 0) return;
  throw error(error_kind::system, fmt::format("trace {}: not all of it could be written", path_));
}

trace_result run(const std::vector<trace_message>& messages, const model::topology& on,
                 const network_parameters& with, std::uint64_t seed) {
  packet_carrier network(on, with, on.nodes(), 1, seed);
  trace_result result;
  arrival_record record;
  const auto arrived = [&](std::uint64_t id, duration at) {
    record.add((at - messages[id].at).ps(), 0);
    result.last_arrived = std::max(result.last_arrived, at);
  };
  for (const trace_message& one : messages) {
    while (network.run(one.at, arrived)) {
    }
    network.send(one.at, one.source, one.destination, one.bytes, result.messages++);
    result.bytes += one.bytes;
    result.last_sent = one.at;
  }
  while (network.run(duration::max(), arrived)) {
  }
  result.latency_avg_ns = record.mean_ns();
  result.latency_p99_ns = record.quantile_ns(0.99);
  result.packet_hops = network.network().packet_hops();
  return result;
}

}  // namespace upwash::simulator
