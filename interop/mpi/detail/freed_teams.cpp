// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/freed_teams.hpp"

#include <algorithm>
#include <utility>

#include "interop/mpi/detail/session.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/team_at_once.hpp"

namespace upwash::mpi {
namespace {

// Behind the end of the session nothing is left to give back.

void on_one_freed(upwash::incoming& /*in*/, std::uint64_t team) {
  if (session* own = session::current(); own != nullptr) own->communicators.freed().hear_one(team);
}

void on_all_freed(upwash::incoming& /*in*/, std::uint64_t team) {
  if (session* own = session::current(); own != nullptr) own->communicators.freed().hear_all(team);
}

/// Nothing of it is used by any member any more.
void release(membership& of) {
  for (const auto& each : of.places) {
    each->near.reset();
    release_at_once(each->among);
  }
  of.near.reset();
  release_at_once(of.among);
}

}  // namespace

freed_teams::freed_teams(job& here) : here_(here) {}

/// The job is gone, and would be asked for what neighbours hold of it.
freed_teams::~freed_teams() {
  const auto leave = [](std::unique_ptr<membership>& each) { static_cast<void>(each.release()); };
  std::ranges::for_each(freed_, leave);
  std::ranges::for_each(over_, leave);
  for (auto& [team, each] : told_) leave(each);
}

void freed_teams::add(std::unique_ptr<membership> of) { freed_.push_back(std::move(of)); }

/// Without collectives its members share nothing, and need not agree.
bool freed_teams::goes_now(std::unique_ptr<membership>& of) {
  if (!of->is_over()) return false;
  if (of->has_collectives) {
    tell(std::move(of));
  } else {
    release(*of);
  }
  return true;
}

void freed_teams::go_on() {
  for (auto& each : std::exchange(over_, {})) release(*each);
  std::erase_if(freed_, [this](auto& each) { return goes_now(each); });
}

void freed_teams::tell(std::unique_ptr<membership> of) {
  const upwash::team among = of->among;
  told_.emplace(among.id(), std::move(of));
  if (among.rank() == 0) return hear_one(among.id());
  // As a handler: a program may count on it that the others need not be in MPI.
  host(here_).run_as_handler([&] { send<&on_one_freed>(here_, among.world_rank(0), among.id()); });
}

void freed_teams::hear_one(std::uint64_t team) {
  ++heard_[team];
  end_where_all_have(team);
}

void freed_teams::end_where_all_have(std::uint64_t team) {
  const auto mine = told_.find(team);
  if (mine == told_.end() || heard_[team] != mine->second->among.size()) return;
  heard_.erase(team);
  const upwash::team among = mine->second->among;
  host(here_).run_as_handler([&] {
    for (int member = 1; member < among.size(); ++member) {
      send<&on_all_freed>(here_, among.world_rank(member), team);
    }
  });
  hear_all(team);
}

/// In a handler nothing is released: that calls services that may be at work.
void freed_teams::hear_all(std::uint64_t team) {
  auto mine = told_.extract(team);
  over_.push_back(std::move(mine.mapped()));
}

}  // namespace upwash::mpi
