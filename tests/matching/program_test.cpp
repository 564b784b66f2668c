// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/matching/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

namespace upwash::matching::test {

std::vector<step> random_program(std::uint64_t seed, side which, const mix& how) {
  random_stream draw(seed, which == side::posted ? 1 : 2);
  const auto number = [&](std::uint32_t bound) {
    return static_cast<std::int32_t>(draw.below(bound));
  };
  std::vector<step> program(how.steps);
  for (std::uint32_t i = 0; i < how.steps; ++i) {
    step& s = program[i];
    s.number = i;
    s.with = {static_cast<std::uint32_t>(draw.below(how.contexts)), number(how.sources),
              number(how.tags), 0};
    const double p = draw.fraction();
    const double rest = (1 - how.growth) / 10;
    s.what = p < how.growth              ? step::kind::insert
             : p < how.growth + rest     ? step::kind::probe
             : p < how.growth + 2 * rest ? step::kind::cancel
                                         : step::kind::take;
    if (s.what == step::kind::cancel) s.number = static_cast<std::uint32_t>(draw.below(i + 1));
    if ((s.what == step::kind::insert) == (which == side::posted)) {
      if (draw.fraction() < how.wild) s.with.source = any_source;
      if (draw.fraction() < how.wild) s.with.tag = any_tag;
    }
    // A kind follows from the context and tag, which both sides know; wild tags stay within one.
    // The tags of its calls differ in what stands above the edges.
    if (s.with.context == 2) {
      s.with.kind = 0x10101;
      if (s.with.tag >= 0) s.with.tag <<= call_shift;
    }
  }
  return program;
}

findings run_oracle(const std::vector<step>& program) {
  std::vector<const step*> held;
  findings found;
  for (const step& s : program) {
    const auto fits = std::find_if(held.begin(), held.end(), [&](const step* h) {
      const bool source =
          s.with.source == -1 || h->with.source == -1 || s.with.source == h->with.source;
      const bool tag = s.with.tag == -1 || h->with.tag == -1 || s.with.tag == h->with.tag;
      return source && tag && s.with.context == h->with.context;
    });
    std::int64_t result = -1;
    if (s.what == step::kind::insert) {
      held.push_back(&s);
    } else if (s.what == step::kind::cancel) {
      const auto at = std::find_if(held.begin(), held.end(),
                                   [&](const step* h) { return h->number == s.number; });
      if (at != held.end()) {
        result = (*at)->number;
        held.erase(at);
      }
    } else if (fits != held.end()) {
      result = (*fits)->number;
      if (s.what == step::kind::take) held.erase(fits);
    }
    found.push_back(result);
  }
  return found;
}

findings run_store(const std::vector<step>& program, store& of) {
  struct numbered : entry {
    std::uint32_t number = 0;
  };
  std::map<std::uint32_t, std::unique_ptr<numbered>> held;
  findings found;
  for (const step& s : program) {
    std::int64_t result = -1;
    const auto number_of = [](const entry* e) {
      return e == nullptr ? -1 : static_cast<std::int64_t>(static_cast<const numbered*>(e)->number);
    };
    switch (s.what) {
      case step::kind::insert: {
        auto& e = held[s.number] = std::make_unique<numbered>();
        e->what = s.with;
        e->number = s.number;
        of.insert(*e);
        break;
      }
      case step::kind::probe: result = number_of(of.find(s.with)); break;
      case step::kind::take:
        result = number_of(of.take(s.with));
        if (result >= 0) held.erase(static_cast<std::uint32_t>(result));
        break;
      case step::kind::cancel:
        if (const auto at = held.find(s.number); at != held.end()) {
          result = s.number;
          of.erase(*at->second);
          held.erase(at);
        }
        break;
    }
    found.push_back(result);
  }
  if (of.size() != held.size()) found.push_back(-2);
  for (auto& [number, e] : held) of.erase(*e);
  if (of.size() != 0) found.push_back(-3);
  return found;
}

std::string to_text(const std::vector<step>& program) {
  constexpr const char* names[] = {"insert", "take", "probe", "cancel"};
  std::string text;
  for (const step& s : program) {
    text += fmt::format("  {} #{} context {} source {} tag {}\n", names[static_cast<int>(s.what)],
                        s.number, s.with.context, s.with.source, s.with.tag);
  }
  return text;
}

namespace {

struct combination {
  std::string_view engine;
  std::string_view partition;
};

std::vector<combination> all_combinations() {
  std::vector<combination> all;
  for (const auto engine : engine_names()) {
    for (const auto partition : partition_names()) all.push_back({engine, partition});
  }
  return all;
}

shape shape_of(std::uint64_t seed, const mix& how) {
  random_stream draw(seed, 3);
  shape s;
  s.ranks = static_cast<int>(how.sources);
  // Fewer than there are sources: some are unknown to the profile.
  for (std::uint32_t i = 0; i + 1 < how.sources; ++i) s.profile.push_back(draw.below(100));
  s.threshold = static_cast<std::uint32_t>(draw.below(20));
  s.metric = static_cast<edge_metric>(draw.below(3));
  s.alpha = static_cast<double>(draw.below(3));
  s.partners = static_cast<std::uint32_t>(1 + draw.below(4));
  s.clusters = static_cast<std::uint32_t>(1 + draw.below(5));
  s.bins = static_cast<std::uint32_t>(1 + draw.below(9));
  return s;
}

/// Runs a program through every combination; says the smallest failing part of it.
void compare_all(std::uint64_t seed, side which, const mix& how) {
  const auto program = random_program(seed, which, how);
  const auto expected = run_oracle(program);
  const shape s = shape_of(seed, how);
  for (const auto& [engine, partition] : all_combinations()) {
    const auto run = [&](const std::vector<step>& steps) {
      return run_store(steps, *make_store(engine, partition, which, s));
    };
    if (run(program) == expected) continue;
    const auto least =
        shrink(program, [&](const auto& less) { return run(less) != run_oracle(less); });
    FAIL() << engine << '/' << partition << (which == side::posted ? " posted" : " unexpected")
           << ", seed " << seed << "; least failing program:\n"
           << to_text(least);
  }
}

std::vector<mix> mixes() {
  return {{.steps = 1500, .growth = 0.45},
          {.steps = 1500, .sources = 40, .tags = 3, .wild = 0, .growth = 0.6},
          {.steps = 3000, .sources = 3, .tags = 300, .wild = 0.01, .growth = 0.7},
          {.steps = 1500, .sources = 20, .tags = 2, .wild = 0.5, .growth = 0.55},
          {.steps = 300, .sources = 1, .tags = 1, .contexts = 1, .wild = 0.3, .growth = 0.5},
          // Deep, and mostly in order: a search passes few.
          {.steps = 900, .sources = 1, .tags = 1, .contexts = 1, .wild = 0.1, .growth = 0.75}};
}

TEST(matching_stores, find_what_an_ordered_list_finds_in_every_combination) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const mix& how : mixes()) {
      compare_all(seed, side::posted, how);
      compare_all(seed, side::unexpected, how);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(matching_stores, of_many_entries_find_what_an_ordered_list_finds) {
  const mix deep{.steps = 12'000, .sources = 50, .tags = 400, .wild = 0.02, .growth = 0.75};
  compare_all(7, side::posted, deep);
  compare_all(7, side::unexpected, deep);
}

/// Finds the latest that fits: what the oracle is there to see.
class overtaking : public store {
 public:
  void insert(entry& e) override {
    held_.push_back(&e);
    ++size_;
  }
  entry* find(const envelope& wanted) override {
    const auto at = std::find_if(held_.rbegin(), held_.rend(),
                                 [&](const entry* e) { return fit(e->what, wanted); });
    return at == held_.rend() ? nullptr : *at;
  }
  entry* take(const envelope& wanted) override {
    entry* e = find(wanted);
    if (e != nullptr) erase(*e);
    return e;
  }
  void erase(entry& e) override { size_ -= std::erase(held_, &e); }
  [[nodiscard]] costs spent() const noexcept override { return {}; }
  [[nodiscard]] division describe() const override { return {}; }

 private:
  std::vector<entry*> held_;
};

TEST(matching_stores, that_overtake_are_caught_with_two_inserts_and_a_search) {
  const auto fails = [](const std::vector<step>& program) {
    overtaking wrong;
    return run_store(program, wrong) != run_oracle(program);
  };
  const auto program = random_program(1, side::posted, {});
  ASSERT_TRUE(fails(program));
  EXPECT_EQ(shrink(program, fails).size(), 3U);
}

TEST(matching_stores, names_that_there_are_not_are_refused) {
  try {
    (void)make_store("lists", "single", side::posted, {});
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_EQ(std::string(e.what()),
              "matching: no engine \"lists\"; there are list, arrays_line, arrays, arrays_l1, "
              "vectors, vectors_wide, fingerprints, hash, classes, adaptive");
  }
  EXPECT_THROW((void)make_store("list", "double", side::posted, {}), std::exception);
  EXPECT_THROW((void)make_store("list", "bins", side::posted, {.bins = 0}), std::exception);
}

}  // namespace
}  // namespace upwash::matching::test
