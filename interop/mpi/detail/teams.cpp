// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/teams.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include "interop/mpi/detail/session.hpp"
#include "upwash/base/random.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash::mpi {

namespace {

bool is_true(MPI_Info hints, const char* key) {
  char value[8] = {};
  int found = 0;
  PMPI_Info_get(hints, key, sizeof value - 1, value, &found);
  return found != 0 && std::strcmp(value, "true") == 0;
}

/// Where a parent with a team is known, `name` is not empty.
void make_team_of(session& own, membership& of, std::optional<std::uint64_t> name) {
  if (of.refused == fate::several_jobs) return;
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(of.comm, &kind);
  const bool near = kind != MPI_UNDEFINED && own.options().neighborhoods;
  if (of.refused != fate::taken && !(near && of.refused == fate::one_member)) return;
  if (name && of.refused == fate::taken) own.communicators.name(of, *name);
  if (near || !of.among) own.communicators.make_ready(of, near);
  of.has_messages = own.has_messages() && of.refused == fate::taken;
}

/// Of those of a parent that all its members take part in.
constexpr std::uint64_t of_all = 0;
/// Of those of some: by who they are, and the tag.
std::uint64_t mark_of_some(const std::vector<int>& members, int tag) {
  std::uint64_t mark = random_bits(1, members.size(), static_cast<std::uint64_t>(tag));
  for (const int each : members) mark = random_bits(mark, 2, static_cast<std::uint64_t>(each));
  return mark;
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

communicator_call::communicator_call(function which, MPI_Comm from) noexcept
    : which_(which), own_(session::current()) {
  if (own_ == nullptr) return;
  try {
    const session::inside here(*own_);
    own_->communicators.begin_making();
    membership* parent = own_->communicators.find(from);
    if (parent == nullptr || !parent->among) return;
    parent_ = parent;
  } catch (...) {
    own_->fail(which_);
  }
}

communicator_call::~communicator_call() {
  if (own_ == nullptr) return;
  try {
    const session::inside here(*own_);
    if (own_->communicators.end_making()) matching::drop_early(own_->here());
  } catch (...) {
    own_->fail(which_);
  }
}

void communicator_call::give_team(MPI_Comm comm, MPI_Info hints) noexcept {
  if (own_ == nullptr) return;
  try {
    const session::inside here(*own_);
    communicator_book& book = own_->communicators;
    book.freed().go_on();
    std::optional<std::uint64_t> name;
    if (parent_ != nullptr) name = random_bits(parent_->among.id(), of_all, parent_->children++);
    if (membership* of = book.find(comm); of != nullptr) make_team_of(*own_, *of, name);
  } catch (...) {
    own_->fail(which_);
  }
  take_hints(which_, comm, hints);
}

void communicator_call::give_team_to_some(int tag, MPI_Comm comm) noexcept {
  if (own_ == nullptr) return;
  try {
    const session::inside here(*own_);
    communicator_book& book = own_->communicators;
    book.freed().go_on();
    membership* of = book.find(comm);
    if (of == nullptr) return;
    if (parent_ == nullptr) return make_team_of(*own_, *of, std::nullopt);
    const std::uint64_t mark = mark_of_some(book.members_of(comm), tag);
    const std::uint64_t number = parent_->of_some[mark]++;
    make_team_of(*own_, *of, random_bits(parent_->among.id(), mark, number));
  } catch (...) {
    own_->fail(which_);
  }
}

}  // namespace upwash::mpi
