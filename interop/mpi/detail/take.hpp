// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a collective call is taken over, or passed on. Whether it is depends on the communicator, on
// what all ranks have called on it before, and on arguments that MPI wants the same everywhere: a
// call that some ranks took over and others did not would never end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "interop/mpi/detail/buffers.hpp"
#include "interop/mpi/detail/comparison.hpp"
#include "interop/mpi/detail/integer_list.hpp"
#include "interop/mpi/detail/session.hpp"
#include "interop/mpi/detail/traffic.hpp"
#include "upwash/collective/call.hpp"
#include "upwash/collective/choice.hpp"

namespace upwash::mpi {

/// The arguments are wrong, or upwash cannot do it: the MPI library has the call.
struct pass_on {
  fate why;
  std::uint64_t bytes = 0;  ///< of the call's size class, where it is sampled
};

enum class manner : std::uint8_t {
  blocking,
  nonblocking,  ///< the one that must not wait for other members
  persistent,   ///< may wait where it is set up, but not where it is started
};

/// A function of MPI's that upwash may take over.
struct asked_for {
  function which;
  bool of_neighbors = false;
  manner how = manner::blocking;
  bool has_operator = true;  ///< false: not blocking, and it combines by one of the program's own
};

/// A collective call that upwash has, as the function that describes it sees it.
class taken_call {
 public:
  taken_call(session& own, membership& on, function which, manner how) noexcept
      : own_(own), on_(on), which_(which), how_(how) {}

  [[nodiscard]] int rank() const noexcept { return on_.rank; }
  [[nodiscard]] int size() const noexcept { return on_.size; }
  [[nodiscard]] staging& memory() const noexcept { return own_.memory; }
  /// Whether functions of the program's may be called until it is over: nobody frees them
  /// meanwhile, and no other thread is in the library's progress.
  [[nodiscard]] bool may_call_program() const noexcept {
    return how_ == manner::blocking && !own_.threads.several_threads();
  }
  /// Of calls among neighbours.
  [[nodiscard]] const topology& near() const noexcept { return *on_.near; }

  /// Elements of an argument. Throws `pass_on` (bad_call) where the MPI library would refuse it.
  [[nodiscard]] elements of(const void* buffer, MPI_Count count, MPI_Datatype type,
                            MPI_Aint from = 0) const {
    return elements::of(buffer, count, type, facts_of(buffer, count, type), from);
  }
  /// Blocks that an argument lists: counts and places in elements.
  [[nodiscard]] block_list blocks(const void* buffer, integer_list counts, integer_list places,
                                  MPI_Datatype type) const;
  /// The same, a type for each; places in bytes.
  [[nodiscard]] block_list blocks(const void* buffer, integer_list counts, integer_list places,
                                  const MPI_Datatype* types) const;
  void check_root(int root) const {
    if (root < 0 || root >= on_.size) throw pass_on{fate::bad_call};
  }

  /// Blocking. Where it is the MPI library's turn, by the knob mpi_sample, throws `pass_on`; in a
  /// checked run gives what compares both, unless results may differ. Else null.
  [[nodiscard]] std::unique_ptr<comparison> run(const traffic& all);
  /// Nonblocking: the session keeps `all` until it is complete, and tells `request`. Throws
  /// `pass_on` where it is the library's turn.
  void start(std::unique_ptr<traffic> all, MPI_Request* request);
  /// Set up to be started often. The session keeps `all` until `request` is freed. Collective,
  /// blocking. It is never the MPI library's turn: who has it is settled once for all starts.
  void keep(std::unique_ptr<traffic> all, MPI_Request* request);

 private:
  [[nodiscard]] const type_facts& facts_of(const void* buffer, MPI_Count count,
                                           MPI_Datatype type) const {
    if (count < 0 || buffer == MPI_IN_PLACE) throw pass_on{fate::bad_call};
    const type_facts* facts = own_.types.find(type);
    if (facts == nullptr) throw pass_on{fate::bad_call};
    if (buffer == nullptr && count > 0 && facts->dense && facts->bytes != 0) {
      throw pass_on{fate::bad_call};
    }
    return *facts;
  }
  [[nodiscard]] bool is_library_turn();
  [[nodiscard]] bool is_compared(const traffic& all) const;

