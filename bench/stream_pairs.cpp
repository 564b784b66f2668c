// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chain, in which every item is pushed by the handler of the one before, a hot pair, and what
// handlers push.
#include <fmt/format.h>

#include <algorithm>

#include "bench/floors.hpp"
#include "bench/stream_common.hpp"
#include "upwash/core/host.hpp"

namespace upwash::bench {
namespace {

/// The item that goes round all ranks: how many hops are left.
struct baton {
  std::uint64_t left;
};

/// us of a hop of one item round all ranks; nothing but its arrival makes anybody send.
void chain_time(context& c, const item_setting& how) {
  const int next = (c.rank() + 1) % c.size();
  std::uint64_t arrived = 0;
  std::uint64_t expected = 0;
  function_ref<void(const baton&)>* pass_on = nullptr;
  const auto take = [&](const baton& here) {
    ++arrived;
    if (here.left > 0) (*pass_on)(here);
  };
  with_items<baton>(c.here().world(), how, take, [&](auto& items) {
    const auto pass = [&](const baton& here) { items.push(next, {here.left - 1}); };
    function_ref<void(const baton&)> passing(pass);
    pass_on = &passing;
    const auto hop = [&](long rounds) {
      const auto hops = static_cast<std::uint64_t>(rounds) * static_cast<std::uint64_t>(c.size());
      expected += static_cast<std::uint64_t>(rounds);
      control::barrier(c.here().world());
      const duration start = c.here().now();
      if (c.rank() == 0) items.push(next, {hops - 1});
      host(c.here()).wait(
          conduit::wait_target::word(arrived, conduit::comparison::greater_equal, expected),
          {.operation = "bench"});
      return (c.here().now() - start).us() / static_cast<double>(hops);
    };
    c.compare({.label = how.name, .bytes = sizeof(baton), .unit = "us"}, hop,
              [&c](long n) { return line_ping_pong_ns(c, n) / 1e3; });
    items.finish();
  });
}

/// M/s of items of so many bytes from rank 0 to rank 1, until all have been handled.
template <class Items>
double pair_rate(context& c, Items& items, std::span<const std::byte> item, long n) {
  control::barrier(c.here().world());
  const duration start = c.here().now();
  for (long i = 0; c.rank() == 0 && i < n; ++i) items.push(1, item);
  items.finish();
  return static_cast<double>(n) / (c.here().now() - start).us();
}

/// us an item of so many bytes from rank 1 to rank 0, until all have been handled: pushed by
/// handlers of items that rank 0 has pushed, or by the program.
template <class Items, class Wishes>
double pushed_us(context& c, Items& items, Wishes& wishes, std::span<const std::byte> item,
                 bool by_handlers, long n) {
  control::barrier(c.here().world());
  const duration start = c.here().now();
  for (long i = 0; i < n; ++i) {
    if (by_handlers && c.rank() == 0) wishes.push(1, static_cast<std::uint32_t>(item.size()));
    if (!by_handlers && c.rank() == 1) items.push(0, item);
  }
  wishes.finish();
  items.finish();
  return (c.here().now() - start).us() / static_cast<double>(n);
}

}  // namespace

void stream_chain(context& c) {
  for (const item_setting& how : settings_of(c, {"auto", "direct"})) chain_time(c, how);
}

void stream_pushed(context& c) {
  using bytes = std::span<const std::byte>;
  constexpr std::uint64_t sizes[] = {64, 4096, 16'384, 65'536, 262'144, 1'048'576};
  const auto all = c.sizes(sizes);
  const std::vector<std::byte> item(*std::max_element(all.begin(), all.end()));
  auto items = open_stream<bytes>(c.here().world(), [](const bytes& /*item*/) {});
  auto wishes = open_stream<std::uint32_t>(
      c.here().world(), [&](const std::uint32_t& size) { items.push(0, bytes(item).first(size)); });
  for (const std::uint64_t size : all) {
    const bytes one = bytes(item).first(size);
    c.compare(
        {"by_handlers", size, "us"},
        [&](long n) { return pushed_us(c, items, wishes, one, true, n); },
        [&](long n) { return pushed_us(c, items, wishes, one, false, n); });
  }
}

void stream_pair(context& c) {
  using bytes = std::span<const std::byte>;
  const auto ignore = [](const bytes& /*item*/) {};
  const item_setting direct = parse_setting("direct");
  constexpr std::uint64_t sizes[] = {8, 64, 512, 2048, 8192};
  for (const item_setting& how : settings_of(c, {"auto"})) {
    with_items<bytes>(c.here().world(), how, ignore, [&](auto& items) {
      with_items<bytes>(c.here().world(), direct, ignore, [&](auto& single) {
        for (const std::uint64_t size : c.sizes(sizes)) {
          const std::vector<std::byte> item(size);
          c.compare(
              {how.name, size, "M/s", true}, [&](long n) { return pair_rate(c, items, item, n); },
              [&](long n) { return pair_rate(c, single, item, n); });
        }
      });
    });
  }
}

}  // namespace upwash::bench
