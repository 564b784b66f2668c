// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How completions are told: callbacks and what they may do, errors on the way, requests that go
// out of scope unfinished.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;
using test::loopback_of;
using test::message_of;
using test::sim_of;

/// A chain of puts, each started by the callback of the one before.
struct chain {
  job* here;
  global_ptr<std::byte> to;
  std::byte value{7};
  int left;
  int depth = 0;
  int deepest = 0;
  bool calling = false;  ///< a put is being called right now
  bool called_inside = false;

  void next() {
    calling = true;
    put(*here, to, std::span(&value, 1), {.local = {}, .remote = notice::call(&chain::told, this)});
    calling = false;
  }
  static void told(void* context) {
    auto& self = *static_cast<chain*>(context);
    self.called_inside |= self.calling;
    self.deepest = std::max(self.deepest, ++self.depth);
    if (--self.left > 0) self.next();
    --self.depth;
  }
};

void drop_a_request(incoming& in, global_ptr<std::byte> to) {
  static const std::vector<std::byte> data(100);
  const request dropped = put(in.here(), to, data);
}

/// Its callbacks start as many puts as the engine queues, and more.
struct flood {
  job* here;
  global_ptr<std::byte> to;
  std::byte value{1};
  int depth = 0;
  int deepest = 0;
  int told = 0;
  static void again(void* context) {
    auto& self = *static_cast<flood*>(context);
    self.deepest = std::max(self.deepest, ++self.depth);
    put(*self.here, self.to, std::span(&self.value, 1),
        {.local = {}, .remote = notice::call(&flood::end, context)});
    --self.depth;
  }
  static void end(void* context) { ++static_cast<flood*>(context)->told; }
};

/// A layer whose operation is a question that another rank answers.
struct asking final : service_base {
  explicit asking(job& /*here*/) {}
  std::vector<completer> open;
};
void answer(incoming& in, std::uint64_t which) {
  in.here().service<asking>().open[which].complete();
}
void question(incoming& in, std::uint64_t which) { in.reply<&answer>(which); }
void ask(job& here, completer end) {
  auto& layer = here.service<asking>();
  layer.open.push_back(end);
  send<&question>(here, (here.rank() + 1) % here.size(), std::uint64_t{layer.open.size() - 1});
}

}  // namespace

JOB_TEST(request, layers_complete_requests_of_their_own) {
  const conduit::wait_reason reason{.operation = "question"};
  completion_counter counted;
  int called = 0;
  const auto note = [](void* where) { ++*static_cast<int*>(where); };
  {
    auto asked = begin_operation(here, reason);
    EXPECT_FALSE(asked.handle.done());
    ask(here, asked.end);
    ask(here, begin_operation(here, notice::to(counted), reason));
    ask(here, begin_operation(here, notice::call(note, &called), reason));
    ask(here, begin_operation(here, implicit));
    ask(here, begin_operation(here, notice(), reason));
    request also;
    ask(here, begin_operation(here, notice::to(also), reason));
    asked.handle.wait();
    EXPECT_TRUE(asked.handle.done());
  }  // the destruction of `also` waits
  counted.wait(here);
  here.quiet();
  while (called == 0) here.progress();
  EXPECT_FALSE(here.service<asking>().open[0]);
}

JOB_TEST(request, callbacks_run_in_progress_and_never_nest, .ordered_writes = false) {
  region area = allocate(here.world(), 64);
  static_cast<void>(local(here, area.at(here.size() - 1)));  // fetched where that is possible
  chain links{&here, area.at(here.size() - 1), std::byte{7}, 20};
  links.next();
  while (links.left > 0) here.progress();
  EXPECT_EQ(links.deepest, 1);
  EXPECT_FALSE(links.called_inside);
  control::barrier(here.world());
  free(area);
}

JOB_TEST(request, callbacks_that_start_many_operations_do_not_nest, .most_ranks = 4,
         .ordered_writes = false) {
  region area = allocate(here.world(), 64);
  flood many{&here, area.at((here.rank() + 1) % here.size()), std::byte{1}};
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) {
    put(here, many.to, std::span(&many.value, 1),
        {.local = {}, .remote = notice::call(&flood::again, &many)});
  }
  while (many.told < count) here.progress();
  EXPECT_EQ(many.deepest, 1);
  control::barrier(here.world());
  free(area);
}

