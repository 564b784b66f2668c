// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One body, many worlds: JOB_TEST registers a function that ranks run, and the harness makes a
// GoogleTest case of it for each conduit: loopback, sim (with perturbation seeds; also through
// packets), shm. A failure
// names conduit, number of ranks and seed; with those it is reproduced.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "upwash/upwash.hpp"

namespace upwash::test {

using rank_body = void (*)(job& here);

/// What a body needs to be true of the world it runs in.
struct body_options {
  int least_ranks = 1;
  int most_ranks = 33;
  bool on_shm = true;
  bool on_sim = true;
  bool on_packets = true;  ///< sim, through a network of packets
  bool on_direct = true;   ///< sim, where ranks load and store each other's memory
  bool on_loopback = true;
  bool on_composite = true;  ///< one conduit inside nodes, another between; where on_loopback, too
  bool shares_process = true;  ///< also run with two ranks a process
  bool ordered_writes = true;  ///< whole and weak sim look for puts that nothing orders
  std::vector<std::string> environment = {};  ///< of the processes on shm
  bool alone = false;  ///< never shares a job: counts from its beginning, or leaves ranks apart
};

struct registered_body {
  std::string suite;
  std::string name;
  rank_body body;
  body_options options;
};

/// Returns true, so that it can initialise a constant at namespace scope.
bool register_body(const registered_body& entry);

}  // namespace upwash::test

// A macro, because a test names, declares and registers a function in one line, as TEST does.
#define JOB_TEST(suite, name, ...)                                                         \
  static void suite##_##name##_body(upwash::job& here);                                    \
  [[maybe_unused]] static const bool suite##_##name##_is_registered =                      \
      upwash::test::register_body({#suite, #name, &suite##_##name##_body, {__VA_ARGS__}}); \
  static void suite##_##name##_body([[maybe_unused]] upwash::job& here)
