// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Molecular dynamics by objects against a run by one processor: the same bits, wherever objects
// are, wherever they go, and however forces travel.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/md/run.hpp"
#include "tests/harness/job_test.hpp"

namespace {

struct variant {
  const char* exchange = "direct";
  int wander = 0;
  int reach = 1;
  bool by_hash = false;
  bool wait_for_energies = false;
  int balance = 0;
  const char* transpose = nullptr;  ///< of the mesh of charges; null: there are none
};

void compare(upwash::job& here, const variant& how) {
  const bool charged = how.transpose != nullptr;
  md::population all =
      charged ? md::salt({5.8, 5.8, 8.7}, 0.3, 1) : md::lattice({5.8, 5.8, 8.7}, 0.3);
  md::heat(all.all, charged ? 1 : 2, 1, all.kinds);
  md::settings chosen;
  chosen.what = {md::space::cut(all.box, 2.5, 0.4, how.reach), 8, 3, charged ? 0.002 : 0.004};
  if (charged) {
    chosen.what.kinds = all.kinds;
    chosen.what.on = md::mesh::over({10, 8, 12}, chosen.what.in, 1e-3);
    chosen.transpose = how.transpose;
  }
  chosen.exchange = how.exchange;
  chosen.wander = how.wander;
  chosen.balance = how.balance;
  chosen.by_hash = how.by_hash;
  chosen.wait_for_energies = how.wait_for_energies;
  const md::serial_run wanted = md::run_serially(chosen.what, all.all);
  const md::outcome found = md::run_by_objects(here, chosen, all.all);
  EXPECT_EQ(found.mark, md::mark_of(wanted.all)) << how.exchange;
  EXPECT_EQ(found.migrations > 0, how.wander > 0);
  EXPECT_EQ(found.balanced, how.balance > 0 ? 7 / how.balance : 0);
  if (here.rank() != 0) return;
  ASSERT_EQ(found.by_step.size(), wanted.by_step.size());
  for (std::size_t i = 0; i < found.by_step.size(); ++i) {
    const double scale = std::abs(wanted.by_step[i].potential) + wanted.by_step[i].kinetic;
    EXPECT_NEAR(found.by_step[i].potential, wanted.by_step[i].potential, 1e-12 * scale);
    EXPECT_NEAR(found.by_step[i].kinetic, wanted.by_step[i].kinetic, 1e-12 * scale);
  }
}

}  // namespace

JOB_TEST(md, is_as_by_one_processor) {
  compare(here, {});
  compare(here, {.by_hash = true, .wait_for_energies = true});
}
JOB_TEST(md, stays_so_while_objects_wander) {
  compare(here, {.wander = 2, .by_hash = true});
  compare(here, {.wander = 3, .wait_for_energies = true});
}
JOB_TEST(md, stays_so_while_objects_wander_and_forces_are_aggregated) {
  compare(here, {.exchange = "aggregated", .wander = 3});
  compare(here, {.exchange = "aggregated2d", .wander = 2});
}
JOB_TEST(md, stays_so_while_objects_wander_and_strategies_carry_forces) {
  compare(here, {.exchange = "mesh2d", .wander = 3});
  compare(here, {.exchange = "streaming2d", .wander = 2});
}
JOB_TEST(md, stays_so_with_brackets_and_cells_two_away, .most_ranks = 9) {
  compare(here, {.exchange = "each_to_many", .reach = 2});
}
JOB_TEST(md, stays_so_while_computes_are_balanced) {
  compare(here, {.by_hash = true, .balance = 3});
  compare(here, {.exchange = "mesh2d", .wander = 3, .wait_for_energies = true, .balance = 2});
}
JOB_TEST(md, is_as_by_one_processor_with_a_mesh_of_charges, .most_ranks = 6) {
  compare(here, {.transpose = "direct"});
  compare(here, {.wander = 3, .by_hash = true, .transpose = "mesh2d"});
  compare(here, {.wait_for_energies = true, .transpose = "blocking"});
}
