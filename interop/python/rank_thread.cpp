// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/rank_thread.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "upwash/base/relax.hpp"

namespace upwash::python {
namespace {

/// The other side mostly answers at once: a sleep and its end take several microseconds.
constexpr int looks_before_sleep = 400;

bool taken_soon(std::binary_semaphore& what) {
  for (int i = 0; i < looks_before_sleep; ++i) {
    if (what.try_acquire()) return true;
    relax();
  }
  return false;
}

}  // namespace

void rank_thread::serve() {
  using namespace std::chrono_literals;
  while (true) {
    if (!taken_soon(asked_)) {
      while (!asked_.try_acquire_for(100ms)) pass_signals_on();
    }
    if (what_ == nullptr) return;
    carry_out();
    answered_.release();
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
  asked_.release();
  if (!taken_soon(answered_)) answered_.acquire();
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
  asked_.release();
}

/// Python's handlers of signals run in its main thread, which waits here while ranks compute.
void rank_thread::pass_signals_on() const {
  const with_gil held;
  if (PyErr_CheckSignals() == 0) return;
  const py::error_already_set raised;
  PyThreadState_SetAsyncExc(identity_, raised.type().ptr());
}

}  // namespace upwash::python
