// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tuner of the program's own: for long all-gathers it wants rings, whatever the model says.
#include <cstdio>
#include <upwash/collective/install.hpp>
#include <upwash/tuning/cost_table.hpp>
#include <upwash/upwash.hpp>
#include <vector>

namespace {

class likes_rings final : public upwash::tuning::cost_table_selector {
 public:
  likes_rings() : cost_table_selector("laptop") {}
  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  void edit(const upwash::collective::problem& call,
            std::span<upwash::tuning::cost_row> table) override {
    for (upwash::tuning::cost_row& row : table) {
      const bool ring = row.algorithm == "ring";
      if (ring != (call.bytes >= 4096)) row.ns = upwash::tuning::cost_row::never;
      if (ring && call.bytes >= 4096) last_ = row.algorithm;
    }
    if (call.bytes < 4096) last_ = "another";
  }

  std::string last_;
};

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const upwash::team world = job.world();
    likes_rings mine;
    upwash::collective::selector* before = upwash::collective::set_selector(job, &mine);
    for (const std::size_t count : {8U, 1000U}) {
      const std::vector<double> in(count, world.rank());
      std::vector<double> out(count * static_cast<std::size_t>(world.size()));
      upwash::all_gather(world, upwash::blocking, std::span(in), std::span(out));
      if (world.rank() == 0) std::printf("%zu doubles: %s\n", count, mine.last().c_str());
    }
    upwash::collective::set_selector(job, before);
  });
}
