// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/messages.hpp"
#include "interop/c/detail/guard.hpp"
#include "interop/c/detail/requests.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
namespace matching = upwash::matching;

static_assert(UPWASH_ANY_SOURCE == matching::any_source && UPWASH_ANY_TAG == matching::any_tag);

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
