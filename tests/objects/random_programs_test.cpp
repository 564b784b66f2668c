// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs that mix all that objects do, against a sequential program. A failure names the
// program by its seed.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/objects/notes.hpp"
#include "tests/objects/random_actor.hpp"
#include "tests/sanitized.hpp"
#include "upwash/objects/balance.hpp"
#include "upwash/objects/object_group.hpp"
#include "upwash/objects/strategies.hpp"

namespace {

using namespace upwash;
using namespace upwash::test::random_programs;

int odd_home(const name& at, int members) {
  return static_cast<int>((7ULL * at.number + at.born) % static_cast<unsigned>(members));
}

object_options options_of(const program& of) {
  object_options options;
  options.name = "actors";
  options.ordered = of.ordered;
  options.measure = std::array{balancing::measure::nothing, balancing::measure::time,
                               balancing::measure::time_and_calls}[of.draw(20) % 3];
  options.broadcasts = of.draw(21) % 2 == 0 ? tree_of_members::binary : tree_of_members::binomial;
  return options;
}

index_map<name> home_of(const program& of) {
  if (of.draw(22) % 2 == 0) return &odd_home;
  return &object_array<actor>::by_hash;
}

/// Another at each fence.
struct take_turns final : strategy_switch {
  std::size_t choose(const team& /*among*/, const call_pattern& /*mean*/,
                     std::size_t now) override {
    return (now + 1) % 3;
  }
};

std::unique_ptr<strategy> all_in_turn() {
  std::vector<std::unique_ptr<strategy>> some;
  for (const char* algorithm : {"mesh2d", "direct", ""}) some.push_back(each_to_many(algorithm));
  return switch_among(std::move(some), std::make_unique<take_turns>());
}

std::unique_ptr<strategy> stream_of(const program& of) {
  streaming_options with;
  with.urgent_below = -3;
  with.stream.buffer_bytes = std::size_t{512} << of.draw(23) % 4;
  return streaming_calls(with);
}

/// One program on a team.
class performance {
 public:
  performance(const program& of, const team& among, const std::vector<global_ptr<bits>>& words)
      : of_(of),
        among_(among),
        open_(among.here().service<open_programs>()),
        desks_(among, {.name = "desks"}),
        node_desks_(among, {.name = "node desks", .one_per = level::node}),
        actors_(among, options_of(of), home_of(of)),
        told_(of_) {
    surroundings& in = open_.by_array[actors_.id().name];
    in.of = &of_;
    in.members = among.size();
    in.words = words;
    in.actors = actors_.id();
    in.desks = desks_->id();
    in.node_desks = node_desks_->id();
    in.node_desk_of.resize(static_cast<std::size_t>(among.size()));
    const int mine = node_desks_.index_of_mine();
    all_gather(among, blocking, std::span(&mine, 1), std::span(in.node_desk_of));
    std::vector<name> names;
    for (bits i = 0; i < of.actors; ++i) names.push_back(first_name(i));
    actors_.fill(names);
    make_sections(in);
    bind(in);
  }
  ~performance() { open_.by_array.erase(actors_.id().name); }
  performance(const performance&) = delete;
  performance& operator=(const performance&) = delete;

  /// Calls that beget calls; others may begin theirs at once.
  void begin(bits epoch) {
    const surroundings& in = open_.by_array.at(actors_.id().name);
    for (int rank = 0; rank < among_.size(); ++rank) {
      for (const bits seed : begun_by(of_, rank, epoch)) {
        for (const call& each : deed_of(of_, seed, of_.depth).calls) {
          told_.make(each, of_.depth);
          if (rank == among_.rank()) make_call(actors_.view(), in, each, of_.depth, nullptr);
        }
      }
    }
    for (const bool of_sections : {false, true}) {
      for (bits round = 0; round < epoch % 3; ++round) {
        const bits seed = of_.draw(of_sections ? 31 : 30, 10 * epoch + round);
        if (among_.rank() == 0) actors_.broadcast<&actor::act_in_bracket>(seed, of_sections);
        told_.make_brackets(seed, of_sections);
      }
    }
  }
  void finish(bits epoch) {
    told_.run();
    quiet_together(actors_, desks_.array(), node_desks_.array());
    told_.newborn.clear();
    check(actors_, "calls");
    check_desks();
    reduce(epoch);
    thin_out(epoch);
    balance(of_.draw(50, epoch));
    check(actors_, "balance");
  }
  void save_and_load(const test::job_folder& folder, bits epoch) {
    const std::string path = folder / ("of." + std::to_string(among_.world_rank(0)));
    actors_.save(path, {.type = "actors"});
    object_array<actor> again(among_, options_of(of_));
    again.load(path, {.type = "actors", .to_old_members = epoch % 2 == 0});
    check(again, "load");
    again.quiet();
  }

