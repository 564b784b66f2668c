// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/c/detail/guard.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

namespace {

void keep(upwash_job* of, const upwash::team& made, upwash_team** into) {
  *into = made ? new upwash_team{of, made} : nullptr;  // NOLINT: until upwash_team_free
}

}  // namespace

extern "C" {

upwash_team* upwash_world(upwash_job* job) { return job == nullptr ? nullptr : &job->world; }

int upwash_team_rank(const upwash_team* team) {
  return team == nullptr ? -1 : team->members.rank();
}
int upwash_team_size(const upwash_team* team) {
  return team == nullptr ? -1 : team->members.size();
}
int upwash_world_rank(const upwash_team* team, int member) {
  if (team == nullptr || member < 0 || member >= team->members.size()) return -1;
  return team->members.world_rank(member);
}
int upwash_member_of(const upwash_team* team, int world_rank) {
  return team == nullptr ? -1 : team->members.member_of(world_rank);
}

int upwash_team_split(upwash_team* team, int color, int key, upwash_team** made) {
  return guarded_by(team, "upwash_team_split", [&] {
    given(made, "made") = nullptr;
    keep(team->of, team->members.split(color, key), made);
  });
}

int upwash_team_subset(upwash_team* team, const int* members, int count, upwash_team** made) {
  return guarded_by(team, "upwash_team_subset", [&] {
    given(made, "made") = nullptr;
    if (count < 0) refuse(fmt::format("a list of {} members", count));
    if (count > 0) static_cast<void>(given(members, "members"));
    keep(team->of, team->members.subset({members, static_cast<size_t>(count)}), made);
  });
}

int upwash_team_node(upwash_team* team, upwash_team** made) {
  return guarded_by(team, "upwash_team_node", [&] {
    given(made, "made") = nullptr;
    keep(team->of, team->members.node(), made);
  });
}

int upwash_team_free(upwash_team** team) {
  if (team == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*team, "upwash_team_free", [&] {
    if (*team == &(*team)->of->world) refuse("the world lives as long as the job");
    (*team)->members.release();
    delete std::exchange(*team, nullptr);  // NOLINT: made by `keep`
  });
}

}  // extern "C"
