// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/messages.hpp"

#include <cstring>

#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/layouts.hpp"
#include "interop/c/detail/requests.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
namespace matching = upwash::matching;

static_assert(UPWASH_ANY_SOURCE == matching::any_source && UPWASH_ANY_TAG == matching::any_tag);

namespace {

laid_message pack(const read_layout& runs, const void* from) {
  const std::byte* const begin = input(from, runs.size().local_extent, "from").data();
  laid_message made;
  made.packed.resize(runs.size().bytes);
  std::byte* to = made.packed.data();
  upwash::run_walker along = runs.walk();
  for (upwash::run_row row; along.next(row);) {
    for (std::uint64_t i = 0; i < row.count; ++i, to += row.bytes) {
      std::memcpy(to, begin + row.local + i * row.local_stride, row.bytes);
    }
  }
  return made;
}

}  // namespace

extern "C" {

int upwash_send(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                upwash_request** request) {
  return guarded_by(team, "upwash_send", [&] {
    hand_over(*team->of,
              matching::send(team->members, destination, tag, input(from, bytes, "from")), request);
  });
}

int upwash_receive(upwash_team* team, int source, int tag, void* into, size_t bytes,
                   upwash_receipt* receipt, upwash_request** request) {
  return guarded_by(team, "upwash_receive", [&] {
    hand_over(*team->of, matching::receive(team->members, source, tag, output(into, bytes, "into")),
              receipt, request);
  });
}

int upwash_send_laid(upwash_team* team, int destination, int tag, const void* from,
                     const upwash_layout* laid, upwash_request** request) {
  return guarded_by(team, "upwash_send_laid", [&] {
    laid_message packed = pack(read_layout(laid), from);
    auto started = matching::send(team->members, destination, tag, packed.packed);
    hand_over(*team->of, std::move(started), std::move(packed), request);
  });
}

int upwash_receive_laid(upwash_team* team, int source, int tag, void* into,
                        const upwash_layout* laid, upwash_receipt* receipt,
                        upwash_request** request) {
  return guarded_by(team, "upwash_receive_laid", [&] {
    const read_layout runs(laid);
    laid_message comes;
    comes.packed.resize(runs.size().bytes);
    comes.into = output(into, runs.size().local_extent, "into").data();
    comes.runs = runs.walk();
    auto started = matching::receive(team->members, source, tag, comes.packed);
    hand_over(*team->of, std::move(started), std::move(comes), receipt, request);
  });
}

int upwash_send_prepare(upwash_team* team, int destination, int tag, const void* from, size_t bytes,
                        upwash_persistent** made) {
  return guarded_by(team, "upwash_send_prepare", [&] {
    given(made, "made") = nullptr;
    *made = new upwash_persistent{
        // NOLINT: until upwash_persistent_free
        team->of,
        matching::persistent_send(team->members, destination, tag, input(from, bytes, "from"))};
  });
}

int upwash_receive_prepare(upwash_team* team, int source, int tag, void* into, size_t bytes,
                           upwash_receipt* receipt, upwash_persistent** made) {
  return guarded_by(team, "upwash_receive_prepare", [&] {
    given(made, "made") = nullptr;
    *made = new upwash_persistent{
        // NOLINT: until upwash_persistent_free
        team->of,
        matching::persistent_receive(team->members, source, tag, output(into, bytes, "into")),
        receipt};
  });
}

int upwash_probe(upwash_team* team, int source, int tag, int* found, upwash_receipt* receipt) {
  return guarded_by(team, "upwash_probe", [&] {
    given(found, "found") = 0;
    const auto what = matching::probe(team->members, source, tag);
    if (!what) return;
    *found = 1;
    write(receipt, *what);
  });
}

}  // extern "C"
