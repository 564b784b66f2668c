// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices in words that other processes read: they say the same, and keys tell what prices depend
// on.
#include "upwash/collective/price_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/collective/drawn_problem.hpp"
#include "tests/collective/pieces_of_words.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/node_prices.hpp"
#include "upwash/collective/selector.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using words = std::vector<std::uint64_t>;

const registry& algorithms() {
  static const registry all = [] {
    registry made;
    add_algorithms(made);
    return made;
  }();
  return all;
}

struct told final : particulars {
  [[nodiscard]] std::strong_ordering compare(const particulars&) const noexcept override {
    return std::strong_ordering::equal;
  }
};

/// The same choice, with all that was looked at.
void expect_same(const selector::choice& a, const selector::choice& b) {
  EXPECT_EQ(text_of(a.what), text_of(b.what));
  EXPECT_EQ(a.what, b.what);
  EXPECT_EQ(a.why, b.why);
  const auto same = [](const ranked& x, const ranked& y) {
    return x.what == y.what && x.predicted == y.predicted;
  };
  EXPECT_TRUE(std::ranges::equal(a.others, b.others, same));
  EXPECT_TRUE(std::ranges::equal(a.considered, b.considered, same));
}

}  // namespace

TEST(price_words, say_the_same) {
  std::vector<ranked> all;
  random_stream numbers(1, 2);
  for (const algorithm* each : algorithms().of(kind::all_to_all)) {
    ranked one{{each, model::initial_values(each->is)}, {}};
    for (std::size_t i = 0; i < each->is.parameters.size(); ++i) one.what.with[i] = numbers.next();
    if (numbers.below(2) == 0) one.what.eager_bytes = numbers.below(3);
    if (numbers.below(3) != 0) one.predicted = duration::from_ps(7'000'123);
    all.push_back(one);
  }
  const words told = list_words(algorithms(), kind::all_to_all, all);
  const std::vector<ranked> heard = list_of(algorithms(), kind::all_to_all, told);
  ASSERT_EQ(heard.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(heard[i].what, all[i].what);
    EXPECT_EQ(heard[i].predicted, all[i].predicted);
  }
}

TEST(price_words, have_a_key_for_each_problem_machine_and_registry) {
  const machine laptop = load_machine("laptop");
  std::set<words> keys;
  std::set<problem> problems;
  random_stream numbers(4, 4);
  for (int i = 0; i < 3000; ++i) {
    const problem call = tests::random_problem(numbers);
    problems.insert(call);
    keys.insert(key_words(algorithms(), call, laptop));
  }
  EXPECT_EQ(keys.size(), problems.size());

  const problem call{.of = kind::broadcast, .ranks = 4, .bytes = 64};
  const words key = key_words(algorithms(), call, laptop);
  problem labelled = call;
  labelled.label = "here";
  EXPECT_EQ(key_words(algorithms(), labelled, laptop), key);
  EXPECT_NE(key_words(algorithms(), call, load_machine("edr")), key);
  machine edited = laptop;
  edited.text_hash += 1;
  EXPECT_NE(key_words(algorithms(), call, edited), key);
  registry more = algorithms();
  more.add(*algorithms().of(kind::broadcast).front());
  EXPECT_NE(key_words(more, call, laptop), key);
  problem mapped = call;
  const std::vector<int> nodes{0, 0, 1, 1};
  mapped.nodes = std::make_shared<const model::node_map>(nodes);
  EXPECT_NE(key_words(algorithms(), mapped, laptop), key);
}

TEST(price_words, have_no_key_where_only_a_process_knows_the_call) {
  problem call{.of = kind::broadcast, .ranks = 4, .bytes = 64};
  call.further = std::make_shared<const told>();
  EXPECT_TRUE(key_words(algorithms(), call, load_machine("laptop")).empty());
}

TEST(model_selector, chooses_the_same_by_prices_that_it_hears) {
  for (const char* machine : {"laptop", "edr"}) {
    std::vector<std::uint64_t> memory(std::size_t{1} << 20U);
    node_prices among(std::make_unique<tests::pieces_of_words>(memory, 8), true);
    const auto alone = make_model_selector(machine);
    const auto tells = make_model_selector(machine);
    const auto hears = make_model_selector(machine);
    tells->share_prices(&among);
    hears->share_prices(&among);
    random_stream numbers(11, 3);
    for (int i = 0; i < 150; ++i) {
      const problem call = tests::random_problem(numbers);
      try {
        const selector::choice expected = alone->choose(algorithms(), call);
        expect_same(tells->choose(algorithms(), call), expected);
        expect_same(hears->choose(algorithms(), call), expected);
      } catch (const error&) {
        EXPECT_THROW(static_cast<void>(hears->choose(algorithms(), call)), error);
      }
    }
  }
}

/// What is heard is used: words that no pricing makes come out.
TEST(model_selector, takes_the_prices_that_it_hears) {
  std::vector<std::uint64_t> memory(4096);
  node_prices among(std::make_unique<tests::pieces_of_words>(memory, 1), true);
  const problem call{.of = kind::broadcast, .ranks = 4, .bytes = 64};
  const problem stands = representative_of(call, load_machine("laptop").ranks_in(level_kind::node),
                                           end_of_class::least);
  std::vector<ranked> wrong;
  for (const algorithm* each : algorithms().of(kind::broadcast)) {
    const auto time = duration::from_us(each->is.name == "chain" ? 1 : 1000);
    wrong.push_back({{each, model::initial_values(each->is)}, time});
  }
  {
    node_prices::turn mine(among, key_words(algorithms(), stands, load_machine("laptop")), {});
    mine.tell(list_words(algorithms(), kind::broadcast, wrong));
  }
  const auto selects = make_model_selector("laptop");
  selects->share_prices(&among);
  EXPECT_EQ(selects->choose(algorithms(), call).what.chosen->is.name, "chain");
}
