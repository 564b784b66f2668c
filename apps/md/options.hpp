// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of md, and the particles that it asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/md/particles.hpp"
#include "apps/md/run.hpp"
#include "upwash/core/job.hpp"

namespace md {

struct options {
  settings run;
  std::string file;
  double sigma = 3.1507;
  std::vector<int> cells;
  int cells_a_rank = 16;
  int reach = 1;
  double cutoff = 2.5;
  double margin = 0.4;
  double density = 0.8442;
  double temperature = 1.44;
  std::uint64_t seed = 1;
  std::vector<std::string> exchanges;
  std::vector<int> grid;  ///< of charges; none: nothing is charged
  double tolerance = 1e-5;
  double charge = 1;
  std::vector<std::string> transposes;
  double point_ns = 4;
  bool compare = false;
  bool check = false;
  std::string energies = "asynchronous";
  std::string placement = "blocks";
  std::string noise;
  double pair_ns = 4;
  std::size_t buffer = 0;
};

/// The exit status when the program should end here, else -1.
[[nodiscard]] int read_options(const upwash::job& here, int argc, char** argv, options& chosen);

/// Completes what was read. Throws `error` (configuration).
void choose_ways(options& chosen);
[[nodiscard]] population prepare(options& chosen, int ranks);

}  // namespace md
