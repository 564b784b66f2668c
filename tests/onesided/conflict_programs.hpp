// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of three or four ranks that write to one of them, and what a run that looks for
// conflicts says.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "tests/harness/worlds.hpp"
#include "upwash/upwash.hpp"

namespace upwash::test {

using word = std::uint64_t;
using words = std::array<word, 8>;

inline constexpr words some{1, 2, 3, 4, 5, 6, 7, 8};

inline std::span<const word> first(std::size_t count) { return std::span(some).first(count); }

/// Memory of each of at least 3 ranks; the writers are ranks 1 and 2, at rank 0.
struct area {
  explicit area(job& in) : here(in), memory(allocate(in.world(), 4096)) {
    control::barrier(here.world());
  }
  void end() {
    here.quiet();
    control::barrier(here.world());
    free(memory);
  }
  [[nodiscard]] global_ptr<word> at(std::uint64_t which) const { return memory.at<word>(0, which); }

  job& here;
  region memory;
};

inline void send_value(const team& to, int member) {
  send(to, member, 7, std::as_bytes(first(1))).wait();
}
inline void receive_value(const team& from, int member) {
  word told = 0;
  receive(from, member, 7, std::as_writable_bytes(std::span(&told, 1))).wait();
}

using program = void (*)(area& in);

struct simulated {
  int ranks;
  const char* machine;
};
inline constexpr simulated pairs_of_ranks{4, "edr:ranks_a_node=2"};
inline constexpr simulated shared_cores{3, "laptop"};  ///< ranks 0 and 2 have one

inline std::string outcome_of(program body, bool remote_writes, std::uint64_t seed,
                              const simulated& where = pairs_of_ranks) {
  conduit::sim_options options;
  options.ranks = where.ranks;
  options.on = load_machine(where.machine);
  options.seed = seed;
  options.perturb = seed != 0;
  options.remote_writes = remote_writes;
  options.find_conflicts = true;
  const auto world = conduit::make_sim_world(options);
  return test::message_of(*world, [body](job& here) {
    area in(here);
    body(in);
    in.end();
  });
}

/// Meanwhile calls have no names: looking them up in a large program takes seconds each time.
class nameless_calls {
 public:
  nameless_calls() { setenv("PATH", "", 1); }
  nameless_calls(const nameless_calls&) = delete;
  nameless_calls& operator=(const nameless_calls&) = delete;
  ~nameless_calls() { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_ = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
};

/// Under how many of the seeds 0 to `last_seed` the conflict is told. The run without perturbation
/// tells of it, and no run of anything else.
inline std::uint64_t times_found(program body, bool remote_writes, std::uint64_t last_seed,
                                 const simulated& where = pairs_of_ranks) {
  const nameless_calls fast;
  std::uint64_t found = 0;
  for (std::uint64_t seed = 0; seed <= last_seed; ++seed) {
    const std::string said = outcome_of(body, remote_writes, seed, where);
    const bool conflict = said.find("and nothing orders the two") != std::string::npos;
    EXPECT_TRUE(conflict || (seed != 0 && said == "no error")) << "seed " << seed << ": " << said;
    if (conflict) ++found;
  }
  return found;
}

}  // namespace upwash::test
