// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of blocks of different lengths: what can be checked before they start.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/uneven_call.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {
namespace {

[[noreturn]] void refuse(const team& among, collective::kind what, const std::string& why) {
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: {}", among.here().rank(), to_string(what), why));
}

/// Whether the vector that holds all blocks is the output.
bool gathers(collective::kind what) {
  return what == collective::kind::gather_v || what == collective::kind::all_gather_v;
}

/// Of an output nobody knows what lands last where two blocks are.
void check_blocks_apart(const team& among, const uneven_call& all) {
  const auto& [counts, offsets] = all.blocks;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (counts[i] != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&at = offsets](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t before = order[i - 1];
    if (offsets[before] + counts[before] <= offsets[order[i]]) continue;
    refuse(among, all.what.of,
           fmt::format("the blocks of members {} and {} overlap: {} elements at {} and {} at {}",
                       before, order[i], counts[before], offsets[before], counts[order[i]],
                       offsets[order[i]]));
  }
}

std::uint64_t elements_of_all(const team& among, const uneven_call& all) {
  const auto& [counts, offsets] = all.blocks;
  const auto refused = [&](const std::string& why) { refuse(among, all.what.of, why); };
  const auto members = static_cast<std::size_t>(among.size());
  if (counts.size() != members || (!offsets.empty() && offsets.size() != members)) {
    refused(
        fmt::format("{} counts and {} offsets are given for {} members; give a count for each, "
                    "and an offset for each or none",
                    counts.size(), offsets.size(), members));
  }
  const std::size_t bytes = gathers(all.what.of) ? all.output.size() : all.input.size();
  const std::uint64_t room = bytes / all.what.element_bytes;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < members; ++i) {
    const std::uint64_t begin = offsets.empty() ? total : offsets[i];
    if (begin > room || counts[i] > room - begin) {
      refused(fmt::format("the block of member {}: {} elements at {} leave a buffer of {}", i,
                          counts[i], begin, room));
    }
    total += counts[i];
  }
  if (offsets.empty() && total != room) {
    refused(fmt::format("the counts add up to {} elements, the buffer of all blocks has {}", total,
                        room));
  }
  if (among.here().options().checked && gathers(all.what.of)) check_blocks_apart(among, all);
  return total;
}

void check_own(const team& among, const uneven_call& all) {
  const std::uint64_t counted = all.blocks.counts[static_cast<std::size_t>(among.rank())];
  if (all.what.in_place || counted == all.own) return;
  refuse(
      among, all.what.of,
      fmt::format("the member's own buffer has {} elements, its count says {}", all.own, counted));
}

collective::detail::bound_call bound(const uneven_call& all, std::uint64_t bytes,
                                     const collective_options& how, call_site site) {
  collective::detail::bound_call made{{.what = all.what, .how = how, .site = site},
                                      {.input = all.input,
                                       .output = all.output,
                                       .given = {all.blocks.counts, all.blocks.offsets, {}, {}}}};
  made.wanted.what.bytes = bytes;
  return made;
}

}  // namespace

collective::detail::bound_call all_blocks_known(const team& among, const uneven_call& all,
                                                const collective_options& how, call_site site) {
  const std::uint64_t total = elements_of_all(among, all);
  check_own(among, all);
  const auto members = static_cast<std::uint64_t>(among.size());
  return bound(all, (total + members - 1) / members * all.what.element_bytes, how, site);
}

collective::detail::bound_call blocks_known_at_root(const team& among, const uneven_call& all,
                                                    const collective_options& how, call_site site) {
  if (among.rank() == all.what.root) {
    static_cast<void>(elements_of_all(among, all));
    check_own(among, all);
  }
  return bound(all, 0, how, site);
}

}  // namespace upwash::detail
