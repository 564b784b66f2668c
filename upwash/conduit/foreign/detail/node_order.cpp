// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/detail/node_order.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string_view>

namespace upwash::conduit::foreign {
namespace {

template <std::size_t N>
void copy_text(std::string_view text, std::array<char, N>& to) {
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
}

/// 0 where the kernel has none.
std::uint64_t namespace_of(const char* kind) {
  struct stat found {};
  return stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace

node_identity this_node() {
  node_identity self;
  static_cast<void>(gethostname(self.host.data(), self.host.size() - 1));
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  copy_text(boot, self.boot);
  self.namespaces = {namespace_of("ipc"), namespace_of("pid"), namespace_of("mnt")};
  return self;
}

node_order order_by_node(std::span<const node_identity> of) {
  std::vector<node_identity> found;
  std::vector<int> node_of_rank;
  node_order order;
  for (const node_identity& one : of) {
    const auto known = std::ranges::find(found, one);
    node_of_rank.push_back(static_cast<int>(known - found.begin()));
    if (known != found.end()) continue;
    found.push_back(one);
    order.hosts.emplace_back(one.host.data());
  }
  order.ranks.resize(of.size());
  std::iota(order.ranks.begin(), order.ranks.end(), 0);
  const auto node = [&](int rank) { return node_of_rank[static_cast<std::size_t>(rank)]; };
  std::ranges::stable_sort(order.ranks, {}, node);
  std::ranges::transform(order.ranks, std::back_inserter(order.nodes), node);
  return order;
}

}  // namespace upwash::conduit::foreign
