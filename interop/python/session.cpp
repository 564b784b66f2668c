// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/python/detail/operations.hpp"
#include "interop/python/detail/streams.hpp"
#include "upwash/core/control.hpp"

namespace upwash::python {

session::turn::turn(session& of, const char* call) : of_(of), before_(of.in_call_) {
  static_cast<void>(of.here());
  const std::thread::id mine = std::this_thread::get_id();
  const bool in_handler = of.thread_ != nullptr && of.thread_->drives();
  if (before_ != nullptr && of.caller_ != mine && !in_handler) {
    refuse(fmt::format("another thread is in {}: one thread at a time calls upwash for a rank",
                       before_));
  }
  of.in_call_ = call;
  if (before_ == nullptr) of.caller_ = mine;
}

void session::fail(const char* call, const error& why) {
  const py::object cause = std::exchange(cause_, py::object());
  const std::string at = ended_ ? "" : fmt::format(" at rank {}", here_->rank());
  raise(why.kind(), fmt::format("{}{}: {}", call, at, why.what()), cause);
}

void session::drop_complete() {
  if (adopted_.empty() && retired_.empty()) return;
  // Another thread may let go of handles while this one has no lock.
  std::vector<std::shared_ptr<operation>> looked = std::exchange(adopted_, {});
  std::vector<std::shared_ptr<job_part>> given = std::exchange(retired_, {});
  // A start under way uses its part.
  std::erase_if(given, [&](const auto& one) {
    const bool used = one.use_count() > 1;
    if (used) retired_.push_back(one);
    return used;
  });
  drive("progress", [&] {
    for (const auto& one : looked) static_cast<void>(one->look());
    for (const auto& one : given) one->give_back();
  });
  for (const auto& one : looked) {
    one->settle();
    if (!one->complete()) adopted_.push_back(one);
  }
}

void session::give_back_parts() {
  if (parts_.empty() && retired_.empty()) return;
  retired_.insert(retired_.end(), parts_.begin(), parts_.end());
  parts_.clear();
  const std::vector<std::shared_ptr<job_part>> given = std::exchange(retired_, {});
  drive("the end of the job", [&] {
    for (const auto& one : given) one->give_back();
  });
}

void session::close(open_stream& one) {
  drive("close", [&] { one.close(); });
  std::erase_if(streams_, [&](const auto& each) { return each.get() == &one; });
}

void session::complete_all() {
  while (!streams_.empty()) close(*streams_.front());
  // A receive that is taken back too early leaves another rank's send, or an own one, waiting:
  // sends of all ranks come first.
  for (const bool receives : {false, true}) {
    const auto open = [=](const operation* one) {
      return !one->complete() && std::holds_alternative<matching::receiving>(one->what) == receives;
    };
    // Others may end meanwhile, by the hands of Python's collector.
    for (auto at = std::ranges::find_if(under_way_, open); at != under_way_.end();
         at = std::ranges::find_if(under_way_, open)) {
      const std::shared_ptr<operation> one = (*at)->shared_from_this();
      one->cancel();
      one->wait();
    }
    if (!receives) drive("the end of the job", [this] { control::barrier(here_->world()); });
  }
  adopted_.clear();
  if (!later_.empty()) drive("quiet", [this] { here_->quiet(); });
  later_.clear();
  give_back_parts();
}

void session::end() {
  if (ended_) return;
  if (!in_fork()) complete_all();
  ended_ = true;
  if (!is_attached_ || leases_ > 0) return;
  finish_late();
}

void session::finish_late() {
  if (!attached_) return;
  if (!ended_) end();
  const without_gil released;
  attached_.reset();
}

void session::give_up() {
  ended_ = true;
  // What peers may still read or write is never given back.
  static_cast<void>(new std::vector(std::move(adopted_)));
  static_cast<void>(new std::vector(std::move(streams_)));
  static_cast<void>(new std::vector(std::move(later_)));
  static_cast<void>(new auto(std::move(parts_)));
  static_cast<void>(new std::vector(std::move(retired_)));
  for (operation* const one : under_way_) {
    static_cast<void>(new kept(std::move(one->holds)));
    static_cast<void>(new auto(std::move(one->what)));
    one->what = std::monostate();
  }
}

void session::abort(int status, const std::string& why) {
  if (!attached_) throw error(error_kind::fault, why);
  const without_gil released;
  attached_->abort(status, why);
}

}  // namespace upwash::python
