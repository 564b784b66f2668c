// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/teams.hpp"

#include <cstring>

#include "interop/mpi/detail/session.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

namespace {

bool is_true(MPI_Info hints, const char* key) {
  char value[8] = {};
  int found = 0;
  PMPI_Info_get(hints, key, sizeof value - 1, value, &found);
  return found != 0 && std::strcmp(value, "true") == 0;
}

void make_team_of(session& own, membership& of) {
  if (of.refused == fate::several_jobs) return;
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(of.comm, &kind);
  const bool near = kind != MPI_UNDEFINED && own.options().neighborhoods;
  if (of.refused == fate::taken || (near && of.refused == fate::one_member)) {
    own.communicators.make_ready(of, near);
    of.has_messages = own.has_messages() && of.refused == fate::taken;
  }
}

}  // namespace

void take_hints(function told_by, MPI_Comm comm, MPI_Info hints) noexcept {
  session* own = session::current();
  if (own == nullptr || hints == MPI_INFO_NULL) return;
  try {
    const session::inside here(*own);
    const membership* of = own->communicators.find(comm);
    if (of == nullptr || !of->has_messages) return;
    // Exact lengths are of no use to the queues, which would only check them.
    matching::promise(of->among,
                      {.no_any_source = is_true(hints, "mpi_assert_no_any_source"),
                       .no_any_tag = is_true(hints, "mpi_assert_no_any_tag"),
                       .allow_overtaking = is_true(hints, "mpi_assert_allow_overtaking")});
  } catch (...) {
    own->fail(told_by);
  }
}

void give_team(function made_by, MPI_Comm from, MPI_Comm comm, MPI_Info hints) noexcept {
  session* own = session::current();
  if (own == nullptr) return;
  try {
    const session::inside here(*own);
    const membership* parent = own->communicators.find(from);
    const bool gives_back = parent != nullptr && parent->among;
    if (gives_back) own->communicators.give_back(parent->among, {parent->line.get()});
    if (membership* of = own->communicators.find(comm); of != nullptr) {
      if (gives_back) of->line->parent = parent->line;
      make_team_of(*own, *of);
    }
  } catch (...) {
    own->fail(made_by);
  }
  take_hints(made_by, comm, hints);
}

void give_team_to_some(function made_by, MPI_Comm from, int tag, MPI_Comm comm) noexcept {
  session* own = session::current();
  if (own == nullptr) return;
  try {
    const session::inside here(*own);
    const membership* parent = own->communicators.find(from);
    membership* of = own->communicators.find(comm);
    if (parent == nullptr || of == nullptr) return;
    if (parent->among) of->line->parent = parent->line;
    of->tag = tag;
    make_team_of(*own, *of);
    if (of->among) own->communicators.give_back(of->among, {parent->line.get(), tag});
  } catch (...) {
    own->fail(made_by);
  }
}

}  // namespace upwash::mpi
