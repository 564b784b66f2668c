// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls whose sizes differ from rank to rank: what can be checked before they start.
#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/many_to_many.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {
namespace {

[[noreturn]] void refuse(const team& among, collective::kind what, const std::string& why) {
  throw error(error_kind::argument,
              fmt::format("rank {}: {}: {}", among.here().rank(), to_string(what), why));
}

void check_blocks(const team& among, collective::kind what, const char* name,
                  std::span<const std::uint64_t> bytes, std::span<const std::uint64_t> offsets,
                  std::size_t room) {
  if (bytes.size() != offsets.size()) {
    refuse(among, what,
           fmt::format("{}: {} sizes and {} offsets are given; one of each is wanted", name,
                       bytes.size(), offsets.size()));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (offsets[i] <= room && bytes[i] <= room - offsets[i]) continue;
    refuse(among, what,
           fmt::format("{} {}: {} bytes at {} leave a buffer of {} bytes", name, i, bytes[i],
                       offsets[i], room));
  }
}

void check_members(const team& among, const char* name, std::size_t given) {
  if (given == static_cast<std::size_t>(among.size())) return;
  refuse(among, collective::kind::all_to_all_v,
         fmt::format("{}: {} blocks are given for {} members", name, given, among.size()));
}

void check_ranks(const team& among, collective::kind what, const char* name,
                 std::span<const std::uint64_t> ranks) {
  for (const std::uint64_t member : ranks) {
    if (member < static_cast<std::uint64_t>(among.size())) continue;
    refuse(among, what, fmt::format("{} {} is not in the team of {}", name, member, among.size()));
  }
}

/// What both kinds of many-to-many have in common: who, and what they say of each other.
collective::detail::bound_call sparse_call(const team& among, collective::kind what,
                                           std::span<const std::uint64_t> destinations,
                                           const collective::collect_handler& taken,
                                           const message_pattern& pattern,
                                           const collective_options& how, call_site site) {
  if (taken.take == nullptr) refuse(among, what, "no function is given to take the arrivals");
  check_ranks(among, what, "destination", destinations);
  if (pattern.degree < 0) {
    refuse(among, what, fmt::format("degree {} is below 0; 0 stands for all", pattern.degree));
  }
  const auto sources = pattern.known_sources.value_or(std::span<const std::uint64_t>());
  check_ranks(among, what, "known source", sources);
  return {{.what = {.of = what,
                    .bytes = pattern.bytes,
                    .degree = pattern.degree,
                    .known_senders = pattern.known_sources.has_value()},
           .how = how,
           .kind_of_reduction = 0,
           .site = site},
          {.given = {destinations, {}, {}, sources}, .collected = taken}};
}

}  // namespace

collective::detail::bound_call all_to_all_v_call(const team& among,
                                                 std::span<const std::byte> input,
                                                 const member_blocks& to,
                                                 std::span<std::byte> output,
                                                 const member_blocks& from,
                                                 const collective_options& how, call_site site) {
  constexpr collective::kind what = collective::kind::all_to_all_v;
  check_members(among, "to", to.bytes.size());
  check_members(among, "from", from.bytes.size());
  check_blocks(among, what, "to: member", to.bytes, to.offsets, input.size());
  check_blocks(among, what, "from: member", from.bytes, from.offsets, output.size());
  return {{.what = {.of = what}, .how = how, .kind_of_reduction = 0, .site = site},
          {.input = input,
           .output = output,
           .given = {to.bytes, to.offsets, from.bytes, from.offsets}}};
}

collective::detail::bound_call many_to_many_call(const team& among,
                                                 std::span<const std::byte> buffer,
                                                 const outgoing_messages& messages,
                                                 const collective::collect_handler& taken,
                                                 const message_pattern& pattern,
                                                 const collective_options& how, call_site site) {
  constexpr collective::kind what = collective::kind::many_to_many;
  if (messages.destinations.size() != messages.bytes.size()) {
    refuse(among, what,
           fmt::format("{} destinations and {} sizes are given; one of each is wanted",
                       messages.destinations.size(), messages.bytes.size()));
  }
  check_blocks(among, what, "message", messages.bytes, messages.offsets, buffer.size());
  auto all = sparse_call(among, what, messages.destinations, taken, pattern, how, site);
  all.buffers.input = buffer;
  all.buffers.given[1] = messages.bytes;
  all.buffers.given[2] = messages.offsets;
  return all;
}

collective::detail::bound_call many_to_many_multicast_call(
    const team& among, std::span<const std::byte> block,
    std::span<const std::uint64_t> destinations, const collective::collect_handler& taken,
    const message_pattern& pattern, const collective_options& how, call_site site) {
  auto all = sparse_call(among, collective::kind::many_to_many_multicast, destinations, taken,
                         pattern, how, site);
  all.buffers.input = block;
  return all;
}

}  // namespace upwash::detail
