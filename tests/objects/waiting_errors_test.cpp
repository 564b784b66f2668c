// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Methods that wait: how they end, what is refused, and who is named when they wait in vain.
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

/// Counts itself in and out.
class presence {
 public:
  explicit presence(int& of) : of_(of) { ++of_; }
  presence(const presence&) = delete;
  presence& operator=(const presence&) = delete;
  ~presence() { --of_; }

 private:
  int& of_;
};

struct sleeper : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(awake, log);
  }

  void sleep(std::uintptr_t present) {
    const presence here_now(*reinterpret_cast<int*>(present));
    const std::vector<char> on_the_heap(1000);
    wait_until([&] { return awake; });
    log.push_back(static_cast<int>(on_the_heap.size()));
  }
  void sleep_on(std::uintptr_t present) {
    try {
      sleep(present);
    } catch (const error&) {
      control::barrier(here().world());  // throws as well
    }
  }
  void receive_in_vain() {
    int came = 0;
    receive(here().world(), 0, 77, std::span(&came, 1)).wait();
  }
  void wake() { awake = true; }
  void sleep_and_fail() {
    wait_until([&] { return awake; });
    throw std::runtime_error("out of luck");
  }
  void ask_a_condition_that_fails() {
    wait_until([&] { return awake ? throw std::runtime_error("no such luck") : false; });
  }
  void sleep_plainly() {
    wait_until([&] { return awake; });
  }
  void make_quiet(std::uintptr_t array);
  void leave_asleep(int goes_to) {
    log.push_back(1);
    migrate_to(goes_to);
    wait_until([&] { return awake; });
    log.push_back(2);
  }
  void note_place(int expected) { log.push_back(member() == expected ? 3 : -1); }
  void remove_asleep() {
    remove();
    wait_until([&] { return awake; });
  }
  void receive_own() {
    int came = 0;
    auto receiving = receive(here().world(), here().rank(), 5, std::span(&came, 1));
    here().compute(duration::from_us(1));
    send(here().world(), blocking, here().rank(), 5, std::span<const int>(&came, 1));
    receiving.wait();
  }

  using methods_that_wait =
      methods<&sleeper::sleep, &sleeper::sleep_on, &sleeper::receive_in_vain,
              &sleeper::sleep_and_fail, &sleeper::ask_a_condition_that_fails, &sleeper::make_quiet,
              &sleeper::leave_asleep, &sleeper::remove_asleep, &sleeper::receive_own>;

  bool awake = false;
  std::vector<int> log;
};

using dormitory = object_array<sleeper>;

void sleeper::make_quiet(std::uintptr_t array) { reinterpret_cast<dormitory*>(array)->quiet(); }

std::string said_by(function_ref<void(dormitory&)> act) {
  const auto world = test::sim_of(3);
  return test::message_of(*world, [&](job& here) {
    dormitory all(here.world(), {.name = "sleepers"}, [](const int& index, int) { return index; });
    all.fill(std::array<int, 3>{0, 1, 2});
    if (here.rank() == 1) act(all);
    all.quiet();
  });
}

void expect_said(function_ref<void(dormitory&)> act, std::string_view what) {
  const std::string said = said_by(act);
  EXPECT_NE(said.find(what), std::string::npos) << said;
}

}  // namespace

TEST(waiting_method_errors, name_object_method_and_reason) {
  EXPECT_EQ(said_by([](dormitory& all) {
              all[2].send<&sleeper::sleep_and_fail>();
              all[1].send<&sleeper::receive_own>();
              all[0].send<&sleeper::wake>();
              all[2].send<&sleeper::wake>();
            }),
            "rank 2, object [2] of sleepers: a method threw: out of luck");
  EXPECT_EQ(said_by([](dormitory& all) {
              all[2].send<&sleeper::ask_a_condition_that_fails>();
              all[2].send<&sleeper::wake>();
            }),
            "rank 2, object [2] of sleepers: a method threw: no such luck");
  expect_said([](dormitory& all) { all[0].send<&sleeper::sleep_plainly>(); },
              "rank 0, object [0] of sleepers: wait_until outside its methods that may wait; name "
              "the method in methods_that_wait");
  expect_said(
      [](dormitory& all) {
        all[1].send<&sleeper::make_quiet>(reinterpret_cast<std::uintptr_t>(&all));
      },
      "rank 1, object [1] of sleepers: a method threw: rank 1, object [1] of sleepers: sleepers is "
      "to be quiet, in a method, which it would wait for; call quiet outside methods");
}

