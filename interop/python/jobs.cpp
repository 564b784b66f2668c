// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "interop/python/detail/module.hpp"

namespace upwash::python {
namespace {

struct job_handle {
  std::shared_ptr<session> of;
};

/// In this module, whose build is part of what all ranks must have in common.
const void* build_mark() { return reinterpret_cast<const void*>(&build_mark); }

/// As Python calls what the text names.
std::string in_python(std::string text) {
  constexpr std::string_view of_cpp = "upwash::run";
  if (const auto at = text.find(of_cpp); at != std::string::npos) {
    text.replace(at, of_cpp.size(), "upwash.run(function)");
  }
  return text;
}

job_handle attach() {
  std::optional<attached_job> joined;
  try {
    const without_gil released;
    joined.emplace(upwash::attach(0, nullptr, {.program = build_mark()}));
  } catch (const error& why) {
    raise(why.kind(), in_python(why.what()), py::object());
  }
  return {std::make_shared<session>(std::move(*joined))};
}

void compute(const job_handle& on, double seconds) {
  on.of->named("compute", [&] {
    constexpr double most_seconds = 1e6;
    if (!(seconds >= 0 && seconds <= most_seconds)) {
      refuse(fmt::format("{} seconds: expected 0 to {}", seconds, most_seconds));
    }
    on.of->drive("compute",
                 [&] { on.of->here().compute(duration::from_ps(std::llround(seconds * 1e12))); });
  });
}

void progress(const job_handle& on) {
  on.of->named("progress", [&] { on.of->drive("progress", [&] { on.of->here().progress(); }); });
}

void quiet(const job_handle& on) {
  on.of->named("quiet", [&] {
    const call_site site = on.of->place();
    on.of->drive("quiet", [&] { on.of->here().quiet(site); });
    on.of->release_later();
  });
}

void close(const job_handle& on) {
  on.of->named("close", [&] {
    if (!on.of->is_attached()) refuse("a job of upwash.run ends when its function returns");
    on.of->end();
  });
}

}  // namespace

py::object job_object(const std::shared_ptr<session>& of) { return py::cast(job_handle{of}); }

void add_jobs(py::module_& to) {
  to.def("_attach", &attach, "Joins the job; see upwash.attach.");
  py::class_<job_handle>(to, "Job",
                         "A job as one of its ranks sees it. One thread at a time calls upwash; "
                         "while a call waits, other threads run Python.")
      .def_property_readonly(
          "rank", [](const job_handle& on) { return on.of->here().rank(); },
          "The own rank, from 0.")
      .def_property_readonly(
          "size", [](const job_handle& on) { return on.of->here().size(); }, "Number of ranks.")
      .def_property_readonly(
          "world",
          [](const job_handle& on) {
            return team_handle{on.of, on.of->here().world()};
          },
          "The team of all ranks.")
      .def_property_readonly(
          "ended", [](const job_handle& on) { return on.of->ended(); },
          "Whether the job takes no more calls.")
      .def(
          "now",
          [](const job_handle& on) {
            return static_cast<double>(on.of->here().now().ps()) * 1e-12;
          },
          "Seconds since the job started: virtual ones on a simulated machine.")
      .def("compute", &compute, py::arg("seconds"),
           "The program computes for so long: virtual time goes on by it. Real time does not.")
      .def("progress", &progress, "Takes messages and moves operations on. Does not block.")
      .def("quiet", &quiet,
           "Blocks until the own puts and gets without requests are complete at their targets.")
      .def(
          "abort",
          [](const job_handle& on, int status, const std::string& why) {
            on.of->named("abort", [&] { on.of->abort(status, why); });
          },
          py::arg("status") = 1, py::arg("why") = "upwash.Job.abort",
          "Ends the whole job with this exit status and one line that says why. Does not return.")
      .def("close", &close,
           "Completes what is under way and leaves the job. Collective. The end of the `with` "
           "block and of the interpreter do it, too.")
      .def("_finish_late", [](const job_handle& on) { on.of->finish_late(); })
      .def("__repr__", [](const job_handle& on) {
        if (on.of->ended()) return std::string("Job(ended)");
        return fmt::format("Job(rank={}, size={})", on.of->here().rank(), on.of->here().size());
      });
}

}  // namespace upwash::python
