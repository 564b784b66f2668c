// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Attaches, splits teams, and after each of these lets a rank make no progress until all others
// have left the call, too: silent FOLDER, in which the ranks mark what they have done.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "upwash/upwash.hpp"

namespace {

/// Marks that this rank has done `what`; the silent one waits there for `members` marks.
void left(const std::filesystem::path& folder, const std::string& what, bool silent, int rank,
          int members) {
  std::filesystem::create_directories(folder / what);
  std::ofstream(folder / what / std::to_string(rank)) << "done";
  const auto marks = [&] {
    int found = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder / what)) {
      found += each.exists() ? 1 : 0;
    }
    return found;
  };
  while (silent && marks() < members) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const upwash::attached_job attached = upwash::attach(argc, argv);
  upwash::job& here = attached.job();
  const upwash::team world = here.world();
  const int size = here.size();
  left(folder, "attach", here.rank() == size - 1, here.rank(), size);
  for (int colors = 1; colors <= 3; ++colors) {
    const int color = here.rank() % colors;
    upwash::team part = world.split(color, -here.rank());
    const std::string name = "split-" + std::to_string(colors) + "-" + std::to_string(color);
    left(folder, name, part.rank() == colors % part.size(), here.rank(), part.size());
    part.release();
  }
  std::printf("rank %d of %d: left all\n", here.rank(), size);
  return 0;
}
