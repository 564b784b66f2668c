// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/fiber.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"

namespace {

struct task {
  upwash::fiber* self = nullptr;
  std::vector<std::string>* log = nullptr;
  std::string name;
  int steps = 0;
};

void count_steps(void* argument) {
  auto& t = *static_cast<task*>(argument);
  for (int i = 0; i < t.steps; ++i) {
    t.log->push_back(t.name + std::to_string(i));
    t.self->suspend();
  }
}

TEST(fiber, resumes_interleave) {
  upwash::fiber_stacks stacks(2, 64 * 1024);
  std::vector<std::string> log;
  task a{nullptr, &log, "a", 2};
  task b{nullptr, &log, "b", 1};
  upwash::fiber fa(stacks, 0, count_steps, &a);
  upwash::fiber fb(stacks, 1, count_steps, &b);
  a.self = &fa;
  b.self = &fb;
  while (!fa.finished() || !fb.finished()) {
    if (!fa.finished()) fa.resume();
    if (!fb.finished()) fb.resume();
  }
  EXPECT_EQ(log, (std::vector<std::string>{"a0", "b0", "a1"}));
}

void wait_in_catch(void* argument) {
  auto& t = *static_cast<task*>(argument);
  try {
    throw std::runtime_error(t.name);
  } catch (...) {
    errno = t.steps;
    t.self->suspend();
    t.log->push_back(std::to_string(errno));
    try {
      throw;
    } catch (const std::runtime_error& e) {
      t.log->push_back(e.what());
    }
  }
}

TEST(fiber, two_fibers_in_catch_blocks_keep_their_exceptions_and_errno) {
  upwash::fiber_stacks stacks(2, 64 * 1024);
  std::vector<std::string> log;
  task a{nullptr, &log, "first", 1};
  task b{nullptr, &log, "second", 2};
  upwash::fiber fa(stacks, 0, wait_in_catch, &a);
  upwash::fiber fb(stacks, 1, wait_in_catch, &b);
  a.self = &fa;
  b.self = &fb;
  errno = 77;
  fa.resume();
  fb.resume();
  EXPECT_EQ(std::current_exception(), nullptr);
  fa.resume();
  fb.resume();
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(log, (std::vector<std::string>{"1", "first", "2", "second"}));
}

struct suspends_when_destroyed {
  explicit suspends_when_destroyed(task& in) : t(in) {}
  ~suspends_when_destroyed() {
    t.log->push_back(t.name + std::to_string(std::uncaught_exceptions()));
    t.self->suspend();
    t.log->push_back(t.name + std::to_string(std::uncaught_exceptions()));
  }
  task& t;
};

void wait_while_unwinding(void* argument) {
  auto& t = *static_cast<task*>(argument);
  try {
    const suspends_when_destroyed guard(t);
    if (t.steps > 0) throw std::runtime_error(t.name);
  } catch (const std::runtime_error& e) {
    t.log->push_back(e.what());
  }
}

TEST(fiber, exceptions_in_flight_stay_with_their_fiber) {
  upwash::fiber_stacks stacks(2, 64 * 1024);
  std::vector<std::string> log;
  task a{nullptr, &log, "a", 1};
  task b{nullptr, &log, "b", 0};
  upwash::fiber fa(stacks, 0, wait_while_unwinding, &a);
  upwash::fiber fb(stacks, 1, wait_while_unwinding, &b);
  a.self = &fa;
  b.self = &fb;
  fa.resume();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  fb.resume();
  fa.resume();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  fb.resume();
  EXPECT_EQ(log, (std::vector<std::string>{"a1", "b0", "a1", "a", "b0"}));
}

TEST(fiber, destroyed_before_the_first_resume_never_runs) {
  upwash::fiber_stacks stacks(1, 64 * 1024);
  std::vector<std::string> log;
  task a{nullptr, &log, "a", 1};
  { upwash::fiber fa(stacks, 0, count_steps, &a); }
  EXPECT_TRUE(log.empty());
}

struct nest {
  upwash::fiber* outer = nullptr;
  upwash::fiber* inner = nullptr;
  std::vector<std::string>* log = nullptr;
};

void suspend_the_outer(void* argument) {
  const auto& n = *static_cast<nest*>(argument);
  n.log->push_back("inner begins");
  n.outer->suspend();
  n.log->push_back("inner goes on");
  n.inner->suspend();
  n.log->push_back("inner ends");
}

void resume_the_inner(void* argument) {
  const auto& n = *static_cast<nest*>(argument);
  n.inner->resume();
  n.log->push_back("outer goes on");
  n.outer->suspend();
  n.inner->resume();
}

TEST(fiber, may_be_suspended_by_one_that_it_has_resumed) {
  upwash::fiber_stacks stacks(2, 64 * 1024);
  std::vector<std::string> log;
  nest n{nullptr, nullptr, &log};
  upwash::fiber outer(stacks, 0, resume_the_inner, &n);
  upwash::fiber inner(stacks, 1, suspend_the_outer, &n);
  n.outer = &outer;
  n.inner = &inner;
  for (int turn = 0; turn < 3; ++turn) {
    log.push_back("turn");
    outer.resume();
  }
  EXPECT_TRUE(outer.finished());
  EXPECT_TRUE(inner.finished());
  EXPECT_EQ(log, (std::vector<std::string>{"turn", "inner begins", "turn", "inner goes on",
                                           "outer goes on", "turn", "inner ends"}));
}

TEST(fiber, stack_out_of_range_is_an_error) {
  upwash::fiber_stacks stacks(1, 64 * 1024);
  EXPECT_THROW(upwash::fiber(stacks, 1, count_steps, nullptr), upwash::error);
}

[[gnu::noinline]] int use_stack(int depth) {
  volatile char block[1024];
  for (volatile char& byte : block) byte = static_cast<char>(depth);
  if (depth == 0) return block[0];
  return use_stack(depth - 1) + block[0];
}

void overflow(void* argument) {
  auto& t = *static_cast<task*>(argument);
  t.steps = use_stack(t.steps);
  t.self->suspend();
}

void overflow_one_of(std::size_t count) {
  upwash::fiber_stacks stacks(count, 16 * 1024);
  task t{nullptr, nullptr, "", 40};
  upwash::fiber f(stacks, count / 2, overflow, &t);
  t.self = &f;
  f.resume();
}

TEST(fiber_death_test, overflow_of_a_guarded_stack_dies) { EXPECT_DEATH(overflow_one_of(2), ""); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(fiber_death_test, a_fault_that_is_sent_ends_the_process) {
  const auto hit = [] {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers have their own
    upwash::process::tell_of_stack_overflow();
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(hit(), testing::KilledBySignal(SIGSEGV), "");
}

TEST(fiber_death_test, overflow_in_the_slab_is_seen_at_suspend) {
  EXPECT_DEATH(overflow_one_of(upwash::fiber_stacks::guarded_limit + 1),
               "fiber 8000 overflowed its stack of 16384 bytes");
  upwash::process::set_current_rank(5);
  EXPECT_DEATH(overflow_one_of(upwash::fiber_stacks::guarded_limit + 1),
               "rank 5 overflowed its stack of 16384 bytes; raise the knob stack_bytes");
  upwash::process::set_current_rank(-1);
}

TEST(fiber, many_fibers_share_a_slab) {
  constexpr std::size_t count = 131'072;
  upwash::fiber_stacks stacks(count, 32 * 1024);
  std::vector<std::string> log;
  std::vector<task> tasks(count);
  std::vector<std::unique_ptr<upwash::fiber>> fibers;
  for (std::size_t i = 0; i < count; ++i) {
    tasks[i] = {nullptr, &log, "", 1};
    fibers.push_back(std::make_unique<upwash::fiber>(stacks, i, count_steps, &tasks[i]));
    tasks[i].self = fibers.back().get();
  }
  for (auto& f : fibers) f->resume();
  EXPECT_EQ(log.size(), count);
  for (auto& f : fibers) f->resume();
  for (auto& f : fibers) ASSERT_TRUE(f->finished());
}

void spin(void* argument) {
  auto& t = *static_cast<task*>(argument);
  while (t.steps != 0) t.self->suspend();
}

TEST(fiber, switch_takes_nanoseconds) {
  upwash::fiber_stacks stacks(1, 64 * 1024);
  task t{nullptr, nullptr, "", 1};
  upwash::fiber f(stacks, 0, spin, &t);
  t.self = &f;
  constexpr int pairs = 1'000'000;
  upwash::duration best = upwash::duration::max();
  for (int round = 0; round < 5; ++round) {
    const upwash::duration start = upwash::steady_now();
    for (int i = 0; i < pairs; ++i) f.resume();
    best = std::min(best, upwash::steady_now() - start);
  }
  t.steps = 0;
  f.resume();
  const double switch_ns = best.ns() / (2.0 * pairs);
  RecordProperty("switch_ns", std::to_string(switch_ns));
  EXPECT_LT(switch_ns, 100.0) << "a switch should take 5 to 10 ns";
}
#endif

}  // namespace
