// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chain, in which every item is pushed by the handler of the one before, and a hot pair.
#include <fmt/format.h>

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

}  // namespace

void stream_chain(context& c) {
  for (const item_setting& how : settings_of(c, {"auto", "direct"})) chain_time(c, how);
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
