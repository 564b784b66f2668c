// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/switch_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::conduit::sim {
namespace {

simulator::network_collective kind_of(const network_collective& part) {
  switch (part.what) {
    case network_collective::kind::barrier: return simulator::network_collective::barrier;
    case network_collective::kind::broadcast: return simulator::network_collective::broadcast;
    case network_collective::kind::reduce: break;
  }
  return part.root < 0 ? simulator::network_collective::all_reduce
                       : simulator::network_collective::reduce;
}

}  // namespace

switch_collectives::switch_collectives(simulation& in)
    : in_(in), told_(static_cast<std::size_t>(in.options().ranks)) {}

int switch_collectives::group_of(const network_collective& part) {
  const auto [at, fresh] = groups_.try_emplace(part.team, 0);
  if (fresh) {
    std::vector<int> ranks;
    ranks.reserve(static_cast<std::size_t>(part.members));
    for (int i = 0; i < part.members; ++i) ranks.push_back(part.world_rank(i));
    at->second = in_.packets->add_group(ranks);
  }
  return at->second;
}

/// The collective of that name, begun by the first who joins.
switch_collectives::meeting& switch_collectives::find(int rank, const network_collective& part) {
  const name key{part.team, part.run, part.step, part.what};
  std::unique_ptr<meeting>& at = meetings_[key];
  const std::uint64_t bytes = std::max(part.from.size(), part.into.size());
  if (at) {
    const simulator::carrier::part& first = at->part;
    if (bytes == first.bytes && part.root == first.root && part.members == at->all &&
        !at->members.contains(part.place)) {
      return *at;
    }
    throw error(error_kind::fault,
                fmt::format("rank {}: a collective in the network of {} members, {} bytes and root "
                            "{} was joined by member {} as one of {} members, {} bytes and root "
                            "{}; the members call different collectives or sizes",
                            rank, at->all, first.bytes, first.root, part.place, part.members, bytes,
                            part.root));
  }
  at = std::make_unique<meeting>();
  at->key = key;
  at->part = {kind_of(part), part.root, bytes, numbers_++, group_of(part)};
  at->all = part.members;
  return *at;
}

injection switch_collectives::join(int rank, const network_collective& part, completion* when) {
  if (in_.refuse_by_chance(rank)) return injection::retry(retry_reason::no_credit);
  meeting& all = find(rank, part);
  const bool is_root = rank == part.root;
  const bool casts = part.what == network_collective::kind::broadcast;
  const bool reduces = part.what == network_collective::kind::reduce;
  member& own = all.members[part.place];
  own.came = &switch_collectives::came;
  own.home = this;
  own.in = &all;
  own.rank = rank;
  own.when = when;
  own.into = part.into;
  own.gets = casts || (reduces && (part.root < 0 || is_root));
  if (reduces || (casts && is_root)) own.gave.assign(part.from.begin(), part.from.end());
  if (casts && is_root) all.result = own.gave;
  if (reduces && static_cast<int>(all.members.size()) == all.all) combine(all, part);
  if (in_.conflicts) in_.conflicts->add_to(all.known, rank);
  in_.ranks.advance(in_.acting(rank), in_.network_overheads().send_overhead);
  in_.ranks.events().schedule(in_.clock(rank), rank, rank, {&switch_collectives::set_off, &own, 0});
  return injection::pending();
}

void switch_collectives::combine(meeting& all, const network_collective& part) {
  for (auto& [place, each] : all.members) {
    if (place == 0) {
      all.result = std::move(each.gave);
      continue;
    }
    part.combine(all.result.data(), each.gave.data(), all.result.data(), all.result.size(),
                 part.context);
    each.gave = {};
  }
}

void switch_collectives::set_off(void* member_, std::uint64_t) {
  member& own = *static_cast<member*>(member_);
  simulation& in = own.home->in_;
  in.packets->join(in.ranks.events().now(), own.rank, own.in->part, own);
}

void switch_collectives::came(parcel& self, duration at) {
  member& own = static_cast<member&>(self);
  own.home->in_.ranks.events().schedule(at, own.rank, own.rank,
                                        {&switch_collectives::finish, &own, 0});
}

void switch_collectives::finish(void* member_, std::uint64_t) {
  const member& own = *static_cast<member*>(member_);
  switch_collectives& home = *own.home;
  meeting& all = *own.in;
  if (own.gets) std::copy(all.result.begin(), all.result.end(), own.into.begin());
  if (home.in_.conflicts) home.in_.conflicts->learn(own.rank, all.known);
  home.told_[static_cast<std::size_t>(own.rank)].push_back(own.when);
  home.in_.ranks.notify(own.rank, home.in_.ranks.events().now());
  if (++all.over == all.all) home.meetings_.erase(name(all.key));
}

int switch_collectives::tell(int rank) {
  std::vector<completion*>& mine = told_[static_cast<std::size_t>(rank)];
  if (mine.empty()) return 0;
  const std::vector<completion*> now = std::exchange(mine, {});
  for (completion* each : now) {
    in_.ranks.advance(in_.acting(rank), in_.network_overheads().receive_overhead);
    each->tell(*each);
  }
  return static_cast<int>(now.size());
}

}  // namespace upwash::conduit::sim
