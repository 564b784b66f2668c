// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rendezvous of processes that foreign launchers started.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/launch/processes.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/launch/bootstrap.hpp"
#include "upwash/launch/detail/identity.hpp"
#include "upwash/launch/detail/rendezvous.hpp"

namespace upwash::launch {
namespace {

std::string own_job(const char* name) { return std::string(name) + std::to_string(getpid()); }

/// Whether the job's object is there. Of this job only: other jobs on this machine come and go, and
/// sweep what the dead have left.
bool object_stands(const std::string& job) {
  detail::identity self;
  self.job = job;
  return std::filesystem::exists("/dev/shm" + detail::object_name(self));
}

int exchange_some(conduit::bootstrap& boot) {
  const int mine = boot.process() * 3;
  std::vector<int> all(static_cast<std::size_t>(boot.process_count()));
  for (int i = 0; i < 50; ++i) {
    boot.exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (all[p] != static_cast<int>(p) * 3) return 1;
    }
  }
  boot.barrier();
  boot.finished();
  return 0;
}

/// The object of a job, made by somebody else before the job comes.
class planted {
 public:
  planted(const std::string& job, mode_t mode) {
    detail::identity self;
    self.job = job;
    path_ = "/dev/shm" + detail::object_name(self);
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(fchmod(fd_, mode), 0);
  }
  ~planted() {
    close(fd_);
    std::filesystem::remove(path_);
  }
  planted(const planted&) = delete;
  planted& operator=(const planted&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_;
};

TEST(rendezvous, object_that_others_can_open_is_not_joined) {
  const std::string job = own_job("open");
  const planted object(job, 0666);
  const std::string said = refusal([&] { static_cast<void>(make_bootstrap(member(0, 1, job))); });
  EXPECT_EQ(said, object.path() +
                      " is not of this user alone (another owner, open to others, or no plain "
                      "file): somebody else uses this job's name, and processes do not meet there; "
                      "give the job another one (UPWASH_JOB_ID)");
  EXPECT_TRUE(std::filesystem::exists(object.path())) << "it is not this job's to remove";
}

TEST(rendezvous, object_of_another_user_is_not_joined) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
  const std::string job = own_job("foreign");
  const planted object(job, 0600);
  ASSERT_EQ(fchown(object.fd(), 12345, 12345), 0);
  EXPECT_NE(refusal([&] {
              static_cast<void>(make_bootstrap(member(0, 1, job)));
            }).find("is not of this user alone"),
            std::string::npos);
}

TEST(rendezvous, object_with_a_second_name_is_not_joined) {
  const std::string job = own_job("linked");
  const planted object(job, 0600);
  const std::string second = object.path() + "-second";
  ASSERT_EQ(link(object.path().c_str(), second.c_str()), 0);
  EXPECT_NE(refusal([&] {
              static_cast<void>(make_bootstrap(member(0, 1, job)));
            }).find("is not of this user alone"),
            std::string::npos);
  std::filesystem::remove(second);
}

TEST(rendezvous, locks_of_others_are_not_waited_for_without_end) {
  const std::string job = own_job("locked");
  const planted object(job, 0600);
  ASSERT_EQ(flock(object.fd(), LOCK_EX), 0);
  EXPECT_NE(refusal([&] {
              static_cast<void>(make_bootstrap(member(0, 1, job, "50ms")));
            }).find("is locked for more than 0.05 s (start_timeout)"),
            std::string::npos);
  // Another job only passes it by, though it looks for what the dead have left.
  const auto boot = make_bootstrap(member(0, 1, own_job("beside")));
  EXPECT_EQ(boot->process_count(), 1);
  boot->finished();
}

TEST(bootstrap, alone_is_one_process) {
  settings values = defaults();
  values.set("ranks_per_process", "3");
  const auto boot = make_bootstrap(values);
  EXPECT_EQ(boot->process_count(), 1);
  EXPECT_EQ(boot->layout().count_of(0), 3);
  EXPECT_EQ(exchange_some(*boot), 0);
  EXPECT_FALSE(boot->failed());
}

TEST(bootstrap, more_ranks_than_a_job_has_are_named) {
  settings values = member(0, 3, own_job("many"));
  values.set("ranks_per_process", "30000");
  try {
    static_cast<void>(make_bootstrap(values));
    ADD_FAILURE() << "90000 ranks";
  } catch (const error& problem) {
    EXPECT_EQ(std::string(problem.what()).substr(0, 61),
              "ranks_per_process=30000: a job has at most 65536 ranks, and j");
  }
}

TEST(bootstrap, wrong_descriptor_is_named) {
  settings values = defaults();
  values.set("boot_control", "0");
  EXPECT_NE(refusal([&] {
              static_cast<void>(make_bootstrap(values));
            }).find("UPWASH_BOOT_CONTROL=0 names no control block of upwash run"),
            std::string::npos);
}

TEST(rendezvous, processes_meet_by_the_name_of_their_job_and_leave_nothing) {
  const std::string job = own_job("meet");
  // Twice: the same name may serve one job after the other.
  for (int lap = 0; lap < 2; ++lap) {
    const auto statuses = in_processes(
        5, [&](int rank) { return exchange_some(*make_bootstrap(member(rank, 5, job))); });
    EXPECT_EQ(statuses, std::vector<int>(5, 0));
    EXPECT_FALSE(object_stands(job));
  }
}

TEST(rendezvous, jobs_one_after_the_other_in_one_set_of_processes_do_not_mix) {
  const std::string job = own_job("laps");
  const auto statuses = in_processes(3, [&](int rank) {
    for (int lap = 0; lap < 20; ++lap) {
      if (exchange_some(*make_bootstrap(member(rank, 3, job))) != 0) return 1;
    }
    return 0;
  });
  EXPECT_EQ(statuses, std::vector<int>(3, 0));
}

TEST(rendezvous, what_a_dead_start_left_is_swept) {
  const std::string job = own_job("stale");
  // One of two comes and is killed: nobody is there to take its object away ...
  const auto killed = in_processes(1, [&](int rank) {
    const auto boot = make_bootstrap(member(rank, 2, job));
    if (!object_stands(job)) return 1;
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(killed, std::vector<int>{137});
  // ... but the next job of whatever name, or what stands where its own wants to be.
  const auto next = in_processes(
      1, [&](int) { return exchange_some(*make_bootstrap(member(0, 1, own_job("next")))); });
  EXPECT_EQ(next, std::vector<int>{0});
  EXPECT_FALSE(object_stands(job));
  const auto statuses = in_processes(
      2, [&](int rank) { return exchange_some(*make_bootstrap(member(rank, 2, job))); });
  EXPECT_EQ(statuses, std::vector<int>(2, 0));
  EXPECT_FALSE(object_stands(job));
}

TEST(rendezvous, start_that_times_out_leaves_nothing) {
  const std::string job = own_job("half");
  const auto statuses = in_processes(1, [&](int rank) {
    const auto boot = make_bootstrap(member(rank, 2, job, "50ms"));
    if (!object_stands(job)) return 1;
    try {
      boot->barrier();
    } catch (const error&) {
      return object_stands(job) ? 2 : 17;
    }
    return 3;
  });
  EXPECT_EQ(statuses, std::vector<int>{17});
}

TEST(rendezvous, death_during_the_start_is_seen_at_once_and_leaves_nothing) {
  const std::string job = own_job("early");
  std::array<int, 2> came{};
  ASSERT_EQ(pipe(came.data()), 0);
  // Rank 1 dies when rank 0 has come; rank 2 never comes.
  const auto statuses = in_processes(2, [&](int rank) {
    char byte = 0;
    const auto boot = make_bootstrap(member(rank, 3, job, "20s"));
    if (rank == 0 && write(came[1], &byte, 1) != 1) return 3;
    if (rank == 1 && read(came[0], &byte, 1) == 1) raise(SIGKILL);
    const duration begin = steady_now();
    try {
      boot->barrier();
    } catch (const error&) {
      return (steady_now() - begin).seconds() > 10 ? 1 : 17;
    }
    return 2;
  });
  EXPECT_EQ(statuses, (std::vector<int>{17, 137}));
  EXPECT_FALSE(object_stands(job));
  close(came[0]);
  close(came[1]);
}

TEST(rendezvous, first_status_is_everybodys) {
  const std::string job = own_job("status");
  const auto statuses = in_processes(3, [&](int rank) {
    const auto boot = make_bootstrap(member(rank, 3, job));
    boot->barrier();
    if (rank == 1) boot->abort(1, 5, "out of luck");
    for (int i = 0; i < 2000 && !boot->failed(); ++i) usleep(1000);
    if (boot->failed()) boot->abort(rank, 1, {});
    return 99;
  });
  EXPECT_EQ(statuses, (std::vector<int>{5, 5, 5}));
}

TEST(rendezvous, death_of_a_peer_is_seen_by_the_others) {
  const std::string job = own_job("death");
  const auto statuses = in_processes(3, [&](int rank) {
    const auto boot = make_bootstrap(member(rank, 3, job));
    boot->barrier();
    if (rank == 1) raise(SIGKILL);
    for (int i = 0; i < 2000 && !boot->failed(); ++i) usleep(1000);
    return boot->failed() ? 17 : 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{17, 137, 17}));
}

TEST(rendezvous, sizes_that_differ_are_an_error) {
  const std::string job = own_job("sizes");
  const auto statuses = in_processes(2, [&](int rank) {
    try {
      make_bootstrap(member(rank, 2 + rank, job, "300ms"))->barrier();
    } catch (const error& problem) {
      return problem.exit_status();
    }
    return 0;
  });
  EXPECT_NE(statuses[0], 0);
  EXPECT_NE(statuses[1], 0);
  EXPECT_FALSE(object_stands(job));
}

}  // namespace
}  // namespace upwash::launch
