// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/may_wait.hpp"
#include "upwash/core/named_subset.hpp"
#include "upwash/core/team_at_once.hpp"
#include "upwash/core/teams.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash {
namespace detail {

team_table::team_table(job& here) : here_(here) { world_ = &add(0, rank_map(0, 1, here.size())); }

team_state& team_table::add(std::uint64_t id, rank_map members) {
  const int mine = members.member_of(here_.rank());
  auto made = std::make_unique<team_state>(here_, id, std::move(members), mine);
  return *(teams_[id] = std::move(made));
}

void team_table::remove(std::uint64_t id) { teams_.erase(id); }

void team_table::retire(std::uint64_t id) {
  constexpr std::size_t most_released = 64;
  auto going = teams_.extract(id);
  going.mapped()->released = true;
  going.mapped()->forget_members();
  released_.push_back(std::move(going.mapped()));
  if (released_.size() > most_released) released_.pop_front();
}

std::uint64_t team_table::draw_id() noexcept {
  return (static_cast<std::uint64_t>(here_.rank()) << 32U) | ++drawn_;
}

}  // namespace detail

namespace {

detail::team_table& table_of(const team& t) { return *detail::job_access::state(t.here()).teams; }

void tell_services(const team& made) {
  const auto hearing = detail::job_access::state(made.here()).on_teams;  // hooks may make services
  for (service_base* each : hearing) each->on_team_create(made);
  // Services may ask members for their memory: who leaves to compute, or altogether, answers no
  // more.
  control::barrier_by_messages(made);
}

/// Enters a team that its members agreed on, and tells the services.
team enter(job& here, std::uint64_t id, detail::rank_map members) {
  auto& teams = *detail::job_access::state(here).teams;
  const team made = team_access::of(teams.add(id, std::move(members)));
  tell_services(made);
  return made;
}

/// Tells the services, by falling places, and forgets the team.
void leave(const team& going) {
  const auto hearing = detail::job_access::state(going.here()).on_teams;
  for (auto at = hearing.rbegin(); at != hearing.rend(); ++at) (*at)->on_team_free(going);
  detail::team_state& state = team_access::state(going);
  if (state.barrier_words) state.barrier_words.release();
}

struct listed_members {
  std::vector<int> world;  ///< their world ranks
  std::uint64_t mark = 0;  ///< of the team that they are of, and the list
};

/// Throws `error` (argument) where the list repeats or lacks the caller.
listed_members list_of(const team& of, std::span<const int> members) {
  listed_members made{.world = {}, .mark = random_bits(of.id(), 0, members.size())};
  for (const int member : members) {
    made.world.push_back(of.world_rank(member));
    made.mark = random_bits(made.mark, 1, static_cast<std::uint64_t>(member));
  }
  std::vector<int> sorted = made.world;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
      !std::binary_search(sorted.begin(), sorted.end(), of.here().rank())) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a subset of {} members must list each once, the caller too",
                            of.here().rank(), members.size()));
  }
  return made;
}

constexpr std::uint64_t made_of_list = 1ULL << 63U;  ///< of identities that nobody drew

/// The members' common choice: rank 0 of `among` draws an id and all learn it.
std::uint64_t agree_on_id(const team& among) {
  std::uint64_t id = among.rank() == 0 ? table_of(among).draw_id() : 0;
  control::broadcast_value(among, 0, id);
  return id;
}

/// `name`: by which calls for the list meet; none: by their order.
team subset_by(const team& of, std::span<const int> members, std::optional<std::uint64_t> name,
               call_site site) {
  check_may_wait(of.here(), "subset");
  const listed_members listed = list_of(of, members);
  // Until the id is agreed the members talk under an identity made of the list, and its uses or the
  // name.
  auto& table = table_of(of);
  const std::uint64_t provisional =
      (name ? random_bits(listed.mark, 3, *name)
            : random_bits(listed.mark, 2, table.next_use(listed.mark))) |
      made_of_list;
  const detail::rank_map map = detail::rank_map::of(listed.world);
  const team talking = team_access::of(table.add(provisional, map));
  const wait_scope in(of.here(), {.operation = "subset", .team = talking.id(), .site = site});
  const std::uint64_t agreed = agree_on_id(talking);
  table.remove(provisional);
  return enter(of.here(), agreed, map);
}

