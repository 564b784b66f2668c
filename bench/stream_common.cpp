// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/stream_common.hpp"

#include <fmt/format.h>

#include <charconv>

#include "upwash/base/knobs.hpp"

namespace upwash::bench {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw error(error_kind::argument,
              fmt::format("a stream's setting \"{}\"; direct, auto, 1d to 4d, and behind it "
                          ",buffer=BYTES ,threshold=SHARE ,cutoff=SHARE ,timeout=TIME ,idle=0",
                          text));
}

double share(std::string_view value, std::string_view whole) {
  double number = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (status != std::errc() || end != value.data() + value.size()) refuse(whole);
  return number;
}

void set(stream_options& to, std::string_view key, std::string_view value, std::string_view whole) {
  if (key == "buffer") {
    to.buffer_bytes = parse_bytes(value, "buffer");
  } else if (key == "threshold") {
    to.threshold = share(value, whole);
  } else if (key == "cutoff") {
    to.cutoff = share(value, whole);
  } else if (key == "timeout") {
    to.timeout = parse_duration(value, "timeout");
  } else if (key == "idle" && (value == "0" || value == "1")) {
    to.flush_when_idle = value == "1";
  } else {
    refuse(whole);
  }
}

}  // namespace

item_setting parse_setting(std::string_view text) {
  item_setting made{.name = std::string(text)};
  const std::string_view way = text.substr(0, text.find(','));
  if (way == "direct") {
    made.direct = true;
  } else if (way.size() == 2 && way[0] >= '1' && way[0] <= '4' && way[1] == 'd') {
    made.options.dimensions = way[0] - '0';
  } else if (way != "auto") {
    refuse(text);
  }
  std::string_view rest = text.substr(way.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view pair = rest.substr(0, rest.find(','));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || made.direct) refuse(text);
    set(made.options, pair.substr(0, equals), pair.substr(equals + 1), text);
    rest.remove_prefix(pair.size());
  }
  return made;
}

std::vector<item_setting> settings_of(const context& c,
                                      std::initializer_list<std::string_view> own) {
  if (!c.chosen().algorithm.empty()) return {parse_setting(c.chosen().algorithm)};
  std::vector<item_setting> all;
  for (const std::string_view each : own) all.push_back(parse_setting(each));
  return all;
}

void verify_equal(const context& c, std::string_view what, std::uint64_t seen,
                  std::uint64_t expected) {
  if (seen == expected) return;
  throw error(error_kind::fault,
              fmt::format("rank {}: {}: {} came, {} expected", c.rank(), what, seen, expected));
}

std::uint64_t sum_of_all(const context& c, std::uint64_t mine) {
  std::array<std::uint64_t, 1> all{mine};
  control::all_reduce(c.here().world(), all, control::fold::sum);
  return all[0];
}

}  // namespace upwash::bench
