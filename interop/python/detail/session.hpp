// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's job as its Python objects share it: who may call upwash now, what is under way, and
// what has to stay until it is complete.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "interop/python/detail/errors.hpp"
#include "interop/python/detail/places.hpp"
#include "interop/python/detail/python.hpp"
#include "interop/python/detail/rank_thread.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::python {

struct operation;
class open_stream;

/// What is made of parts of the job: given back as the rank, in a later call when Python's
/// collector has let go of its handle, at the latest before the job ends.
struct job_part {
  virtual ~job_part() = default;
  /// As the rank, without Python's lock.
  virtual void give_back() noexcept = 0;
};

/// Everything here is called with Python's lock but what `drive` runs.
class session : public std::enable_shared_from_this<session> {
 public:
  /// Of a rank of `upwash.run`; null: its function runs where the rank does.
  session(upwash::job& of, rank_thread* thread) : here_(&of), thread_(thread) {}
  explicit session(attached_job&& joined)
      : attached_(std::move(joined)), here_(&attached_->job()), is_attached_(true) {}

  /// Throws `error` (argument) once the job has ended.
  [[nodiscard]] upwash::job& here() const {
    if (ended_) [[unlikely]]
      refuse("the job has ended");
    return *here_;
  }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] bool is_attached() const noexcept { return is_attached_; }
  [[nodiscard]] call_site place() { return places_.now(); }

  /// Runs `body` as the rank, without Python's lock. One thread at a time: throws `error`
  /// (argument) when another one is in a call. `call` names this one, a literal.
  template <class Body>
  void drive(const char* call, const Body& body) {
    const turn mine(*this, call);
    const without_gil released;
    if (thread_ == nullptr || thread_->drives()) {
      body();
    } else {
      thread_->call(body);
    }
  }

  /// Runs `body` for the function of that name; what it throws as `error` is raised with that name
  /// and the rank.
  template <class Body>
  auto named(const char* call, const Body& body) {
    try {
      return body();
    } catch (const error& why) {
      fail(call, why);
    }
  }

  /// Operations under way are known here from start to end.
  void enter(operation& one) { under_way_.insert(&one); }
  void leave(operation& one) noexcept { under_way_.erase(&one); }
  /// Its handle is gone: it and what it holds stay until it is complete.
  void adopt(std::shared_ptr<operation> one) { adopted_.push_back(std::move(one)); }
  /// Lets go of those of them that are complete by now, and of parts whose handles are gone.
  void drop_complete();

  void own(std::shared_ptr<job_part> one) { parts_.insert(std::move(one)); }
  /// Its handle is gone.
  void retire(const std::shared_ptr<job_part>& one) {
    if (parts_.erase(one) != 0) retired_.push_back(one);
  }

  void keep(std::shared_ptr<open_stream> one) { streams_.push_back(std::move(one)); }
  void close(open_stream& one);

  /// Until the next `release_later`: sources of operations without requests.
  void keep_until_flush(py::object source) { later_.push_back(std::move(source)); }
  void release_later() { later_.clear(); }

  /// Arrays that lie in memory of the job.
  void lease() noexcept { ++leases_; }
  void give_back_lease() noexcept { --leases_; }
  [[nodiscard]] int leases() const noexcept { return leases_; }

  /// What a function of the program's raised in a handler: the cause of the error to come.
  void set_cause(py::object raised) { cause_ = std::move(raised); }

  /// Completes what is under way, closes streams, and takes no more calls. An attached job is
  /// finished, which is collective; where arrays still lie in its memory, by `finish_late`.
  void end();
  /// At the end of the interpreter.
  void finish_late();
  /// The rank has failed: nothing is waited for, and what is under way stays for ever.
  void give_up();
  [[noreturn]] void abort(int status, const std::string& why);

 private:
  /// Its holder alone calls upwash, and whoever it is called by in handlers.
  class turn {
   public:
    turn(session& of, const char* call);
    ~turn() {
      of_.in_call_ = before_;
      if (before_ == nullptr) of_.caller_ = {};
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

   private:
    session& of_;
    const char* before_;
  };

  [[noreturn]] void fail(const char* call, const error& why);
  void complete_all();
  void give_back_parts();
  [[nodiscard]] bool in_fork() const noexcept { return getpid() != process_; }

  std::optional<attached_job> attached_;
  upwash::job* here_;
  rank_thread* thread_ = nullptr;
  bool is_attached_ = false;
  bool ended_ = false;
  int leases_ = 0;
  const char* in_call_ = nullptr;  ///< null: in none
  std::thread::id caller_;
  const pid_t process_ = getpid();
  places places_;
  std::unordered_set<operation*> under_way_;
  std::vector<std::shared_ptr<operation>> adopted_;
  std::vector<std::shared_ptr<open_stream>> streams_;
  std::unordered_set<std::shared_ptr<job_part>> parts_;
  std::vector<std::shared_ptr<job_part>> retired_;
  std::vector<py::object> later_;
  py::object cause_;
};

/// A team as Python has it.
struct team_handle {
  std::shared_ptr<session> of;
  upwash::team members;
};

}  // namespace upwash::python
