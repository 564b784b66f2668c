// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text of a tuning file, both ways. Strict: what is not exactly as written here is refused.
#include <fmt/format.h>

#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "upwash/base/error.hpp"
#include "upwash/base/version.hpp"
#include "upwash/tuning/tuning_file.hpp"

namespace upwash::tuning {
namespace {

using json = nlohmann::ordered_json;
using schedule::address_mode;
using schedule::sync_mode;

constexpr std::string_view schema = "upwash-tuning";
constexpr int schema_version = 1;
constexpr int deepest = 8;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48U;

/// One object of the file, with its name for complaints.
class section {
 public:
  section(const json& of, std::string where) : of_(of), where_(std::move(where)) {}

  [[noreturn]] void fail(std::string_view key, std::string_view what) const {
    throw error(error_kind::configuration,
                fmt::format("{}{}{}: {}", where_, key.empty() ? "" : ": ", key, what));
  }

  /// These keys, and perhaps one or two more.
  void expect(std::initializer_list<std::string_view> keys, std::string_view perhaps = {},
              std::string_view also = {}) const {
    if (!of_.is_object()) fail("", "an object is wanted");
    for (const auto& [key, value] : of_.items()) {
      const bool known =
          key == perhaps || key == also || std::find(keys.begin(), keys.end(), key) != keys.end();
      if (!known) fail(key, "unknown key");
    }
    for (const std::string_view key : keys) {
      if (!of_.contains(std::string(key))) fail(key, "is missing");
    }
  }

  [[nodiscard]] bool has(std::string_view key) const { return of_.contains(std::string(key)); }
  [[nodiscard]] const json& at(std::string_view key) const { return of_.at(std::string(key)); }

  [[nodiscard]] std::string text(std::string_view key) const {
    if (!at(key).is_string()) fail(key, fmt::format("a text is wanted, not {}", at(key).dump()));
    return at(key).get<std::string>();
  }

  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t least,
                                    std::uint64_t most) const {
    const json& value = at(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
        value.get<std::uint64_t>() > most) {
      fail(key, fmt::format("{} is no whole number of {} .. {}", value.dump(), least, most));
    }
    return value.get<std::uint64_t>();
  }

  [[nodiscard]] double amount(std::string_view key) const {
    const json& value = at(key);
    if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > 1e18) {
      fail(key, fmt::format("{} is not in 0 .. 1e18", value.dump()));
    }
    return value.get<double>();
  }

  [[nodiscard]] bool flag(std::string_view key) const {
    if (!at(key).is_boolean()) fail(key, fmt::format("{} is not true or false", at(key).dump()));
    return at(key).get<bool>();
  }

  template <class Enum>
  [[nodiscard]] Enum choice(std::string_view key, std::initializer_list<Enum> of) const {
    const std::string seen = text(key);
    std::string valid;
    for (const Enum each : of) {
      if (to_string(each) == seen) return each;
      valid += fmt::format("{}{}", valid.empty() ? "" : ", ", to_string(each));
    }
    fail(key, fmt::format("\"{}\" is none of {}", seen, valid));
  }

  template <class Use>
  void each(std::string_view key, const Use& use) const {
    if (!at(key).is_array()) fail(key, "a list is wanted");
    std::size_t i = 0;
    for (const json& one : at(key)) use(section(one, fmt::format("{}: {}[{}]", where_, key, i++)));
  }

 private:
  const json& of_;
  std::string where_;
};

json json_of(const result& one) {
  return {
      {"algorithm", one.algorithm}, {"samples", one.samples}, {"when", one.when}, {"ns", one.ns}};
}

json json_of(const finding& one) {
  json results = json::array();
  for (const result& each : one.results) results.push_back(json_of(each));
  json at{{"collective", collective::to_string(one.at.what)},
          {"ranks", one.at.ranks},
          {"ranks_per_node", one.at.ranks_per_node},
          {"bytes", one.at.bytes},
          {"addresses", to_string(one.at.addresses)},
          {"entry", to_string(one.at.entry)},
          {"exit", to_string(one.at.exit)},
          {"commutative", one.at.commutative},
          {"overlapped", one.at.overlapped},
          {"placement", to_string(one.at.where)},
          {"seconds", one.seconds},
          {"candidates", one.candidates},
          {"results", std::move(results)}};
  if (one.at.processes != 0) at["processes"] = one.at.processes;
  return at;
}

