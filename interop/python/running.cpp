// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// upwash.run where this process has all ranks of the job, or some: each calls a Python function.
#include <fmt/format.h>

#include <string>

#include "interop/python/detail/module.hpp"
#include "interop/python/detail/rank_thread.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/runtime/conduits.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::python {
namespace {

/// What the ranks of this process share. With Python's lock, but `ends_process`.
struct all_ranks {
  py::function body;   ///< (job) -> result
  py::function tell;   ///< (rank, exception), of a rank whose exception ends the process
  py::dict results;    ///< by rank
  py::object failure;  ///< the first
};

/// A rank's turn of `all_ranks`.
class one_rank {
 public:
  /// `beside`: others take turns with it on this thread, so it is a fiber.
  one_rank(all_ranks& of, upwash::job& here, bool beside)
      : of_(of),
        rank_(here.rank()),
        beside_(beside),
        session_(std::make_shared<session>(here, beside ? &thread_ : nullptr)) {}

  /// Where the rank runs. Without Python's lock.
  void run() {
    if (beside_) {
      run_thread();
    } else {
      const with_gil held;
      call();
      session_.reset();
    }
    if (thread_.stopped()) std::rethrow_exception(thread_.stopped());
    if (!why_.empty()) throw error(error_kind::fault, why_);
  }

 private:
  void run_thread() {
    py::object thread;
    {
      const with_gil held;
      thread = py::module_::import("threading")
                   .attr("Thread")(py::arg("target") = py::cpp_function([this] { call(); }),
                                   py::arg("name") = fmt::format("rank {}", rank_),
                                   py::arg("daemon") = true);
      thread.attr("start")();
      thread_.set_identity(thread.attr("ident").cast<unsigned long>());
    }
    thread_.serve();
    {
      const with_gil held;
      thread.attr("join")();
      thread = py::object();
      session_.reset();
    }
  }

  /// On the thread, or where the rank runs.
  void call() {
    try {
      of_.results[py::int_(rank_)] = of_.body(job_object(session_));
      session_->named("the end of the job", [this] { end(); });
    } catch (py::error_already_set& raised) {
      failed(raised);
    }
    if (beside_) thread_.end();
  }

  void end() {
    session_->end();
    if (session_->leases() == 0) return;
    py::module_::import("gc").attr("collect")();
    if (session_->leases() == 0) return;
    refuse(
        "an array that lies in a region outlives the job: return a copy of what is to stay "
        "(region.local.copy())");
  }

  void failed(py::error_already_set& raised) {
    session_->give_up();
    if (thread_.stopped()) return;
    why_ = text_of(raised);
    const py::object value = raised.value();
    if (raised.trace()) PyException_SetTraceback(value.ptr(), raised.trace().ptr());
    of_.tell(rank_, value);
    if (!of_.failure || of_.failure.is_none()) of_.failure = value;
  }

  /// One line.
  std::string text_of(const py::error_already_set& raised) {
    const auto type = raised.type().attr("__name__").cast<std::string>();
    const auto value = py::str(raised.value()).cast<std::string>();
    return fmt::format("{}: {}", type, value.substr(0, value.find('\n')));
  }

  all_ranks& of_;
  int rank_;
  bool beside_;
  rank_thread thread_;
  std::shared_ptr<session> session_;
  std::string why_;  ///< empty: it has not failed
};

/// Whether the conduit that the surroundings name has the ranks of a job in one process.
bool in_one_process() {
  knob_table table;
  add_all_knobs(table);
  const settings values = settings::from_environment(table);
  return !conduit_named(values.text("conduit")).several_processes;
}

/// Runs `body` for each rank that the surroundings give this process, and returns what it returned,
/// by rank. Raises what the first rank raised that failed.
py::dict run_ranks(const py::function& body, const py::function& tell) {
  all_ranks all{body, tell, py::dict(), py::none()};
  int status = 0;
  {
    const without_gil released;
    const bool all_here = in_one_process();
    status = upwash::run(0, nullptr, [&](upwash::job& here) {
      const bool beside = all_here || here.world().at(level::process).size() > 1;
      std::unique_ptr<one_rank> one;
      {
        const with_gil held;
        one = std::make_unique<one_rank>(all, here, beside);
      }
      one->run();
    });
  }
  if (!all.failure.is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(all.failure.ptr())), all.failure.ptr());
    throw py::error_already_set();
  }
  if (status != 0) {
    raise(error_kind::fault, "the job failed; a line on standard error says why", py::object());
  }
  return all.results;
}

}  // namespace

void add_running(py::module_& to) {
  to.def("_run_ranks", &run_ranks, py::arg("body"), py::arg("tell"),
         "Runs a function for each rank of this process; see upwash.run.");
}

}  // namespace upwash::python