TEST(waiting_method_errors, reports_name_methods_that_wait_in_vain) {
  int present = 0;
  const auto world = test::sim_of(3);
  const std::string said = test::message_of(*world, [&](job& here) {
    dormitory all(here.world(), {.name = "sleepers"}, [](const int& index, int) { return index; });
    all.fill(std::array<int, 3>{0, 1, 2});
    if (here.rank() == 1) {
      all[2].send<&sleeper::receive_in_vain>();
      all[1].send<&sleeper::sleep>(reinterpret_cast<std::uintptr_t>(&present));
    }
    int never = 0;
    receive(here.world(), 0, 78 + here.rank(), std::span(&never, 1)).wait();
  });
  for (const char* const what :
       {"method receive_in_vain of object [2] of sleepers waits in receive, peer 0, tag 77",
        "method sleep of object [1] of sleepers waits in wait_until"}) {
    EXPECT_NE(said.find(what), std::string::npos) << said;
  }
  EXPECT_EQ(present, 0) << "the stack of the method was unwound";
}

TEST(waiting_method_errors, an_array_that_goes_ends_the_job_and_unwinds_its_methods) {
  for (const bool on_loopback : {false, true}) {
    int present = 0;
    int slept = 0;
    const auto world = on_loopback ? test::loopback_of(2) : test::sim_of(2);
    const std::string said = test::message_of(*world, [&](job& here) {
      {
        dormitory all(here.world(), {.name = "sleepers"}, [](const int&, int) { return 1; });
        all.fill(std::array<int, 1>{4});
        if (here.rank() == 1) {
          all[4].send<&sleeper::sleep>(reinterpret_cast<std::uintptr_t>(&present));
          all[4].send<&sleeper::sleep_on>(reinterpret_cast<std::uintptr_t>(&present));
          while (present < 2) here.progress();
          slept = present;
        }
      }
      EXPECT_EQ(present, 0);
      control::barrier(here.world());
    });
    EXPECT_EQ(slept, 2);
    EXPECT_EQ(present, 0);
    EXPECT_EQ(said,
              "rank 1: method sleep of object [4] of sleepers waits in wait_until, but the array "
              "goes: wait for its methods (quiet) before");
  }
}

TEST(waiting_method_errors, what_a_rank_throws_unwinds_the_methods_of_its_objects) {
  int present = 0;
  const auto world = test::sim_of(2);
  const std::string said = test::message_of(*world, [&](job& here) {
    dormitory all(here.world(), {.name = "sleepers"}, [](const int& index, int) { return index; });
    all.fill(std::array<int, 2>{0, 1});
    if (here.rank() == 0) {
      all[0].send<&sleeper::sleep>(reinterpret_cast<std::uintptr_t>(&present));
      all[1].send<&sleeper::sleep>(reinterpret_cast<std::uintptr_t>(&present));
      while (present < 2) here.progress();
      throw std::runtime_error("the program's own");
    }
    all.quiet();
  });
  EXPECT_EQ(said, "the program's own");
  EXPECT_EQ(present, 0);
}

JOB_TEST(waiting_methods, objects_leave_when_all_their_methods_are_over) {
  dormitory all(here.world(), {.ordered = true}, [](const int&, int) { return 0; });
  all.fill(std::array<int, 1>{1});
  const int last = here.size() - 1;
  if (here.rank() == 0) {
    all[1].send<&sleeper::leave_asleep>(last);
    all[1].send<&sleeper::note_place>(0);
    all[1].send<&sleeper::leave_asleep>(last);
    all[1].send<&sleeper::wake>();
  }
  all.quiet();
  EXPECT_EQ(all.size_here(), here.rank() == last ? 1U : 0U);
  all.for_each_here([](sleeper& one) { EXPECT_EQ(one.log, (std::vector{1, 3, 1, 2, 2})); });
}

JOB_TEST(waiting_methods, objects_end_when_all_their_methods_are_over) {
  dormitory all(here.world(), {}, [](const int&, int) { return 0; });
  all.fill(std::array<int, 1>{1});
  if (here.rank() == 0) {
    all[1].send<&sleeper::remove_asleep>();
    all[1].send_first<&sleeper::wake>(1);
  }
  all.quiet();
  EXPECT_EQ(all.size_here(), 0U);
}

JOB_TEST(waiting_methods, many_at_once_use_stacks_again) {
  dormitory all(here.world(), {}, [](const int& index, int members) { return index % members; });
  std::vector<int> indices(static_cast<std::size_t>(4 * here.size()));
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int>(i);
  all.fill(indices);
  int present = 0;
  const auto count = reinterpret_cast<std::uintptr_t>(&present);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 40; ++i) {
      all[here.rank() + i % 4 * here.size()].send<&sleeper::sleep>(count);
    }
    while (turn == 0 && present < 40) here.progress();
    all[here.rank()].send<&sleeper::receive_own>();
    for (int i = 0; i < 4; ++i) all[here.rank() + i * here.size()].send<&sleeper::wake>();
    all.quiet();
    EXPECT_EQ(present, 0);
  }
  all.for_each_here([](sleeper& one) { EXPECT_EQ(one.log, std::vector(30, 1000)); });
}