json json_of(const stream_note& one) {
  return {{"label", one.kind.label},
          {"ranks", one.kind.ranks},
          {"ranks_per_node", one.kind.ranks_per_node},
          {"item_bytes", one.kind.item_bytes},
          {"dimensions", one.found.dimensions},
          {"effective_bytes", one.found.effective_bytes},
          {"items", one.found.seen.items},
          {"bytes_an_item", one.found.seen.item_bytes},
          {"destinations", one.found.seen.destinations},
          {"items_a_ns", one.found.seen.rate},
          {"when", one.when}};
}

stream_note read_stream(const section& from) {
  from.expect({"label", "ranks", "ranks_per_node", "item_bytes", "dimensions", "effective_bytes",
               "items", "bytes_an_item", "destinations", "items_a_ns", "when"});
  stream_note one;
  one.kind.label = from.text("label");
  one.kind.ranks = static_cast<int>(from.count("ranks", 1, INT32_MAX));
  one.kind.ranks_per_node = static_cast<int>(from.count("ranks_per_node", 1, INT32_MAX));
  one.kind.item_bytes = from.count("item_bytes", 0, most_bytes);
  one.found.dimensions = static_cast<int>(from.count("dimensions", 1, 4));
  one.found.effective_bytes = from.count("effective_bytes", 1, most_bytes);
  one.found.seen = {from.amount("items"), from.amount("bytes_an_item"), from.amount("destinations"),
                    from.amount("items_a_ns")};
  one.when = static_cast<std::int64_t>(from.count("when", 0, INT64_MAX));
  return one;
}

std::uint64_t read_hex(std::string_view text, const section& from, std::string_view key) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (status != std::errc() || end != text.data() + text.size()) {
    from.fail(key, fmt::format("\"{}\" is no hexadecimal number", text));
  }
  return value;
}

json json_of(const price_note& one) {
  json candidates = json::array();
  for (const price_note::candidate& each : one.candidates) {
    json written{{"algorithm", each.algorithm}};
    if (each.ps) written["ps"] = *each.ps;
    candidates.push_back(std::move(written));
  }
  return {{"build", fmt::format("{:x}", one.build)},
          {"collective", one.collective},
          {"class", fmt::format("{:x}", fmt::join(one.key, " "))},
          {"candidates", std::move(candidates)}};
}

price_note read_price(const section& from) {
  from.expect({"build", "collective", "class", "candidates"});
  price_note one;
  one.build = read_hex(from.text("build"), from, "build");
  one.collective = from.text("collective");
  const std::string key = from.text("class");
  for (std::string_view left = key; !left.empty();) {
    const std::string_view word = left.substr(0, left.find(' '));
    one.key.push_back(read_hex(word, from, "class"));
    left.remove_prefix(std::min(left.size(), word.size() + 1));
  }
  from.each("candidates", [&](const section& each) {
    each.expect({"algorithm"}, "ps");
    one.candidates.push_back({each.text("algorithm"), {}});
    if (each.has("ps")) {
      one.candidates.back().ps = static_cast<std::int64_t>(each.count("ps", 0, INT64_MAX));
    }
  });
  return one;
}

situation read_situation(const section& from) {
  situation at;
  try {
    at.what = collective::kind_named(from.text("collective"));
  } catch (const error& wrong) {
    from.fail("collective", wrong.what());
  }
  const auto modes = {sync_mode::none, sync_mode::mine, sync_mode::all};
  at.ranks = static_cast<int>(from.count("ranks", 1, INT32_MAX));
  at.ranks_per_node = static_cast<int>(from.count("ranks_per_node", 1, INT32_MAX));
  if (from.has("processes")) {
    at.processes = static_cast<int>(from.count("processes", 1, INT32_MAX));
  }
  at.bytes = from.count("bytes", 0, most_bytes);
  at.addresses = from.choice("addresses", {address_mode::local, address_mode::single});
  at.entry = from.choice("entry", modes);
  at.exit = from.choice("exit", modes);
  at.commutative = from.flag("commutative");
  at.overlapped = from.flag("overlapped");
  at.where = from.choice("placement", {placement::near, placement::far, placement::shared,
                                       placement::apart, placement::simulated});
  return at;
}

result read_result(const section& from, collective::kind what,
                   const collective::registry& algorithms) {
  from.expect({"algorithm", "samples", "when", "ns"});
  result one;
  one.algorithm = from.text("algorithm");
  one.samples = static_cast<std::uint32_t>(from.count("samples", 1, UINT32_MAX));
  one.when = static_cast<std::int64_t>(from.count("when", 0, INT64_MAX));
  one.ns = from.amount("ns");
  try {
    static_cast<void>(algorithms.named(what, one.algorithm));
  } catch (const error& wrong) {
    from.fail("algorithm", wrong.what());
  }
  return one;
}

