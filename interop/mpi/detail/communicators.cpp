// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/communicators.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "interop/mpi/detail/session.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/named_subset.hpp"
#include "upwash/core/team_at_once.hpp"

namespace upwash::mpi {
namespace {

extern "C" {

/// A duplicate is another communicator.
int keep_membership_here(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

/// After the end of the session, as in MPI_Finalize, a communicator that the program has not freed
/// has nothing left to give back.
int forget_membership(MPI_Comm, int, void* of, void*) {
  session* own = session::current();
  if (own != nullptr) own->communicators.forget(static_cast<membership*>(of));
  return MPI_SUCCESS;
}

}  // extern "C"

}  // namespace

bool membership::is_over() const {
  const auto at_rest = [](const auto& each) {
    return !each->taken && collective::is_at_rest(each->among);
  };
  return under_way == 0 && kept_messages == 0 && std::ranges::all_of(places, at_rest) &&
         collective::is_at_rest(among);
}

communicator_book::communicator_book(const team& world, std::vector<int> ranks, turn_lock& threads)
    : world_(world), ranks_(std::move(ranks)), threads_(threads), freed_(world.here()) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  PMPI_Comm_create_keyval(&keep_membership_here, &forget_membership, &keyval_, nullptr);
}

communicator_book::~communicator_book() {
  PMPI_Group_free(&world_group_);
  PMPI_Comm_free_keyval(&keyval_);
}

/// Where all were started with this process, else nothing.
std::vector<int> communicator_book::members_of(MPI_Comm comm) const {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::vector<int> in_world(own.size());
  std::iota(own.begin(), own.end(), 0);
  PMPI_Group_translate_ranks(group, size, own.data(), world_group_, in_world.data());
  PMPI_Group_free(&group);
  if (std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end()) return {};
  for (int& each : in_world) each = ranks_[static_cast<std::size_t>(each)];
  return in_world;
}

std::unique_ptr<membership> communicator_book::describe(MPI_Comm comm) const {
  auto made = std::make_unique<membership>();
  made->comm = comm;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_rank(comm, &made->rank);
  PMPI_Comm_size(comm, &made->size);
  if (inter != 0) {
    made->refused = fate::several_jobs;
  } else if (made->size == 1) {
    made->refused = fate::one_member;
  } else if (members_of(comm).empty()) {
    made->refused = fate::several_jobs;
  }
  return made;
}

membership* communicator_book::look_up(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  if (comm == MPI_COMM_SELF) {
    if (self_ == nullptr) self_ = describe(comm).release();
    return self_;
  }
  void* kept = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, &kept, &found) != MPI_SUCCESS) return nullptr;
  auto* of = static_cast<membership*>(kept);
  if (found == 0) {
    std::unique_ptr<membership> made = describe(comm);
    if (PMPI_Comm_set_attr(comm, keyval_, made.get()) != MPI_SUCCESS) return nullptr;
    of = made.release();
  }
  recent_[hash(comm)] = {word_of(comm), of};
  return of;
}

void communicator_book::make_team(membership& of) {
  const std::vector<int> members = members_of(of.comm);
  const bool is_world = static_cast<int>(members.size()) == world_.size() &&
                        std::ranges::is_sorted(members) && of.comm == MPI_COMM_WORLD;
  if (is_world) {
    of.among = world_;
  } else if (threads_.several_threads()) {
    of.among = named_subset(world_, members, agreed_name(of.comm));
  } else {
    of.among = world_.subset(members);
  }
  of.is_announced = true;
}

void communicator_book::name(membership& of, std::uint64_t name) {
  of.among = make_at_once(world_, members_of(of.comm), name);
}

/// Threads may make communicators of equal members, here in one order and elsewhere in another.
std::uint64_t communicator_book::agreed_name(MPI_Comm comm) {
  std::uint64_t name = (static_cast<std::uint64_t>(world_.rank()) << 32U) | ++names_;
  const turn_lock::given others(threads_);
  PMPI_Bcast(&name, sizeof name, MPI_BYTE, 0, comm);
  return name;
}

void communicator_book::make_ready(membership& of, bool for_neighbors) {
  if (!of.among) make_team(of);
  of.has_collectives = true;
  if (!of.is_announced) announce(of.among);
  of.is_announced = true;
  if (!for_neighbors || of.knows_neighbors) return;
  of.near = topology::of(of.comm, of.among);
  of.knows_neighbors = true;
}

std::vector<unsigned char> communicator_book::given_back(const membership& of) {
  std::vector<unsigned char> all;
  for (const auto& each : of.places) all.push_back(each->taken ? 0 : 1);
  if (!all.empty()) all_reduce<least, unsigned char>(of.among, blocking, in_place, all);
  return all;
}

own_place* communicator_book::place_of(membership& of, bool for_neighbors) {
  const std::vector<unsigned char> free = given_back(of);
  const auto at = static_cast<std::size_t>(std::ranges::find(free, 1) - free.begin());
  if (at == most_places) return nullptr;
  if (at == of.places.size()) {
    of.places.push_back(std::make_unique<own_place>());
    of.places.back()->among = of.among.duplicate();
  }
  own_place& place = *of.places[at];
  place.taken = true;
  if (for_neighbors && place.near == nullptr) place.near = topology::of(of.comm, place.among);
  return &place;
}

membership* communicator_book::take(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL) return nullptr;
  void* of = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, &of, &found) != MPI_SUCCESS || found == 0) return nullptr;
  taking_ = true;
  PMPI_Comm_delete_attr(comm, keyval_);
  taking_ = false;
  return static_cast<membership*>(of);
}

void communicator_book::free(membership* of) {
  if (of == nullptr) return;
  std::unique_ptr<membership> going(of);  // made by look_up
  if (!going->among) return;
  going->comm = MPI_COMM_WORLD;  // for the errors of what is under way
  freed_.add(std::move(going));
}

void communicator_book::hold_for_library(MPI_Comm comm, const membership& of) {
#ifdef OPEN_MPI
  if (of.has_library_requests) held_.hold(comm, of.rank);
#else
  static_cast<void>(comm);
  static_cast<void>(of);
#endif
}

void communicator_book::put_back(MPI_Comm comm, membership* of) noexcept {
  if (of != nullptr) PMPI_Comm_set_attr(comm, keyval_, of);
}

void communicator_book::forget(membership* of) {
  for (recent& each : recent_) {
    if (each.of == of) each = {};
  }
  if (!taking_) free(of);
}

}  // namespace upwash::mpi