 private:
  void make_sections(surroundings& in) {
    constexpr std::array shapes{section_shape::tree, section_shape::ring, section_shape::direct};
    for (int i = 0; i < of_.sections; ++i) {
      object_section<actor> made;
      const int root = i % among_.size();
      const section_shape shape = shapes[static_cast<std::size_t>(i) % 3];
      if (among_.rank() == root) made = actors_.section(of_.members_of(i), shape);
      broadcast(among_, blocking, root, std::span(&made.id, 1));
      in.sections.push_back(made);
    }
    actors_.quiet();
  }
  void bind(surroundings& in) {
    const auto places = [&](bits draw) {
      return of_.draw(draw) % 2 == 0 ? call_places::as_heard : call_places::at_fence;
    };
    in.streamed = actors_.bind(stream_of(of_), places(24));
    in.bracketed = actors_.bind(all_in_turn(), places(25));
    in.multicast = actors_.bind(each_to_many_multicast(of_.draw(26) % 2 == 0 ? "" : "mesh2d"));
    if (of_.ordered) return;
    aggregated_.emplace(actors_);
    aggregated_span_.emplace(actors_);
  }

  template <class T>
  [[nodiscard]] promise<T> shared(const future<T>& of) const {
    promise<T> name = of.get_promise();
    broadcast(among_, blocking, 0, std::span(&name, 1));
    return name;
  }
  /// Several at once.
  void reduce(bits epoch) {
    future<bits> of_all(among_.here());
    future<bits> of_section(among_.here());
    const promise<bits> to_all = shared(of_all);
    const promise<bits> to_section = shared(of_section);
    std::optional<bits> expected;
    for (bits i = 0; i < 4; ++i) {
      const bits seed = of_.draw(40, 10 * epoch + i);
      auto to = static_cast<target>(seed % static_cast<bits>(target::count));
      if (to == target::future && expected) to = target::one;
      if (among_.rank() == 0) actors_.broadcast<&actor::contribute_to>(to, seed, to_all);
      if (to == target::future) expected = told_.sum_of_gifts(seed);
      expect(to, seed);
    }
    bits of_first = 0;
    for (int i = 0; i < of_.sections; ++i) {
      const bits seed = of_.draw(41 + static_cast<bits>(i), epoch);
      const auto& section =
          open_.by_array.at(actors_.id().name).sections[static_cast<std::size_t>(i)];
      if (among_.rank() == static_cast<int>(seed % static_cast<bits>(among_.size()))) {
        actors_[section].send<&actor::contribute_in>(i, seed, to_section);
      }
      const bits result = told_.sum_of_gifts(seed, i);
      if (i == 0) of_first = result;
      if (i == 1) told_.tell_section(1, result);
      if (i > 1) told_.tell_all(result);
    }
    if (among_.rank() == 0) {
      EXPECT_EQ(of_section.get(), of_first) << "program " << of_.seed;
      if (expected) {
        EXPECT_EQ(of_all.get(), *expected) << "program " << of_.seed;
      }
    }
    actors_.quiet();
    check(actors_, "reductions");
    EXPECT_EQ(open_.told, open_.expected) << "program " << of_.seed << ": results for this rank";
  }
  void expect(target to, bits seed) {
    const bits result = told_.sum_of_gifts(seed);
    switch (to) {
      case target::all: return told_.tell_all(result);
      case target::one: return told_.all[first_name(1)].hear(result);
      case target::rank:
        if (among_.rank() == among_.size() - 1) open_.expected += result;
        return;
      case target::future: return;
      case target::section: return told_.tell_section(0, result);
      case target::vector_to_one: return told_.all[first_name(2)].hear(seed % 2000 * result);
      default: return told_.tell_all(told_.parity_of_gifts(seed));
    }
  }