JOB_TEST(request, a_callback_that_throws_loses_no_other, .ordered_writes = false) {
  region area = allocate(here.world(), 64);
  const std::byte value{1};
  int told = 0;
  const auto refuse = [](void*) { throw std::runtime_error("not now"); };
  const auto note = [](void* where) { ++*static_cast<int*>(where); };
  for (int i = 0; i < 3; ++i) {
    put(here, area.at(0), std::span(&value, 1),
        {.local = {}, .remote = notice::call(refuse, nullptr)});
    put(here, area.at(0), std::span(&value, 1), {.local = {}, .remote = notice::call(note, &told)});
  }
  int thrown = 0;
  while (told < 3 || thrown < 3) {
    try {
      here.progress();
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  EXPECT_EQ(thrown, 3);
  control::barrier(here.world());
  free(area);
}

JOB_TEST(request, both_stages_may_be_told_at_one_request, .ordered_writes = false) {
  region area = allocate(here.world(), 4096);
  const std::vector<std::byte> data(4096, std::byte{3});
  request both;
  const int to = (here.rank() + 1) % here.size();
  put(here, area.at(to), data, {.local = notice::to(both), .remote = notice::to(both)});
  request moved = std::move(both);
  put(here, area.at(to), data, {.local = notice::to(moved), .remote = {}});
  moved.wait();
  EXPECT_TRUE(moved.done());
  control::barrier(here.world());
  EXPECT_EQ(area.mine()[4095], std::byte{3});
  free(area);
}

TEST(request_errors, an_operation_that_fails_in_a_destructor_is_reported) {
  for (const auto& world : {loopback_of(3), sim_of(3)}) {
    const std::string said = message_of(*world, [](job& here) {
      region area = allocate(here.world(), here.rank() == 1 ? 8 : 64);
      const std::vector<std::byte> data(64);
      if (here.rank() == 0) {
        const request dropped = put(here, area.at(1), data);  // too long for rank 1's part
      }
      control::barrier(here.world());
    });
    EXPECT_NE(said.find("leave the 8 bytes"), std::string::npos) << said;
  }
}

TEST(request_errors, what_a_callback_throws_in_a_destructor_is_reported) {
  for (const auto& world : {loopback_of(2), sim_of(2)}) {
    const std::string said = message_of(*world, [](job& here) {
      region area = allocate(here.world(), 64);
      const std::vector<std::byte> data(64);
      const int to = 1 - here.rank();
      put(here, area.at(to), data,
          {.local = {},
           .remote = notice::call([](void*) { throw std::runtime_error("no thanks"); }, nullptr)});
      const std::byte one{};
      for (int i = 0; i < 20; ++i) {
        const request dropped = put(here, area.at(to), std::span(&one, 1));
      }
      control::barrier(here.world());
    });
    EXPECT_EQ(said, "no thanks");
  }
}

TEST(request_errors, a_request_dropped_in_a_handler_is_reported) {
  for (const auto& world : {loopback_of(3), sim_of(3)}) {
    const std::string said = message_of(*world, [](job& here) {
      region area = allocate(here.world(), 128);
      if (here.rank() == 0) send<&drop_a_request>(here, 1, area.at(2));
      control::barrier(here.world());
      free(area);
    });
    EXPECT_NE(said.find("inside a handler"), std::string::npos) << said;
  }
}

TEST(request_errors, others_complete_when_one_fails) {
  for (const auto& world : {loopback_of(2), sim_of(2)}) {
    run_on(*world, {}, [](job& here) {
      region area = allocate(here.world(), here.rank() == 1 ? 8 : 6400);
      if (here.rank() == 0) {
        std::vector<std::byte> data(6400, std::byte{5});
        std::vector<std::byte> fetched(8);
        completion_counter ended;
        for (int i = 0; i < 4; ++i) {
          put(here, area.at(1), data, {.local = {}, .remote = notice::to(ended)});
          put(here, area.at(1), std::span(data).first(8),
              {.local = {}, .remote = notice::to(ended)});
        }
        int failures = 0;
        while (!ended.done()) {
          try {
            here.progress();
          } catch (const error&) {
            ++failures;
          }
        }
        EXPECT_EQ(failures, 4);
        get(here, area.at(1), fetched).wait();
        EXPECT_EQ(fetched, std::vector<std::byte>(8, std::byte{5}));
      }
      control::barrier(here.world());
      free(area);
    });
  }
}
