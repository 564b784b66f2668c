// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ends a process whose library waits for others for ever: it has no time-out of its own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "upwash/base/duration.hpp"

namespace upwash::conduit::foreign {

class start_watch {
 public:
  /// After `limit` the process says `why` in a line and ends with status 1, unless this has ended.
  start_watch(duration limit, std::string why);
  ~start_watch();
  start_watch(const start_watch&) = delete;
  start_watch& operator=(const start_watch&) = delete;

 private:
  std::mutex lock_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace upwash::conduit::foreign
