// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "upwash/base/error.hpp"
#include "upwash/matching/recording.hpp"

namespace upwash::matching {
namespace {

constexpr std::string_view header = "time_ns,rank,event,peer,tag,context";
constexpr std::array<std::string_view, 6> kinds = {"send",  "post",    "probe",
                                                   "claim", "arrival", "cancel"};
static_assert(kinds.size() == static_cast<std::size_t>(trace_event::kind::cancel) + 1);
/// A line has no room for the others' fields: only recordings are read with them.
constexpr std::size_t kinds_of_text = 3;

/// One line, field by field.
class line_reader {
 public:
  line_reader(std::string_view line, std::string_view name, std::size_t number)
      : rest_(line), name_(name), number_(number) {}

  template <class T>
  T integer(std::string_view what, T least, T most) {
    const std::string_view field = next();
    T value{};
    const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
    if (read.ec != std::errc() || read.ptr != field.data() + field.size() || value < least ||
        value > most) {
      fail(fmt::format("{} \"{}\" is no number from {} to {}", what, field, least, most));
    }
    return value;
  }

  trace_event::kind event() {
    const std::string_view field = next();
    for (std::size_t i = 0; i < kinds_of_text; ++i) {
      if (field == kinds[i]) return static_cast<trace_event::kind>(i);
    }
    fail(fmt::format("event \"{}\" is none of send, post, probe", field));
  }

  void end() {
    if (!ended_) fail("more than six fields");
  }

 private:
  std::string_view next() {
    if (ended_) fail("fewer than six fields");
    const auto comma = rest_.find(',');
    const std::string_view field = rest_.substr(0, comma);
    ended_ = comma == std::string_view::npos;
    rest_ = ended_ ? std::string_view{} : rest_.substr(comma + 1);
    return field;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw error(error_kind::argument,
                fmt::format("{}:{}: {}; a line is {}", name_, number_, why, header));
  }

  std::string_view rest_;
  std::string_view name_;
  std::size_t number_;
  bool ended_ = false;
};

trace_event event_of(line_reader line) {
  constexpr std::int32_t most = 0x7fffffff;
  trace_event e;
  e.time_ns = line.integer<std::uint64_t>("time", 0, ~std::uint64_t{0});
  e.rank = line.integer<std::int32_t>("rank", 0, most_trace_ranks - 1);
  e.what = line.event();
  const std::int32_t least = e.what == trace_event::kind::send ? 0 : -1;  // -1: any
  e.peer = line.integer<std::int32_t>("peer", least, most_trace_ranks - 1);
  e.tag = line.integer<std::int32_t>("tag", least, most);
  e.context = line.integer<std::uint32_t>("context", 0, ~std::uint32_t{0});
  line.end();
  return e;
}

}  // namespace

std::vector<trace_event> parse_trace(std::string_view text, std::string_view name) {
  std::vector<trace_event> events;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1) {
      if (line != header) {
        throw error(
            error_kind::argument,
            fmt::format("{}: no trace of matching: its first line is not {}", name, header));
      }
      continue;
    }
    events.push_back(event_of({line, name, number}));
  }
  return events;
}

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw system_error("trace " + path, errno);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw system_error("trace " + path, errno);
  return text;
}

}  // namespace

std::vector<trace_event> read_trace(const std::string& path) {
  const auto rank_path = [&](int rank) { return fmt::format("{}.{}", path, rank); };
  if (std::filesystem::exists(path) || !std::filesystem::exists(rank_path(0))) {
    const std::string text = contents(path);
    const bool recorded = text.starts_with(recording_header);
    return recorded ? parse_recording(text, path) : parse_trace(text, path);
  }
  std::vector<trace_event> all;
  for (int rank = 0; std::filesystem::exists(rank_path(rank)); ++rank) {
    const auto one = parse_recording(contents(rank_path(rank)), rank_path(rank));
    if (!one.empty() && one.front().rank != rank) {
      throw error(error_kind::argument, fmt::format("{}: is the recording of rank {}",
                                                    rank_path(rank), one.front().rank));
    }
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::string to_text(const std::vector<trace_event>& events) {
  std::string text = fmt::format("{}\n", header);
  for (const auto& e : events) {
    text += fmt::format("{},{},{},{},{},{}\n", e.time_ns, e.rank,
                        kinds[static_cast<std::size_t>(e.what)], e.peer, e.tag, e.context);
  }
  return text;
}

}  // namespace upwash::matching
