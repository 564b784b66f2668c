// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The composition root: starts this process's ranks on the conduit that the knobs name.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

#include "upwash/base/function_ref.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

namespace collective {
class registry;
}

/// What a program adds to its jobs; the same in all processes.
struct additions {
  /// Adds collective algorithms of its own (docs/algorithms.md), before any rank runs. Calls choose
  /// among them too, and all of upwash's options know their names.
  void (*add_algorithms)(collective::registry& to) = nullptr;
  /// Of a front end in a library: an address in that library, whose functions alone are handlers
  /// then. Executables of the ranks may differ, which are its users'. Null: the executable counts.
  const void* program = nullptr;
  /// Of such a front end: its program goes on where it cannot join a job, and is then no failure of
  /// that job when it ends. For those whose ranks all agree on that by ways of their own.
  bool goes_on_alone = false;
};

namespace detail {
int run_ranks(int argc, char** argv, function_ref<int(job&)> rank_main, const additions& own);
}

/// Runs `rank_main(job&)` once for every rank of this process and returns the exit status for
/// main: what rank_main returned (0 for void; the largest of several ranks), or after an error,
/// which is printed in one line, 2 for bad input and 1 for faults. With several processes, or under
/// upwash's launcher, an error ends the whole job, and this does not return. Ranks leave together,
/// when all operations are complete and all messages handled. Options come from the environment,
/// the config file and the launcher; the program's command line is not looked at. Without a
/// launcher: one rank.
template <class RankMain>
int run(int argc, char** argv, RankMain&& rank_main, const additions& own = {}) {
  const auto as_status = [&rank_main](job& here) -> int {
    if constexpr (std::is_void_v<std::invoke_result_t<RankMain&, job&>>) {
      rank_main(here);
      return 0;
    } else {
      return rank_main(here);
    }
  };
  return detail::run_ranks(argc, argv, as_status, own);
}

/// A job that does not own main: for front ends behind C interfaces. One rank a process, real
/// conduits only, no signal handlers. Destroying it is collective: it finishes the job.
class attached_job {
 public:
  attached_job(attached_job&&) noexcept;
  attached_job& operator=(attached_job&&) = delete;
  ~attached_job();

  /// This rank's, until this ends.
  [[nodiscard]] upwash::job& job() const noexcept;

  /// Ends the whole job with this exit status, which is not 0, and one line that names this rank
  /// and says why. Does not return; nothing of the program is unwound.
  [[noreturn]] void abort(int status, std::string_view why) const noexcept;

  /// Leaves the job without finishing it, where others could not join: what it shares with them
  /// stays until the process ends. Not collective.
  void give_up() && noexcept;

 private:
  friend attached_job attach(int argc, char** argv, const additions& own);
  struct parts;
  explicit attached_job(std::unique_ptr<parts> made);
  std::unique_ptr<parts> parts_;
};

/// Joins the job that the surroundings describe (own launcher, or a foreign one on this node), or
/// makes a job of one rank. Collective, blocking. Throws `error`.
[[nodiscard]] attached_job attach(int argc, char** argv, const additions& own = {});

/// Adds the rows of every layer; what `upwash info --knobs` lists.
void add_all_knobs(knob_table& table);

}  // namespace upwash
