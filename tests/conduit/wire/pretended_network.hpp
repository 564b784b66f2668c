// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A network inside this process, through which pretended processes send: a transport each, with all
// the freedom that transport.hpp gives an engine, drawn from a seed. What no engine has to bear is
// a failure of the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "upwash/conduit/wire/transport.hpp"

namespace upwash::test {

struct network_options {
  int processes = 1;
  std::uint64_t seed = 0;
  std::size_t packet_bytes = 1024;
  std::uint64_t most_polls = 6;  ///< what is under way takes 0 to so many polls of either side
  bool memory = false;           ///< the engine reaches memory of peers by itself
  atomic_set atomics = atomic_set::all();
};

/// Runs others while a process waits for the end. False: it ends without.
class network_turns {
 public:
  virtual bool give() noexcept = 0;

 protected:
  ~network_turns() = default;
};

struct network_state;

class pretended_network {
 public:
  /// `others` outlives it; null: no transport is closed.
  pretended_network(const network_options& options, network_turns* others);
  ~pretended_network();

  /// Of a process; once each. The network outlives it.
  [[nodiscard]] std::unique_ptr<conduit::wire::transport> transport_of(int process);

  /// How much has happened so far.
  [[nodiscard]] std::uint64_t events() const noexcept;

  /// Packets that were sent and did not arrive: now, and the most there ever were.
  [[nodiscard]] std::size_t in_flight(int from, int to) const;
  [[nodiscard]] std::size_t most_in_flight(int from, int to) const;

  /// From now on all transports say that it is lost.
  void lose(int process) noexcept;

 private:
  std::unique_ptr<network_state> state_;
};

}  // namespace upwash::test
