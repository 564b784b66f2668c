// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The counts of a rank's operations. One object per job; plain additions on the hot path.
#pragma once

#include <cstdint>

namespace upwash {

struct counters {
  std::uint64_t messages_sent = 0;  ///< active messages of all classes; fragments count singly
  std::uint64_t message_bytes = 0;  ///< their arguments and payload
  std::uint64_t handlers_run = 0;   ///< of the request and reply classes
  std::uint64_t puts = 0;
  std::uint64_t put_bytes = 0;
  std::uint64_t gets = 0;
  std::uint64_t get_bytes = 0;
  std::uint64_t atomics = 0;
  std::uint64_t deferred = 0;  ///< messages of handlers without credit
  std::uint64_t retries = 0;   ///< injections that had to wait
  std::uint64_t barriers = 0;

  counters& operator+=(const counters& other) {
    messages_sent += other.messages_sent;
    message_bytes += other.message_bytes;
    handlers_run += other.handlers_run;
    puts += other.puts;
    put_bytes += other.put_bytes;
    gets += other.gets;
    get_bytes += other.get_bytes;
    atomics += other.atomics;
    deferred += other.deferred;
    retries += other.retries;
    barriers += other.barriers;
    return *this;
  }
};

}  // namespace upwash