finding read_finding(const section& from, const collective::registry& algorithms) {
  from.expect({"collective", "ranks", "ranks_per_node", "bytes", "addresses", "entry", "exit",
               "commutative", "overlapped", "placement", "seconds", "candidates", "results"},
              "processes");
  finding one;
  one.at = read_situation(from);
  one.seconds = from.amount("seconds");
  one.candidates = static_cast<std::uint32_t>(from.count("candidates", 0, UINT32_MAX));
  from.each("results", [&](const section& each) {
    one.results.push_back(read_result(each, one.at.what, algorithms));
    const auto same = [&](const result& other) {
      return &other != &one.results.back() && other.algorithm == one.results.back().algorithm;
    };
    if (std::any_of(one.results.begin(), one.results.end(), same)) {
      each.fail("algorithm", fmt::format("{} is there twice", one.results.back().algorithm));
    }
  });
  return one;
}

/// nlohmann's parser, but for doubled keys, which it would pass over, and for deep nesting, which
/// would overflow the stack of whoever prints it.
json parse_strictly(std::string_view text, std::string_view name) {
  std::vector<std::set<std::string>> open;
  const auto look = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > deepest) {
      throw error(error_kind::configuration, fmt::format("{}: nested too deep", name));
    }
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(parsed).second) {
      throw error(error_kind::configuration,
                  fmt::format("{}: {}: is there twice", name, parsed.dump()));
    }
    return true;
  };
  try {
    return json::parse(text, look);
  } catch (const json::exception& wrong) {
    throw error(error_kind::configuration, fmt::format("{}: damaged: {}", name, wrong.what()));
  }
}

void read_streams(const section& file, knowledge& known) {
  file.each("streams", [&](const section& each) {
    const stream_note one = read_stream(each);
    const auto same = [&](const stream_note& other) { return other.kind == one.kind; };
    if (std::any_of(known.streams().begin(), known.streams().end(), same)) {
      each.fail("", "its kind is there twice");
    }
    known.add(one);
  });
}

void read_prices(const section& file, knowledge& known) {
  file.each("prices", [&](const section& each) {
    const std::size_t before = known.prices().size();
    known.add(read_price(each));
    if (known.prices().size() == before) each.fail("", "its class is there twice");
  });
}

}  // namespace

std::string text_of(const knowledge& known, const origin& from) {
  json findings = json::array();
  for (const finding& each : known.findings()) findings.push_back(json_of(each));
  json file{{"schema", schema},         {"version", schema_version},
            {"upwash", UPWASH_VERSION}, {"machine", from.machine},
            {"conduit", from.conduit},  {"findings", std::move(findings)}};
  if (!known.streams().empty()) {
    file["streams"] = json::array();
    for (const stream_note& each : known.streams()) file["streams"].push_back(json_of(each));
  }
  if (!known.prices().empty()) {
    file["prices"] = json::array();
    for (const price_note& each : known.prices()) file["prices"].push_back(json_of(each));
  }
  return file.dump(1) + "\n";
}

knowledge parse_tuning(std::string_view text, std::string_view name, const origin& here,
                       const collective::registry& algorithms) {
  const json tree = parse_strictly(text, name);
  const section file(tree, std::string(name));
  if (!tree.is_object() || !tree.contains("schema") || tree["schema"] != schema) {
    file.fail("", fmt::format("no tuning file: \"schema\": \"{}\" is missing", schema));
  }
  if (!tree.contains("version") || tree["version"] != schema_version) {
    file.fail("version",
              fmt::format("{} is wanted; the file is of another upwash", schema_version));
  }
  file.expect({"schema", "version", "upwash", "machine", "conduit", "findings"}, "streams",
              "prices");
  const auto expect_same = [&](std::string_view key, std::string_view wanted) {
    if (file.text(key) == wanted) return;
    file.fail(key, fmt::format("found on \"{}\", this is \"{}\"", file.text(key), wanted));
  };
  expect_same("upwash", UPWASH_VERSION);
  expect_same("conduit", here.conduit);
  expect_same("machine", here.machine);
  knowledge known;
  file.each("findings", [&](const section& each) {
    const finding one = read_finding(each, algorithms);
    if (known.find(one.at) != nullptr) each.fail("", "its situation is there twice");
    known.add(one);
  });
  if (file.has("streams")) read_streams(file, known);
  if (file.has("prices")) read_prices(file, known);
  return known;
}

}  // namespace upwash::tuning
