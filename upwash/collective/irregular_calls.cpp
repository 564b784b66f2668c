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
  return {{.what = {.what = what}, .how = how, .kind_of_reduction = 0, .site = site},
          {.input = input,
           .output = output,
           .given = {to.bytes, to.offsets, from.bytes, from.offsets}}};
}

collective::detail::bound_call many_to_many_call(const team& among,
                                                 std::span<const std::byte> buffer,
                                                 const outgoing_messages& messages,
                                                 const collective::arrival& taken,
                                                 const collective_options& how, call_site site) {
  constexpr collective::kind what = collective::kind::many_to_many;
  if (taken.take == nullptr) refuse(among, what, "no function is given to take the arrivals");
  if (messages.destinations.size() != messages.bytes.size()) {
    refuse(among, what,
           fmt::format("{} destinations and {} sizes are given; one of each is wanted",
                       messages.destinations.size(), messages.bytes.size()));
  }
  check_blocks(among, what, "message", messages.bytes, messages.offsets, buffer.size());
  for (const std::uint64_t member : messages.destinations) {
    if (member < static_cast<std::uint64_t>(among.size())) continue;
    refuse(among, what,
           fmt::format("destination {} is not in the team of {}", member, among.size()));
  }
  return {{.what = {.what = what}, .how = how, .kind_of_reduction = 0, .site = site},
          {.input = buffer,
           .given = {messages.destinations, messages.bytes, messages.offsets, {}},
           .collected = taken}};
}

}  // namespace upwash::detail
