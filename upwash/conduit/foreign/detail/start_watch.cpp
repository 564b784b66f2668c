// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/detail/start_watch.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace upwash::conduit::foreign {

start_watch::start_watch(duration limit, std::string why)
    : thread_([this, limit, text = std::move(why)] {
        std::unique_lock hold(lock_);
        const auto time = std::chrono::nanoseconds(limit.ps() / 1000);
        if (ended_.wait_for(hold, time, [this] { return over_; })) return;
        std::fprintf(stderr, "upwash: %s; job ended\n", text.c_str());
        _exit(1);
      }) {}

start_watch::~start_watch() {
  {
    const std::lock_guard hold(lock_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace upwash::conduit::foreign
