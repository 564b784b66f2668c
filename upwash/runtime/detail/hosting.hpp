// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that hosts a copy of the program for each of its ranks: the state that `run` and
// `attach` find in it, and the begin and end of a rank
// (docs/decisions/0019-programs-as-they-are.md).
#pragma once

#include <csetjmp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/job.hpp"
#include "upwash/privatize/private_copy.hpp"
#include "upwash/runtime/detail/composition.hpp"

namespace upwash::runtime_detail {

/// One rank, whose program runs on its own stack. Not movable.
class hosted_rank {
 public:
  hosted_rank(const composition& parts, int rank, privatize::private_copy copy,
              const std::vector<std::string>& arguments);

  /// Runs the rank's whole life: constructors, main, and the functions after it. Returns the exit
  /// status. Collective.
  int live(upwash::job& here);
  /// Handles a call of exit by the program, by its thread or by a forked child. As exit.
  [[noreturn]] void exit(int status);

  /// Joins the rank's program to its job, or leaves it; both are collective. Throws `error`
  /// (argument) if it joins a second time, or adds algorithms: ranks of this process share their
  /// algorithms.
  upwash::job& join(const additions& own);
  void leave();
  /// Lets the other ranks of this process run.
  void give_way() const;
  void at_end(void (*what)()) { at_end_.push_back(what); }

  [[nodiscard]] const composition& parts() const noexcept { return parts_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] bool ended() const noexcept { return now_ == stage::ended; }
  [[nodiscard]] const privatize::private_copy& copy() const noexcept { return copy_; }

 private:
  enum class stage { outside, joined, left, ended };

  void run_program();
  void wind_up();
  [[nodiscard]] bool all_alike(bool joined) const;

  const composition& parts_;
  int rank_;
  privatize::private_copy copy_;
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  upwash::job* here_ = nullptr;
  stage now_ = stage::outside;
  bool winding_up_ = false;
  int status_ = 0;
  std::vector<void (*)()> at_end_;
  std::jmp_buf end_{};
};

/// All ranks of this process. One object at a time; hosted_now() finds its ranks during its
/// lifetime.
class hosting {
 public:
  /// Loads the copies. `arguments`: the program's words, its name first. Throws `error`.
  hosting(const composition& parts, const privatize::program_file& program,
          const std::vector<std::string>& arguments);
  hosting(const hosting&) = delete;
  hosting& operator=(const hosting&) = delete;
  ~hosting();

  [[nodiscard]] hosted_rank& of(int rank);

 private:
  friend hosted_rank* hosted_now() noexcept;
  static void at_exit(int status, void* self);

  const composition& parts_;
  std::thread::id driver_;
  std::vector<std::unique_ptr<hosted_rank>> ranks_;
};

/// Returns the rank whose code runs on the thread that drives ranks. Null if nothing is hosted.
[[nodiscard]] hosted_rank* hosted_now() noexcept;

}  // namespace upwash::runtime_detail
