// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/near_call.hpp"

#include "upwash/core/blocking.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_all_to_all.hpp"
#include "upwash/neighborhood/neighbor_all_to_all_v.hpp"

namespace upwash::mpi {
namespace {

member_counts counts_of(const block_list& blocks) { return {blocks.lengths(), blocks.places()}; }

template <class... Form>
auto go(const near_call& what, const neighbor_options& how, Form... form) {
  const neighborhood& among = *what.among;
  if (what.equal) {
    return what.gathers
               ? neighbor_all_gather(among, form..., what.input, what.output, how, call_site{})
               : neighbor_all_to_all(among, form..., what.input, what.output, how, call_site{});
  }
  if (what.gathers) {
    return neighbor_all_gather_v(among, form..., what.input, what.output, counts_of(*what.received),
                                 how, call_site{});
  }
  return neighbor_all_to_all_v(among, form..., what.input, counts_of(*what.sent), what.output,
                               counts_of(*what.received), how, call_site{});
}

}  // namespace

void run(const near_call& what) { go(what, {.items = what.bytes}, blocking); }

request start(const near_call& what) { return go(what, {.scheme = "direct", .items = what.bytes}); }

collective::persistent prepare(const near_call& what) {
  return go(what, {.items = what.bytes}, persist);
}

}  // namespace upwash::mpi
