// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who a process is, from the variables of foreign launchers.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/launch/processes.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/detail/identity.hpp"

namespace upwash::launch {
namespace {

/// Variables of the environment for the time of a scope.
class variables {
 public:
  using entry = std::pair<const char*, const char*>;
  explicit variables(std::initializer_list<entry> all) : all_(all) {
    for (const auto& [name, value] : all_) setenv(name, value, 1);
  }
  ~variables() {
    for (const auto& [name, value] : all_) unsetenv(name);
  }
  variables(const variables&) = delete;
  variables& operator=(const variables&) = delete;

 private:
  std::vector<entry> all_;
};

TEST(identity, without_variables_there_is_none) { EXPECT_FALSE(detail::find_identity(defaults())); }

TEST(identity, open_mpi_is_recognised) {
  const variables set{{"OMPI_COMM_WORLD_RANK", "2"},
                      {"OMPI_COMM_WORLD_SIZE", "4"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                      {"PMIX_NAMESPACE", "1234@1"},
                      {"SLURM_PROCID", "0"}};
  const auto self = detail::find_identity(defaults());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->process, 2);
  EXPECT_EQ(self->processes, 4);
  EXPECT_EQ(self->job, "pmix-1234@1");
}

TEST(identity, job_over_several_nodes_is_refused_with_the_fix) {
  {
    const variables set{{"OMPI_COMM_WORLD_RANK", "0"},
                        {"OMPI_COMM_WORLD_SIZE", "4"},
                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
    EXPECT_EQ(refusal([] { static_cast<void>(make_bootstrap(defaults())); }),
              "mpirun started 4 processes but only 2 on this node: the shm conduit spans one node; "
              "start all processes on one node, or take a conduit that spans several "
              "(UPWASH_CONDUIT)");
  }
  const variables set{{"SLURM_PROCID", "0"},
                      {"SLURM_STEP_NUM_TASKS", "4"},
                      {"SLURM_JOB_ID", "77"},
                      {"SLURM_STEP_ID", "0"},
                      {"SLURM_STEP_NUM_NODES", "2"}};
  const auto self = detail::find_identity(defaults());
  ASSERT_TRUE(self);  // conduits that span nodes may take it
  EXPECT_EQ(self->job, "slurm-77.0");
  EXPECT_NE(refusal([] {
              static_cast<void>(make_bootstrap(defaults()));
            }).find("srun started 4 processes on 2 nodes"),
            std::string::npos);
}

TEST(identity, slurm_step_is_recognised_but_not_a_batch_script) {
  const variables job{{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "77"}};
  EXPECT_FALSE(detail::find_identity(defaults()));
  const variables step{{"SLURM_STEP_ID", "5"}};
  const auto self = detail::find_identity(defaults());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->process, 3);
  EXPECT_EQ(self->processes, 8);
  EXPECT_EQ(self->job, "slurm-77.5");
}

TEST(identity, pmi_wins_over_the_slurm_that_started_its_proxy) {
  const variables set{{"PMI_RANK", "1"},     {"PMI_SIZE", "2"},     {"MPI_LOCALNRANKS", "2"},
                      {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_JOB_ID", "77"},
                      {"SLURM_STEP_ID", "5"}};
  const auto self = detail::find_identity(defaults());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->process, 1);
  EXPECT_EQ(self->job, "pmi-parent-" + std::to_string(getppid()));
}

TEST(identity, srun_says_more_by_its_own_variables_than_by_pmi) {
  const variables set{{"PMI_RANK", "1"},
                      {"PMI_SIZE", "4"},
                      {"PMI_JOBID", "77.5"},
                      {"SLURM_PROCID", "1"},
                      {"SLURM_STEP_NUM_TASKS", "4"},
                      {"SLURM_JOB_ID", "77"},
                      {"SLURM_STEP_ID", "5"},
                      {"SLURM_STEP_NUM_NODES", "2"}};
  const auto self = detail::find_identity(defaults());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->job, "slurm-77.5");
  EXPECT_NE(self->several_nodes, "");
  EXPECT_EQ(refusal([] { static_cast<void>(make_bootstrap(defaults(), true)); }),
            "srun started 4 processes on several nodes, and gives them no PMIx to meet by; start "
            "them with srun --mpi=pmix, mpirun of Open MPI or upwash run --hosts, or take conduit "
            "mpi");
}

TEST(identity, processes_of_one_proxy_share_a_name_also_behind_shells) {
  const variables set{{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}};
  // A process named as hydra's proxy, and under it a process and a process's process.
  std::array<int, 2> names{};
  ASSERT_EQ(pipe(names.data()), 0);
  const auto tell = [&] {
    const std::string line = detail::find_identity(defaults())->job + "\n";
    return write(names[1], line.data(), line.size()) > 0 ? 0 : 1;
  };
  const auto proxies = in_processes(2, [&](int) {
    prctl(PR_SET_NAME, "hydra_pmi_proxy");
    const auto ranks = in_processes(2, [&](int rank) {
      prctl(PR_SET_NAME, "sh");
      return rank == 0 ? tell() : in_processes(1, [&](int) { return tell(); })[0];
    });
    return ranks[0] + ranks[1];
  });
  EXPECT_EQ(proxies, (std::vector<int>{0, 0}));
  close(names[1]);
  std::map<std::string, int> seen;
  FILE* lines = fdopen(names[0], "r");
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), lines) != nullptr) ++seen[line.data()];
  std::fclose(lines);
  ASSERT_EQ(seen.size(), 2U);
  for (const auto& [name, count] : seen) {
    EXPECT_TRUE(name.starts_with("pmi-hydra_pmi_proxy-")) << name;
    EXPECT_EQ(count, 2) << name;
  }
}

TEST(identity, contradictions_are_named) {
  settings values = defaults();
  values.set("rank", "1");
  EXPECT_EQ(refusal([&] { static_cast<void>(detail::find_identity(values)); }),
            "UPWASH_RANK=1, UPWASH_SIZE=-1, UPWASH_JOB_ID='': set all three or none (rank from 0, "
            "size from 1)");
  EXPECT_EQ(refusal([&] { static_cast<void>(detail::find_identity(member(4, 4, "x"))); }),
            "UPWASH_RANK says process 4 of 4: expected a number below the size");
  const variables set{{"PMI_RANK", "one"}, {"PMI_SIZE", "2"}};
  EXPECT_EQ(refusal([] { static_cast<void>(detail::find_identity(defaults())); }),
            "PMI_RANK=one: expected a number from 0; set by the launcher of this job");
}

}  // namespace
}  // namespace upwash::launch
