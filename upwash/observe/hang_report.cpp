// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table; what it lets one conclude stands in conclusions.cpp.
#include "upwash/observe/hang_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "upwash/observe/detail/wording.hpp"

namespace upwash::observe {
namespace {

/// What ranks of one line have in common.
auto key_of(const standing& one) {
  return std::tuple(one.now, one.operation.view(), one.place.view(), one.peer, one.tag, one.on_team,
                    one.team, one.number, one.counted, one.bytes,
                    one.now == doing::waits ? 0 : one.process);
}

struct kind {
  const standing* first = nullptr;
  const standing* longest = nullptr;
  std::vector<int> ranks;
  std::vector<const standing*> pending;  ///< those that say most of what is
};

constexpr std::size_t most_pending = 3;  // of one line

/// The layers of most ranks say the same, those of the rank to look at say more.
void keep_those_that_say_most(std::vector<const standing*>& pending) {
  std::ranges::stable_sort(pending, std::greater(),
                           [](const standing* one) { return one->pending.view().size(); });
  if (pending.size() > most_pending) pending.resize(most_pending);
  std::ranges::sort(pending, {}, &standing::rank);
}

/// In the order of their first ranks.
std::vector<kind> kinds_of(std::span<const standing> ranks) {
  std::map<decltype(key_of(ranks[0])), std::size_t> places;
  std::vector<kind> all;
  for (const standing& one : ranks) {
    const auto [at, fresh] = places.try_emplace(key_of(one), all.size());
    if (fresh) all.push_back({&one, &one, {}, {}});
    kind& among = all[at->second];
    among.ranks.push_back(one.rank);
    if (one.waited_ps > among.longest->waited_ps) among.longest = &one;
    if (!one.pending.view().empty()) among.pending.push_back(&one);
  }
  for (kind& each : all) keep_those_that_say_most(each.pending);
  return all;
}

std::string time_text(std::int64_t ps) {
  const double us = static_cast<double>(ps) * 1e-6;
  if (us >= 1e6) return fmt::format("{:.1f} s", us * 1e-6);
  if (us >= 1e4) return fmt::format("{:.1f} ms", us * 1e-3);
  return fmt::format("{:.3f} us", us);
}

constexpr std::size_t columns = 8;
using line = std::array<std::string, columns>;

line line_of(const kind& among) {
  const standing& one = *among.first;
  const bool waits = one.now == doing::waits;
  const bool numbered = waits && (one.counted != series::none || one.number != 0);
  return {name_ranks(among.ranks),
          what_it_does(one),
          waits && one.peer >= 0 ? fmt::to_string(one.peer) : "-",
          waits && one.tag >= 0 ? fmt::to_string(one.tag) : "-",
          waits && one.on_team ? detail::name_team(one.team) : "-",
          numbered ? fmt::to_string(one.number) : "-",
          waits && one.bytes != 0 ? fmt::to_string(one.bytes) : "-",
          waits ? time_text(among.longest->waited_ps) : "-"};
}

void add_line(std::string& text, const line& cells, const std::array<std::size_t, columns>& width) {
  text += " ";
  for (std::size_t c = 0; c < columns; ++c) {
    text += c + 1 == columns ? fmt::format(" {}", cells[c])
                             : fmt::format(" {:<{}} ", cells[c], width[c]);
  }
  text += '\n';
}

}  // namespace

void standing::set_place(const call_site& at) {
  if (at.line != 0) place = fmt::format("{}:{}", at.name(), at.line);
}

std::string name_ranks(std::span<const int> ranks, std::size_t most) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (runs++ == most) return text + fmt::format(" and {} more", ranks.size() - i);
    if (!text.empty()) text += ", ";
    text += fmt::to_string(ranks[i]);
    if (end - i > 1) text += fmt::format("{}{}", end - i > 2 ? "-" : ", ", ranks[end - 1]);
    i = end;
  }
  return text;
}

std::string table_of(std::span<const standing> ranks, int most_lines) {
  if (ranks.empty()) return {};
  const std::vector<kind> kinds = kinds_of(ranks);
  const std::size_t shown = std::min(kinds.size(), static_cast<std::size_t>(most_lines));
  std::vector<line> lines{
      {"rank", "what it does", "peer", "tag", "team", "number", "bytes", "for"}};
  for (std::size_t k = 0; k < shown; ++k) lines.push_back(line_of(kinds[k]));
  std::array<std::size_t, columns> width{};
  for (const line& each : lines) {
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], each[c].size());
  }
  std::string text;
  add_line(text, lines[0], width);
  for (std::size_t k = 0; k < shown; ++k) {
    add_line(text, lines[k + 1], width);
    for (const standing* const one : kinds[k].pending) {
      text += fmt::format("      pending at rank {}: {}\n", one->rank, one->pending.view());
    }
  }
  if (shown == kinds.size()) return text;
  std::size_t left = 0;
  for (std::size_t k = shown; k < kinds.size(); ++k) left += kinds[k].ranks.size();
  return text + fmt::format("  and {} more ranks\n", left);
}

std::string hang_report(const std::string& headline, std::span<const standing> ranks) {
  std::string text = headline + '\n' + table_of(ranks);
  for (const std::string& each : conclusions(ranks)) text += "  conclusion: " + each + '\n';
  return text;
}

std::uint64_t state_of(std::span<const standing> ranks) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325U;  // FNV-1a
  const auto add = [&sum](std::uint64_t value) {
    for (unsigned byte = 0; byte < 8; ++byte) {
      sum = (sum ^ (value >> (8 * byte) & 0xffU)) * 0x100000001b3U;
    }
  };
  for (const standing& one : ranks) {
    add(static_cast<std::uint64_t>(one.now));
    if (one.now != doing::waits) continue;
    for (const char c : one.operation.view()) add(static_cast<unsigned char>(c));
    for (const std::int64_t value : {std::int64_t{one.peer}, one.tag}) {
      add(static_cast<std::uint64_t>(value));
    }
    for (const std::uint64_t value : {one.team, one.number, one.bytes}) add(value);
  }
  return sum;
}

}  // namespace upwash::observe
