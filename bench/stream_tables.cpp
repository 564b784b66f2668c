// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Histogram and index-gather of bale: words of a table that is spread over all ranks, drawn
// uniformly (so that one in P is the rank's own), are counted up, or fetched by a request and a
// reply through two streams. Rates are of all ranks together. Every sample is checked.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/floors.hpp"
#include "bench/stream_common.hpp"
#include "upwash/base/random.hpp"

namespace upwash::bench {
namespace {

constexpr std::uint64_t table_words = std::uint64_t{1} << 20U;
constexpr std::uint64_t drawn_words = std::uint64_t{1} << 18U;  ///< then again from the first

/// A word of the table: whose, and where there.
struct place {
  std::uint32_t owner;
  std::uint32_t at;
};

std::uint64_t words_of(const context& c) {
  const auto ranks = static_cast<std::uint64_t>(c.size());
  return (table_words + ranks - 1) / ranks;
}

std::vector<place> drawn_places(const context& c) {
  random_stream draw(122222, static_cast<std::uint64_t>(c.rank()));
  std::vector<place> all(drawn_words);
  for (place& each : all) {
    each.owner = static_cast<std::uint32_t>(draw.below(static_cast<std::uint64_t>(c.size())));
    each.at = static_cast<std::uint32_t>(draw.below(words_of(c)));
  }
  return all;
}

double million_a_second(const context& c, long items, duration spent) {
  return static_cast<double>(items) * c.size() / spent.us();
}

void histogram_rate(context& c, bare_exchange& bare, const item_setting& how) {
  const std::vector<place> places = drawn_places(c);
  std::vector<std::uint64_t> counts(words_of(c));
  const auto count = [&counts](std::span<const std::uint64_t> some) {
    for (const std::uint64_t each : some) ++counts[each];
  };
  with_items<std::uint64_t>(c.here().world(), how, count, [&](auto& items) {
    const auto rate = [&](long n) {
      std::fill(counts.begin(), counts.end(), 0);
      control::barrier(c.here().world());
      const duration start = c.here().now();
      for (long i = 0; i < n; ++i) {
        const place& to = places[static_cast<std::size_t>(i) % drawn_words];
        items.push(static_cast<int>(to.owner), to.at);
      }
      items.finish();
      const duration spent = c.here().now() - start;
      const auto counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      verify_equal(c, how.name, sum_of_all(c, counted),
                   static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(c.size()));
      return million_a_second(c, n, spent);
    };
    c.compare({how.name, sizeof(std::uint64_t), "M/s", true}, rate,
              [&](long n) { return bare.rate(n, sizeof(std::uint64_t)); });
  });
}

/// Words that a handler asks memory for before it needs them.
constexpr std::size_t words_ahead = 16;

struct asking {
  std::uint32_t at;      ///< of the owner's words
  std::uint32_t origin;  ///< who asks
  std::uint32_t slot;    ///< where the answer goes there
};
struct answer {
  std::uint32_t slot;
  std::uint32_t value;
};

/// What the word at a place holds: nobody else's.
std::uint32_t value_of(std::uint32_t owner, std::uint32_t at) { return at * 4096 + owner; }

/// Nobody has changed it; and it is in the cache, whatever was there before.
void check_table(const context& c, std::span<const std::uint32_t> table) {
  const auto me = static_cast<std::uint32_t>(c.rank());
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < table.size(); ++i) wrong += table[i] != value_of(me, i) ? 1 : 0;
  verify_equal(c, "words changed in the table", wrong, 0);
}

/// In little time: the longer the pause between samples, the less of the table is in the cache.
void check_fetched(const context& c, std::span<const std::uint32_t> fetched,
                   std::span<const place> places) {
  for (std::size_t i = 0; i < fetched.size(); ++i) {
    const std::uint32_t expected = value_of(places[i].owner, places[i].at);
    if (fetched[i] != expected) verify_equal(c, fmt::format("word {}", i), fetched[i], expected);
  }
}

void index_gather_rate(context& c, bare_exchange& bare, const item_setting& how) {
  const std::vector<place> places = drawn_places(c);
  const auto me = static_cast<std::uint32_t>(c.rank());
  std::vector<std::uint32_t> table(words_of(c));
  for (std::uint32_t i = 0; i < table.size(); ++i) table[i] = value_of(me, i);
  std::vector<std::uint32_t> fetched(drawn_words);
  const auto take = [&fetched](std::span<const answer> some) {
    for (const answer& each : some) fetched[each.slot] = each.value;
  };
  with_items<answer>(c.here().world(), how, take, [&](auto& answers) {
    const auto reply = [&](std::span<const asking> some) {
      for (std::size_t i = 0; i < some.size(); ++i) {
        const asking& later = some[std::min(i + words_ahead, some.size() - 1)];
        __builtin_prefetch(&table[later.at]);
        answers.push(static_cast<int>(some[i].origin), {some[i].slot, table[some[i].at]});
      }
    };
    with_items<asking>(c.here().world(), how, reply, [&](auto& requests) {
      const auto rate = [&](long n) {
        const auto slots = std::min(static_cast<std::size_t>(n), fetched.size());
        std::fill(fetched.begin(), fetched.end(), 0);
        check_table(c, table);
        control::barrier(c.here().world());
        const duration start = c.here().now();
        for (long i = 0; i < n; ++i) {
          const std::size_t slot = static_cast<std::size_t>(i) % drawn_words;
          requests.push(static_cast<int>(places[slot].owner),
                        {places[slot].at, me, static_cast<std::uint32_t>(slot)});
        }
        requests.finish();
        answers.finish();
        const duration spent = c.here().now() - start;
        check_fetched(c, std::span(fetched).first(slots), places);
        return million_a_second(c, n, spent);
      };
      constexpr std::size_t bytes = sizeof(asking) + sizeof(answer);
      c.compare({how.name, bytes, "M/s", true}, rate, [&](long n) { return bare.rate(n, bytes); });
    });
  });
}

}  // namespace

void stream_histogram(context& c) {
  bare_exchange bare(c);
  for (const item_setting& how : settings_of(c, {"auto", "1d", "direct"})) {
    histogram_rate(c, bare, how);
  }
}

void stream_index_gather(context& c) {
  bare_exchange bare(c);
  for (const item_setting& how : settings_of(c, {"auto", "1d", "direct"})) {
    index_gather_rate(c, bare, how);
  }
}

}  // namespace upwash::bench