  void thin_out(bits epoch) {
    const bits seed = of_.draw(60, epoch);
    if (among_.rank() == 0) actors_.broadcast<&actor::thin_out>(seed);
    std::erase_if(told_.all, [&](const auto& each) {
      return each.first.born != 0 && gift(each.first, seed) % 2 == 0;
    });
    for (bits i = 0; i < of_.actors && among_.rank() == 0; i += 3) {
      actors_[first_name(i)].send<&actor::grow>(gift(first_name(i), seed) % of_.most_bytes);
    }
    actors_.quiet();
    check(actors_, "ends");
  }
  void balance(bits draw) {
    switch (draw % 5) {
      case 0: actors_.balance(balancing::rotate()); return;
      case 1: actors_.balance(balancing::random(draw)); return;
      case 2: actors_.balance(balancing::greedy()); return;
      case 3: actors_.balance(balancing::communication_aware()); return;
      default: actors_.balance(balancing::refine()); return;
    }
  }

  /// Each actor is at one member, and is as expected.
  void check(object_array<actor>& of, const std::string& after) {
    of.for_each_here([&](actor& one) {
      one.newborn = false;
      const auto found = told_.all.find(one.index());
      const auto where = [&] {
        return "program " + std::to_string(of_.seed) + " after " + after + ": actor " +
               std::to_string(one.index().born) + ":" + std::to_string(one.index().number);
      };
      ASSERT_TRUE(found != told_.all.end()) << where() << " is there";
      const tally& wanted = found->second;
      EXPECT_EQ(one.counted.calls, wanted.calls) << where();
      EXPECT_EQ(one.counted.results, wanted.results) << where();
      EXPECT_EQ(one.counted, wanted) << where();
    });
    EXPECT_EQ(all_reduce<sum>(among_, blocking, of.size_here()), told_.all.size())
        << "program " << of_.seed << " after " << after;
  }
  void check_desks() {
    bits here = 0;
    for (desk* const one : {desks_.here(), node_desks_.here()}) {
      if (one != nullptr) here += one->sum;
    }
    EXPECT_EQ(all_reduce<sum>(among_, blocking, here), told_.desks) << "program " << of_.seed;
  }

  const program of_;
  const team among_;
  open_programs& open_;
  object_group<desk> desks_;
  object_group<desk> node_desks_;
  object_array<actor> actors_;
  std::optional<aggregated<&actor::act_aggregated>> aggregated_;
  std::optional<aggregated<&actor::act_aggregated_span>> aggregated_span_;
  oracle told_;
};

/// A word on each rank that all others know.
class known_words {
 public:
  explicit known_words(const team& world) : world_(world), memory_(allocate(world, sizeof(bits))) {
    memory_.mine_as<bits>()[0] = word_at(static_cast<bits>(world.rank()));
    for (int rank = 0; rank < world.size(); ++rank) at.push_back(memory_.at<bits>(rank, 0));
    control::barrier(world);
  }
  void free() {
    control::barrier(world_);
    upwash::free(memory_);
  }
  std::vector<global_ptr<bits>> at;

 private:
  const team world_;
  region memory_;
};

/// Another for each number of ranks.
program program_of(int test, const job& here) {
  return program::of(static_cast<bits>(1000 * test + here.size()));
}

constexpr bits epochs = test::sanitized ? 1 : 3;

}  // namespace

JOB_TEST(random_programs, are_as_sequential_ones) {
  known_words words(here.world());
  {
    performance one(program_of(1, here), here.world(), words.at);
    for (bits epoch = 0; epoch < epochs; ++epoch) {
      one.begin(epoch);
      one.finish(epoch);
    }
  }
  words.free();
}

JOB_TEST(random_programs, run_beside_each_other_on_overlapping_teams, .least_ranks = 2,
         .most_ranks = 9) {
  known_words words(here.world());
  const int color = here.rank() % 2;
  const team half = here.world().split(color, -here.rank());
  {
    program other = program_of(3 + color, here);
    performance one(program_of(2, here), here.world(), words.at);
    performance two(other, half, words.at);
    for (bits epoch = 0; epoch < epochs; ++epoch) {
      one.begin(epoch);
      two.begin(epoch);
      two.finish(epoch);
      one.finish(epoch);
    }
  }
  words.free();
}

JOB_TEST(random_programs, are_saved_and_loaded, .most_ranks = 7) {
  known_words words(here.world());
  const test::job_folder folder(here);
  {
    performance one(program_of(5, here), here.world(), words.at);
    for (bits epoch = 0; epoch < epochs; ++epoch) {
      one.begin(epoch);
      one.finish(epoch);
      one.save_and_load(folder, epoch);
    }
  }
  words.free();
}
