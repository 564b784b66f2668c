// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/rank_thread.hpp"

#include <ctime>
#include <stdexcept>
#include <utility>

#include "upwash/base/relax.hpp"

namespace upwash::python {
namespace {

/// The other side mostly answers at once: a sleep and its end take several microseconds, more where
/// others want the core.
constexpr int looks_before_yields = 100;
constexpr int looks_before_sleep = 150;

constexpr long nanoseconds_of_100ms = 100'000'000;

}  // namespace

bool baton::seen() {
  for (int i = 0; i < looks_before_sleep; ++i) {
    if (take_now()) return true;
    i < looks_before_yields ? relax() : std::this_thread::yield();
  }
  return false;
}

void baton::take() {
  if (seen()) return;
  while (sem_wait(&mark_) != 0) {  // a signal has come
  }
}

bool baton::take_soon() {
  if (seen()) return true;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += nanoseconds_of_100ms;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  return sem_timedwait(&mark_, &until) == 0;
}

void rank_thread::serve() {
  while (true) {
    while (!asked_.take_soon()) pass_signals_on();
    if (what_ == nullptr) return;
    carry_out();
    answered_.give();
  }
}

void rank_thread::carry_out() {
  try {
    (*what_)();
  } catch (const std::exception&) {
    thrown_ = std::current_exception();
  } catch (...) {
    stopped_ = std::current_exception();
  }
}

void rank_thread::call(function_ref<void()> what) {
  what_ = &what;
  asked_.give();
  answered_.take();
  what_ = nullptr;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!stopped_) return;
  const with_gil held;
  PyErr_SetString(py::module_::import("upwash.errors").attr("RankStopped").ptr(),
                  "another rank has failed");
  throw py::error_already_set();
}

void rank_thread::end() {
  what_ = nullptr;
  asked_.give();
}

/// Python's handlers of signals run in its main thread, which waits here while ranks compute.
void rank_thread::pass_signals_on() const {
  const with_gil held;
  if (PyErr_CheckSignals() == 0) return;
  const py::error_already_set raised;
  PyThreadState_SetAsyncExc(identity_, raised.type().ptr());
}

}  // namespace upwash::python
