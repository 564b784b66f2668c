// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of one rank behind MPI's names, and the one place where they find it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interop/mpi/detail/communicators.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/open_calls.hpp"
#include "interop/mpi/detail/open_messages.hpp"
#include "interop/mpi/detail/options.hpp"
#include "interop/mpi/detail/own_communicator.hpp"
#include "interop/mpi/detail/own_request.hpp"
#include "interop/mpi/detail/persistent_calls.hpp"
#include "interop/mpi/detail/report.hpp"
#include "interop/mpi/detail/staging.hpp"
#include "interop/mpi/detail/turn_lock.hpp"
#include "interop/mpi/detail/types.hpp"
#include "upwash/core/idle_clock.hpp"
#include "upwash/core/job.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::mpi {

/// Whoever waits in upwash lets the MPI library go on meanwhile: messages that the program has
/// begun there must arrive, whatever this rank waits in.
class library_turns final : public waiter_layer {
 public:
  /// `quiet` outlives it. Nobody finds a message there: what is sent on it has a receive that
  /// waits. Where a message is found, Open MPI makes no progress. `threads` is held where one
  /// waits.
  library_turns(job& here, MPI_Comm quiet, turn_lock& threads);
  ~library_turns();
  library_turns(const library_turns&) = delete;
  library_turns& operator=(const library_turns&) = delete;

  void begin_wait(int rank) override {
    idles_ = 0;
    waiter_layer::begin_wait(rank);
  }
  void idle(int rank, const conduit::wait_target& target,
            const conduit::wait_reason& reason) override {
    if (threads_.several_threads()) {
      if (!in_library_) let_threads_go_on();
      return;
    }
    ++idles_;
    if (idles_ > idles_first && (idles_ % idles_a_turn == 0 || idles_ > most_spinning)) take_turn();
    waiter_layer::idle(rank, target, reason);
  }

  /// Not blocking.
  void take_turn() const noexcept;
  /// While it is the library that calls, it gets no turn: with several threads MPICH may not be
  /// called then.
  void set_in_library(bool is) noexcept { in_library_ = is; }

 private:
  /// A wait that is short leaves the library alone, whose turn takes longer than several idles: a
  /// message from a far core comes within some ten. In a long one idles may be naps.
  static constexpr unsigned idles_first = 24;
  static constexpr unsigned idles_a_turn = 8;
  static constexpr unsigned most_spinning = 1024;
  /// Instead of sleeping, since what another thread does may be what this one waits for.
  void let_threads_go_on() const;

  job& here_;
  MPI_Comm quiet_;
  turn_lock& threads_;
  unsigned idles_ = 0;
  bool in_library_ = false;
};

/// A line of this rank's on standard error.
void say(std::string_view text);
/// Before a process ends: MPICH's launcher loses what it has not read when it ends the others, and
/// may itself end where all do at once.
void let_launcher_read() noexcept;

class session {
 public:
  /// Of this process; null before MPI_Init, after MPI_Finalize, and if nothing is taken over. It
  /// serves the functions that MPI_Finalize calls for attributes of MPI_COMM_SELF. O(1), no lock.
  [[nodiscard]] static session* current() noexcept { return own_; }

  /// Behind the library's MPI_Init, with the level of threads that it gave. Collective, blocking.
  /// Ends the job where some ranks have come without the preload library. Returns what the knob
  /// report says.
  [[nodiscard]] static std::string begin(int thread_level);
  /// Called by the library's MPI_Finalize, after all functions of the program that it calls while
  /// MPI still works. Collective, blocking.
  static void end();

  [[nodiscard]] const preload_options& options() const noexcept { return options_; }
  [[nodiscard]] job& here() const noexcept { return joined_.job(); }

  /// Whether the library lets upwash go on while the program waits in it.
  [[nodiscard]] bool library_lets_us_go_on() const noexcept { return lets_us_go_on_; }
  /// Whether messages on communicators are upwash's, of those that have their teams from the start.
  [[nodiscard]] bool has_messages() const noexcept { return options_.messages && lets_us_go_on_; }
  /// A collective call that members may carry out by messages: what others wait for, this rank may
  /// have to do when its own part is over, so it goes on in the library from now on.
  void serve_others(bool waits) noexcept {
    serves_others_ = serves_others_ || !waits || spans_nodes_;
  }
  /// The highest tag that the library takes: a higher one is its to refuse.
  [[nodiscard]] int most_tag() const noexcept { return most_tag_; }
  /// Blocks until it is complete. The program's request stays.
  void await(own_request& of);
  /// Before a function that looks and does not wait makes progress: only now and then it gives the
  /// processor away.
  void begin_look() const noexcept;
  /// Progress, once, of such a function. Nonblocking.
  void go_on_here();
  /// Behind a look that has found nothing: now and then the library goes on too, which takes as
  /// long as several looks. Nonblocking.
  void let_library_go_on() noexcept {
    if (is_turn()) turns_.take_turn();
    ++looks_;
  }
  /// From the library's own progress: moves what is under way. Nothing where this rank is in upwash
  /// already, which calls the library, too.
  [[nodiscard]] static int go_on() noexcept;

  /// While it lives this rank is in upwash, and of several threads only this one, but where it
  /// waits. Not one in another.
  class inside {
   public:
    explicit inside(session& of) : of_(of) {
      of.threads.take();
      ++of.depth_;
    }
    ~inside() {
      if (of_.requests.has_late()) [[unlikely]]
        of_.let_go_late();
      --of_.depth_;
      of_.threads.give();
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;

   private:
    session& of_;
  };

  /// In a catch block: one line that names the function, and the end of the job.
  [[noreturn]] void fail(function in) const noexcept;

  turn_lock threads;
  own_communicator between_us;
  communicator_book communicators;
  type_book types;
  staging memory;
  request_book requests;
  persistent_calls persistent;
  open_calls open;
  open_messages messages;
  /// Null where there is no report and no sampling.
  std::unique_ptr<measurements> measured;

 private:
  session(attached_job joined, preload_options options, std::vector<int> ranks,
          bool several_threads, bool lets_us_go_on);

  [[nodiscard]] bool is_turn() const noexcept { return looks_ % looks_a_turn == looks_a_turn - 1; }
  /// What came to freed requests gets to where the program wants it. A failure ends the job.
  void let_go_late() noexcept;

  static session* own_;

  static constexpr unsigned looks_a_turn = 32;

  attached_job joined_;
  preload_options options_;
  library_turns turns_;
  bool lets_us_go_on_;
  bool spans_nodes_ = false;
  bool serves_others_ = false;
  int most_tag_ = 0;
  int depth_ = 0;
  unsigned looks_ = 0;  ///< that have found nothing
};

}  // namespace upwash::mpi
