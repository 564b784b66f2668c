// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Methods that wait may loop over blocking calls on memory: other methods and messages of their
// rank go on meanwhile.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/core/control.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

/// A word of this rank.
struct shared_word final : service_base {
  explicit shared_word(job& /*here*/) {}
  global_ptr<std::uint64_t> at;
  std::uint64_t seen = 0;  ///< by how many methods here
};

/// May come when all have seen the word.
void set_word(incoming& in) {
  const auto at = in.here().service<shared_word>().at;
  if (at) put_value(in.here(), at, 1);
}
void ask_back(incoming& in) { in.reply<&set_word>(); }

struct watcher : object<int> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}

  [[nodiscard]] global_ptr<std::uint64_t> word() { return here().service<shared_word>().at; }
  void load() {
    while (get_value(here(), word()) == 0) {
    }
    ++here().service<shared_word>().seen;
  }
  void add_nothing() {
    while (fetch_add(here(), word(), 0) == 0) {
    }
    ++here().service<shared_word>().seen;
  }
  void store_beside() {
    while (get_value(here(), word()) == 0) put_value(here(), word() + 1, 5);
    ++here().service<shared_word>().seen;
  }
  void set() { add(here(), word(), 1); }
  void have_it_set() { upwash::send<&ask_back>(here(), (here().rank() + 1) % here().size()); }

  using methods_that_wait =
      upwash::methods<&watcher::load, &watcher::add_nothing, &watcher::store_beside, &watcher::set>;
};

/// Two objects a member look, some of them at one member, before any makes it come true.
template <auto Look, auto Set>
void look_until_set(job& here) {
  region words = allocate(here.world(), 16, atomicity::automatic);
  auto& mine = here.service<shared_word>();
  mine.at = words.at<std::uint64_t>(here.rank());
  control::barrier(here.world());
  {
    object_array<watcher> all(here.world());
    std::vector<int> indices;
    for (int i = 0; i < 2 * here.size(); ++i) indices.push_back(i);
    all.fill(indices);
    all.broadcast<Look>();
    all.broadcast<Set>();
    all.quiet();
  }
  std::array<std::uint64_t, 1> seen{std::exchange(mine.seen, 0)};
  control::all_reduce(here.world(), seen, control::fold::sum);
  const auto members = static_cast<std::uint64_t>(here.size());
  EXPECT_EQ(seen[0], 2 * members * members);  // each has told all
  mine.at = {};
  free(words);
}

}  // namespace

JOB_TEST(looping_methods, over_loads_let_other_methods_run, .ordered_writes = false) {
  look_until_set<&watcher::load, &watcher::set>(here);
  look_until_set<&watcher::store_beside, &watcher::set>(here);
}

JOB_TEST(looping_methods, over_atomics_let_other_methods_run) {
  look_until_set<&watcher::add_nothing, &watcher::set>(here);
}

JOB_TEST(looping_methods, let_messages_come, .ordered_writes = false) {
  look_until_set<&watcher::load, &watcher::have_it_set>(here);
}
