// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The owner's side of private reads: which spans are registered, and the parts that peers wait
// for. Not thread-safe; the endpoint's memory lock guards it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/fifo.hpp"
#include "upwash/conduit/shm/detail/pipe.hpp"
#include "upwash/conduit/span_table.hpp"

namespace upwash::conduit::shm_detail {

class span_server {
 public:
  span_server(control_sender& sender, int processes)
      : sender_(sender), pipes_(static_cast<std::size_t>(processes)) {}

  [[nodiscard]] std::uint64_t add(std::span<const std::byte> span) { return spans_.add(span); }
  void remove(std::uint64_t name) { spans_.remove(name); }

  /// A control line of `reader`, whose process is `pid`.
  void control_arrived(int reader, int pid, control what, std::span<const std::byte> arguments);

  /// Whether parts are waited for.
  [[nodiscard]] bool busy() const { return !active_.empty(); }

  /// Copies what fits into the pipes, and passes over what readers have read themselves. Returns
  /// how many parts.
  int serve();

 private:
  struct request {
    const std::byte* from = nullptr;
    std::uint64_t left = 0;
    std::size_t part = 0;
  };
  struct outgoing {
    pipe_memory pipe;
    std::uint64_t asked = 0;   ///< parts
    std::uint64_t filled = 0;  ///< of them, or passed over, since their reader has taken them over
    fifo<request> requests;
  };

  void add_request(int reader, const fetch& wanted);
  int fill(outgoing& to);

  control_sender& sender_;
  std::vector<outgoing> pipes_;  ///< by reader
  std::vector<int> active_;      ///< readers with requests
  span_table spans_;
};

}  // namespace upwash::conduit::shm_detail