int place_at(job& here, int world_rank, level where) {
  if (where == level::world) return 0;
  const conduit::location place = host(here).endpoint().place(world_rank);
  if (where == level::process) return place.process;
  return where == level::node ? place.node : place.socket;
}

}  // namespace

bool team_exists(job& here, std::uint64_t id) {
  return detail::job_access::state(here).teams->all().contains(id);
}

void team::refuse() const {
  if (facts_ != nullptr) {
    throw error(error_kind::argument,
                fmt::format("rank {}: team {:#x} was released: this is a copy of its handle, or "
                            "something that was made on it, such as a persistent collective; use "
                            "them before the release",
                            facts_->here.rank(), facts_->id));
  }
  const int rank = process::current_rank();
  throw error(error_kind::argument,
              fmt::format("{}an empty team has no members: it was never made, was released, or is "
                          "a split's or leaders' answer to a rank that takes no part; test it "
                          "(`if (team)`) before use",
                          rank < 0 ? std::string() : fmt::format("rank {}: ", rank)));
}

int team::member_of(int world_rank) const {
  static_cast<void>(alive());
  return team_access::state(*this).map().member_of(world_rank);
}

void team::refuse_member(int member) const {
  throw error(error_kind::argument,
              fmt::format("member {} of a team of {} (rank {})", member, size(), here().rank()));
}

team team::split(int color, int key, call_site site) const {
  const wait_scope in(here(), control::reason_of(*this, "split", site));
  struct choice {
    int color;
    int key;
  };
  std::vector<choice> all(static_cast<std::size_t>(size()));
  control::all_gather_values(*this, choice{color, key}, std::span(all));
  std::vector<int> members;  // of my color, as ranks of this team
  for (int r = 0; r < size(); ++r) {
    if (color >= 0 && all[static_cast<std::size_t>(r)].color == color) members.push_back(r);
  }
  std::stable_sort(members.begin(), members.end(), [&all](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  return members.empty() ? team() : subset(members, site);
}

team team::subset(std::span<const int> members, call_site site) const {
  return subset_by(*this, members, std::nullopt, site);
}

team named_subset(const team& of, std::span<const int> members, std::uint64_t name,
                  call_site site) {
  return subset_by(of, members, name, site);
}

team make_at_once(const team& of, std::span<const int> members, std::uint64_t name) {
  const listed_members listed = list_of(of, members);
  const std::uint64_t id = random_bits(listed.mark, 4, name) | made_of_list;
  if (team_exists(of.here(), id)) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a team of {} members by the name {:#x} exists already",
                            of.here().rank(), members.size(), name));
  }
  return team_access::of(table_of(of).add(id, detail::rank_map::of(listed.world)));
}

void announce(const team& made, call_site site) {
  const wait_scope in(made.here(), control::reason_of(made, "announce", site));
  tell_services(made);
}

void release_at_once(team& going) {
  team_access::state(going).is_over = true;
  leave(going);
  table_of(going).retire(going.id());
  going = team();
}

bool is_over(const team& going) { return team_access::state(going).is_over; }

team team::duplicate(call_site site) const {
  const wait_scope in(here(), control::reason_of(*this, "duplicate", site));
  return enter(here(), agree_on_id(*this), team_access::state(*this).map());
}

team team::at(level where, call_site site) const {
  const int mine = place_at(here(), here().rank(), where);
  std::vector<int> members;
  for (int r = 0; r < size(); ++r) {
    if (place_at(here(), world_rank(r), where) == mine) members.push_back(r);
  }
  return subset(members, site);
}

team team::leaders(level where, call_site site) const {
  std::vector<int> members;
  std::set<int> seen;
  for (int r = 0; r < size(); ++r) {
    if (seen.insert(place_at(here(), world_rank(r), where)).second) members.push_back(r);
  }
  return std::binary_search(members.begin(), members.end(), rank()) ? subset(members, site)
                                                                    : team();
}

void team::release(call_site site) {
  if (id() == 0) {
    throw error(error_kind::argument, "the world team cannot be released; it ends with the job");
  }
  const wait_scope in(here(), control::reason_of(*this, "release of a team", site));
  leave(*this);
  control::barrier_by_messages(*this);
  table_of(*this).retire(id());
  facts_ = nullptr;
}

}  // namespace upwash
