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

/// The additions of a program to its jobs; the same in all processes.
struct additions {
  /// Adds the program's collective algorithms (docs/algorithms.md), before any rank runs. Calls
  /// choose among them too, and all of upwash's options know their names.
  void (*add_algorithms)(collective::registry& to) = nullptr;
  /// For a front end in a library: an address in that library. Only functions of that library are
  /// then handlers, so the users' executables may differ between ranks. Null: the executable
  /// counts.
  const void* program = nullptr;
  /// For a front end in a library: its program continues if it cannot join a job. Its end is then
  /// no failure of that job. Only for front ends whose ranks all agree on this by their own means.
  bool goes_on_alone = false;
};

namespace detail {
int run_ranks(int argc, char** argv, function_ref<int(job&)> rank_main, const additions& own);
}

/// Runs `rank_main(job&)` once for every rank of this process and returns the exit status for main.
///
/// Options come from the environment, the config file and the launcher. The program's command line
/// is not read. Without a launcher the job has one rank. The ranks leave together, when all
/// operations are complete and all messages handled.
///
/// Returns the value of rank_main (0 for void; the largest of several ranks). An error is printed
/// in one line; the status is then 2 for bad input and 1 for faults. With several processes, or
/// under upwash's launcher, an error ends the whole job, and this function does not return.
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

/// A job that does not own main, for front ends with C interfaces. One rank a process, real
/// conduits only, no signal handlers. The destructor is collective: it finishes the job.
class attached_job {
 public:
  attached_job(attached_job&&) noexcept;
  attached_job& operator=(attached_job&&) = delete;
  ~attached_job();

  /// Returns this rank's job, valid during the lifetime of this object.
  [[nodiscard]] upwash::job& job() const noexcept;

  /// Ends the whole job with this exit status, which is not 0, and one line with this rank and the
  /// reason. Does not return; does not unwind the program.
  [[noreturn]] void abort(int status, std::string_view why) const noexcept;

  /// Leaves the job without finishing it, if other processes could not join. Memory shared with
  /// them stays until the process ends. Not collective.
  void give_up() && noexcept;

 private:
  friend attached_job attach(int argc, char** argv, const additions& own);
  struct parts;
  explicit attached_job(std::unique_ptr<parts> made);
  std::unique_ptr<parts> parts_;
};

/// Joins the job that the surroundings describe (upwash's launcher, or an external launcher on this
/// node), or makes a job of one rank. Collective, blocking. Throws `error`.
[[nodiscard]] attached_job attach(int argc, char** argv, const additions& own = {});

/// Adds the rows of every layer: the list of `upwash info --knobs`.
void add_all_knobs(knob_table& table);

}  // namespace upwash