  session& own_;
  membership& on_;
  function which_;
  manner how_;
};

namespace detail {

/// The communicator's record where upwash takes the call over; counts why it does not.
[[nodiscard]] membership* begin(session& own, const asked_for& what, MPI_Comm comm);
/// The library has the call.
void note_passed(session& own, const asked_for& what, MPI_Comm comm) noexcept;
void note_theirs(session& own, function which, std::uint64_t bytes, duration time);
/// Calls the MPI library, whose turn it is.
template <class Theirs>
int sampled(session& own, function which, std::uint64_t bytes, const Theirs& theirs) {
  const duration before = own.here().now();
  const int code = theirs();
  const session::inside here(own);
  note_theirs(own, which, bytes, own.here().now() - before);
  return code;
}

/// Upwash has had the call; the library has it, too. Ends the job where that answers something
/// else.
template <class Theirs>
int compare(function which, const comparison& both, const Theirs& theirs) noexcept {
  session& own = *session::current();
  try {
    const int code = sampled(own, which, both.bytes(), theirs);
    const session::inside here(own);
    if (code == MPI_SUCCESS) both.check();
    return code;
  } catch (...) {
    own.fail(which);
  }
}

/// `ours(session&, membership&)` throws `pass_on` before it has sent anything of the call.
template <class Ours, class Theirs>
int take(const asked_for& what, MPI_Comm comm, const Ours& ours, const Theirs& theirs) noexcept {
  const function which = what.which;
  session* own = session::current();
  if (own == nullptr) {
    count(which, fate::no_job);
    return theirs();
  }
  pass_on back{fate::taken};
  try {
    const session::inside here(*own);
    membership* on = begin(*own, what, comm);
    if (on != nullptr) {
      ours(*own, *on);
      count(which, fate::taken);
      return MPI_SUCCESS;
    }
  } catch (const pass_on& why) {
    back = why;
    count(which, back.why);
  } catch (...) {
    own->fail(which);
  }
  if (what.how == manner::nonblocking) [[unlikely]]
    note_passed(*own, what, comm);
  return back.why == fate::sampled ? sampled(*own, which, back.bytes, theirs) : theirs();
}

}  // namespace detail

/// `describe(taken_call&, traffic&)` says what the call is, or throws `pass_on`; `theirs()` calls
/// the MPI library.
template <class Describe, class Theirs>
int take(const asked_for& what, MPI_Comm comm, const Describe& describe,
         const Theirs& theirs) noexcept {
  std::unique_ptr<comparison> both;
  const int code = detail::take(
      what, comm,
      [&](session& own, membership& on) {
        taken_call call(own, on, what.which, what.how);
        traffic all;
        describe(call, all);
        both = call.run(all);
        all.deliver();
        if (both != nullptr) both->put_back();
      },
      theirs);
  return both == nullptr ? code : detail::compare(what.which, *both, theirs);
}

/// The same of a call that gives a request.
template <class Describe, class Theirs>
int take_later(const asked_for& what, MPI_Comm comm, MPI_Request* request, const Describe& describe,
               const Theirs& theirs) noexcept {
  return detail::take(
      what, comm,
      [&](session& own, membership& on) {
        if (request == nullptr) throw pass_on{fate::bad_call};
        taken_call call(own, on, what.which, what.how);
        auto all = std::make_unique<traffic>();
        describe(call, *all);
        what.how == manner::persistent ? call.keep(std::move(all), request)
                                       : call.start(std::move(all), request);
      },
      theirs);
}

/// Starts a persistent one, which is not under way. Nonblocking.
void start_again(session& own, persistent_call& kept);

/// A call of upwash's collectives by bytes.
[[nodiscard]] inline collective::call call_of(collective::kind what, std::uint64_t bytes,
                                              int root = 0) {
  collective::call made;
  made.what.of = what;
  made.what.bytes = bytes;
  made.what.root = root;
  return made;
}

}  // namespace upwash::mpi
