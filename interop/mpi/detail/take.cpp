// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/take.hpp"

#include "interop/mpi/detail/message_call.hpp"

#include <memory>
#include <utility>

namespace upwash::mpi {
namespace {

/// `among`: by its algorithms it went; null: among neighbours.
void note(measurements* in, function which, const traffic& all, const team* among, duration time) {
  if (in == nullptr) return;
  calls_of_size& at = in->of(which, all.bytes());
  ++at.ours;
  at.bytes += all.bytes();
  at.our_time += time;
  if (at.algorithm.empty() && among != nullptr) {
    at.algorithm = collective::algorithm_of(*among, all.wanted);
  }
}

}  // namespace

block_list taken_call::blocks(const void* buffer, integer_list counts, integer_list places,
                              MPI_Datatype type) const {
  if (counts.is_null()) throw pass_on{fate::bad_call};
  const type_facts& facts = facts_of(buffer, 0, type);
  block_list made(on_.size);
  MPI_Aint behind = 0;
  for (int i = 0; i < on_.size; ++i) {
    if (counts[i] < 0) throw pass_on{fate::bad_call};
    made.add(elements::of(buffer, counts[i], type, facts, !places.is_null() ? places[i] : behind));
    behind += counts[i];
  }
  return made;
}

block_list taken_call::blocks(const void* buffer, integer_list counts, integer_list places,
                              const MPI_Datatype* types) const {
  if (counts.is_null() || places.is_null() || types == nullptr) throw pass_on{fate::bad_call};
  block_list made(on_.size);
  for (int i = 0; i < on_.size; ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
    const auto* at = reinterpret_cast<const std::byte*>(
        begin + static_cast<std::uintptr_t>(MPI_Aint{places[i]}));
    // A block of nothing may name no type.
    made.add(counts[i] == 0 ? of(at, 0, MPI_BYTE) : of(at, counts[i], types[i]));
  }
  return made;
}

bool taken_call::is_library_turn() {
  const std::int64_t every = own_.options().sample;
  return every != 0 && ++on_.calls % static_cast<std::uint64_t>(every) == 0;
}

/// The same at all members. On grids the libraries are wrong where periodic dimensions have 1 or 2.
bool taken_call::is_compared(const traffic& all) const {
  if (!own_.options().checked || !all.exact) return false;
  int kind = MPI_UNDEFINED;
  if (!all.among_all) PMPI_Topo_test(on_.comm, &kind);
  return kind != MPI_CART;
}

std::unique_ptr<comparison> taken_call::run(const traffic& all) {
  if (!all.goes()) return nullptr;
  std::unique_ptr<comparison> both;
  if (is_library_turn()) {
    if (!is_compared(all)) throw pass_on{fate::sampled, all.bytes()};
    both = std::make_unique<comparison>(all, on_.rank);
  }
  all.load();
  const auto go = [&] {
    all.among_all ? collective::run(on_.among, all.wanted, all.buffers) : mpi::run(all.near);
  };
  if (own_.measured == nullptr) {
    go();
    return both;
  }
  const duration before = own_.here().now();
  go();
  note(own_.measured.get(), which_, all, all.among_all ? &on_.among : nullptr,
       own_.here().now() - before);
  return both;
}

void taken_call::start(std::unique_ptr<traffic> all, MPI_Request* request) {
  upwash::request going;
  if (all->goes()) {
    if (is_library_turn()) throw pass_on{fate::sampled, all->bytes()};
    all->load();
    all->keep_types();
    const duration before = own_.here().now();
    going = all->among_all ? collective::start(on_.among, all->wanted, all->buffers)
                           : mpi::start(all->near);
    note(own_.measured.get(), which_, *all, all->among_all ? &on_.among : nullptr,
         own_.here().now() - before);
  }
  own_.open.add(which_, on_, std::move(all), std::move(going), request);
}

void taken_call::keep(std::unique_ptr<traffic> all, MPI_Request* request) {
  auto made = own_.persistent.make(which_);
  made->all = std::move(all);
  traffic& goes = *made->all;
  goes.keep_all_types();
  if (goes.goes()) {
    made->place = own_.communicators.place_of(on_, !goes.among_all);
    if (made->place == nullptr) throw pass_on{fate::no_place};
    if (goes.among_all) {
      made->steps = collective::prepare(made->place->among, goes.wanted, goes.buffers);
    } else {
      goes.near.among = &made->place->near->neighbors();
      made->steps = mpi::prepare(goes.near);
    }
  }
  own_.persistent.add(std::move(made), request);
}

void start_again(session& own, persistent_call& kept) {
  kept.is_active = true;
  kept.is_complete = false;
  if (kept.message != nullptr) return message_call::start_kept(own, kept);
  upwash::request going;
  if (kept.steps) {
    kept.all->load();
    const duration before = own.here().now();
    going = kept.steps->start();
    note(own.measured.get(), kept.which, *kept.all,
         kept.all->among_all ? &kept.place->among : nullptr, own.here().now() - before);
  }
  own.open.add(kept, std::move(going));
}

namespace detail {
namespace {

/// Nothing where upwash can have the call. One that may wait makes what it needs.
fate why_not(session& own, const asked_for& what, membership& on) {
  const bool alone = on.refused == fate::one_member;
  if (on.refused != fate::taken && !(alone && what.of_neighbors)) return on.refused;
  if (what.how != manner::nonblocking && !on.is_complete(what.of_neighbors)) {
    own.communicators.make_ready(on, what.of_neighbors);
  }
  if (!on.is_ready(what.of_neighbors)) return fate::no_team_yet;
  if (what.of_neighbors && on.near == nullptr) return fate::no_neighbors;
  return fate::taken;
}

}  // namespace

membership* begin(session& own, const asked_for& what, MPI_Comm comm) {
  const auto pass = [&](fate why) -> membership* {
    count(what.which, why);
    return nullptr;
  };
  const preload_options& options = own.options();
  const bool wanted = what.of_neighbors ? options.neighborhoods : options.collectives;
  if (!wanted || !options.takes[static_cast<std::size_t>(what.which)]) return pass(fate::left_out);
  if (what.how != manner::blocking && !own.library_lets_us_go_on()) return pass(fate::no_progress);
  membership* on = own.communicators.find(comm);
  if (on == nullptr) return pass(fate::bad_call);
  fate why = why_not(own, what, *on);
  // Known before the call is described: an exception takes longer than a small call.
  if (why == fate::taken && !what.has_operator) why = fate::operation;
  if (why != fate::taken) return pass(why);
  on->has_collectives = true;
  own.serve_others(what.how == manner::blocking);
  return on;
}

void note_passed(session& own, const asked_for& what, MPI_Comm comm) noexcept {
  try {
    const session::inside here(own);
    if (membership* on = own.communicators.find(comm)) on->has_library_requests = true;
  } catch (...) {
    own.fail(what.which);
  }
}

void note_theirs(session& own, function which, std::uint64_t bytes, duration time) {
  if (own.measured == nullptr) return;
  calls_of_size& at = own.measured->of(which, bytes);
  ++at.theirs;
  at.their_time += time;
}

}  // namespace detail
}  // namespace upwash::mpi
