// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rates of streams, items of all ranks together: records handed over in batches, typed items with
// a handler each, items of different sizes. Each rank pushes to all others in turn. Floor: the
// same bytes by bare rings. Every sample checks what came.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/floors.hpp"
#include "bench/stream_common.hpp"
#include "upwash/base/random.hpp"

namespace upwash::bench {
namespace {

template <std::size_t Bytes>
struct record {
  std::array<std::uint64_t, Bytes / sizeof(std::uint64_t)> words{};
};

double million_a_second(const context& c, long items, duration spent) {
  return static_cast<double>(items) * c.size() / spent.us();
}

/// 0 + 1 + ... from every rank: what the values pushed below add up to.
std::uint64_t sum_pushed(const context& c, long items) {
  const auto n = static_cast<std::uint64_t>(items);
  return static_cast<std::uint64_t>(c.size()) * (n * (n - 1) / 2);
}

/// M/s of records of so many bytes; `batches`: the handler takes them together.
template <std::size_t Bytes, bool Batches>
void fixed_rate(context& c, bare_exchange& bare, const item_setting& how) {
  using item = record<Bytes>;
  std::uint64_t sum = 0;
  const auto one = [&sum](const item& each) { sum += each.words[0]; };
  const auto batch = [&sum](std::span<const item> all) {
    for (const item& each : all) sum += each.words[0];
  };
  const auto run = [&](auto& items) {
    const auto rate = [&](long n) {
      sum = 0;
      control::barrier(c.here().world());
      others_in_turn to(c);
      const duration start = c.here().now();
      item next;
      for (long i = 0; i < n; ++i) {
        next.words[0] = static_cast<std::uint64_t>(i);
        items.push(to.next(), next);
      }
      items.finish();
      const duration spent = c.here().now() - start;
      verify_equal(c, how.name, sum_of_all(c, sum), sum_pushed(c, n));
      return million_a_second(c, n, spent);
    };
    c.compare({.label = how.name, .bytes = Bytes, .unit = "M/s", .more_is_better = true}, rate,
              [&](long n) { return bare.rate(n, Bytes); });
  };
  if constexpr (Batches) {
    with_items<item>(c.here().world(), how, batch, run);
  } else {
    with_items<item>(c.here().world(), how, one, run);
  }
}

bool wanted(const context& c, std::uint64_t bytes) {
  const auto& chosen = c.chosen().bytes;
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), bytes) != chosen.end();
}

template <bool Batches, std::size_t... Bytes>
void fixed_rates(context& c, std::initializer_list<std::string_view> own) {
  bare_exchange bare(c);
  const auto settings = settings_of(c, own);
  const auto at = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
    if (!wanted(c, Size)) return;
    for (const item_setting& how : settings) fixed_rate<Size, Batches>(c, bare, how);
  };
  (at(std::integral_constant<std::size_t, Bytes>{}), ...);
}

/// Sizes and destinations of items, drawn before they are needed.
struct drawn_items {
  static constexpr std::size_t count = 4096;
  static constexpr std::uint64_t longest = 200;
  struct one {
    int to;
    std::uint32_t bytes;
  };
  explicit drawn_items(const context& c) : all(count) {
    random_stream draw(11, static_cast<std::uint64_t>(c.rank()));
    others_in_turn others(c);
    for (one& each : all) {
      for (std::uint64_t skip = draw.below(static_cast<std::uint64_t>(c.size())); skip > 0; --skip)
        others.next();
      each = {others.next(), static_cast<std::uint32_t>(1 + draw.below(longest))};
    }
  }
  std::vector<one> all;
};

/// M/s of items of T; `make(bytes)` gives one, `size(item)` says how long one is.
template <class T, class Make>
void variable_rate(context& c, bare_exchange& bare, const item_setting& how, std::string_view kind,
                   const Make& make) {
  const drawn_items drawn(c);
  std::uint64_t bytes = 0;
  const auto arrived = [&bytes](const T& each) { bytes += each.size(); };
  with_items<T>(c.here().world(), how, arrived, [&](auto& items) {
    const auto rate = [&](long n) {
      bytes = 0;
      std::uint64_t pushed = 0;
      control::barrier(c.here().world());
      const duration start = c.here().now();
      for (long i = 0; i < n; ++i) {
        const auto [to, length] = drawn.all[static_cast<std::size_t>(i) % drawn_items::count];
        items.push(to, make(length));
        pushed += length;
      }
      items.finish();
      const duration spent = c.here().now() - start;
      verify_equal(c, how.name, sum_of_all(c, bytes), sum_of_all(c, pushed));
      return million_a_second(c, n, spent);
    };
    constexpr std::size_t mean = 100;
    c.compare({fmt::format("{} {}", kind, how.name), mean, "M/s", true}, rate,
              [&](long n) { return bare.rate(n, mean); });
  });
}

}  // namespace

void stream_records(context& c) { fixed_rates<true, 8, 16, 64>(c, {"auto", "1d", "direct"}); }

void stream_typed(context& c) { fixed_rates<false, 8, 104>(c, {"auto", "1d", "direct"}); }

void stream_variable(context& c) {
  bare_exchange bare(c);
  const std::vector<std::byte> source(drawn_items::longest);
  const std::vector<std::uint8_t> whole(drawn_items::longest);
  std::vector<std::uint8_t> scratch;
  for (const item_setting& how : settings_of(c, {"auto", "1d", "direct"})) {
    variable_rate<std::span<const std::byte>>(
        c, bare, how, "bytes", [&](std::size_t length) { return std::span(source).first(length); });
    variable_rate<std::vector<std::uint8_t>>(
        c, bare, how, "vector", [&](std::size_t length) -> const std::vector<std::uint8_t>& {
          scratch.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
          return scratch;
        });
  }
}

}  // namespace upwash::bench
