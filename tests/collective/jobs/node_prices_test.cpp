// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices that ranks of a node tell each other: they come, and whoever hears them and whoever does
// not choose the same.
#include "upwash/collective/node_prices.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/collective/drawn_problem.hpp"
#include "tests/collective/pieces_of_words.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

/// Tells which rank it is at its first choice, unless it hears of another.
class first_of_node final : public selector {
 public:
  explicit first_of_node(int rank) : rank_(rank) {}

  const choice& choose(const registry& from, const problem& call) override {
    shares_ = others_ != nullptr;
    if (shares_) {
      node_prices::turn mine(*others_, {17, call.bytes}, duration::from_us(60e6));
      if (mine.heard()) {
        first_ = static_cast<int>(mine.heard()->front());
      } else {
        first_ = rank_;
        mine.tell(std::vector<std::uint64_t>{static_cast<std::uint64_t>(rank_)});
      }
    }
    return model_->choose(from, call);
  }
  void share_prices(node_prices* with) noexcept override { others_ = with; }

  [[nodiscard]] bool shares() const noexcept { return shares_; }
  [[nodiscard]] int first() const noexcept { return first_; }

 private:
  int rank_;
  std::unique_ptr<selector> model_ = make_model_selector("laptop");
  node_prices* others_ = nullptr;
  bool shares_ = false;
  int first_ = -1;
};

conduit::location place_of(job& here, int rank) { return host(here).endpoint().place(rank); }

bool has_several_processes(job& here) {
  for (int rank = 1; rank < here.size(); ++rank) {
    if (place_of(here, rank).process != place_of(here, 0).process) return true;
  }
  return false;
}

/// What ranks in one address space share.
struct memory_of_all {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(std::size_t{1} << 16U);
};

std::uint64_t text_hash(std::uint64_t hash, const std::string& text) {
  for (const char letter : text) hash = random_bits(hash, static_cast<unsigned char>(letter), 0);
  return hash;
}

}  // namespace

JOB_TEST(node_prices, come_from_the_first_rank_of_a_node, .least_ranks = 2) {
  const team world = here.world();
  first_of_node mine(here.rank());
  selector* const before = set_selector(here, &mine);
  const std::vector<int> in(37, 1);
  std::vector<int> out(37);
  std::optional<request> open;
  if (here.rank() == 0) open = all_reduce<sum>(world, std::span(in), std::span(out));
  control::barrier(world);
  if (!open) open = all_reduce<sum>(world, std::span(in), std::span(out));
  open->wait();
  EXPECT_EQ(out, std::vector<int>(37, here.size()));
  const bool real = !host(here).endpoint().describe().virtual_time;
  EXPECT_TRUE(mine.shares() || !real || !all_direct(world) || !has_several_processes(here));
  if (mine.shares()) {
    EXPECT_EQ(place_of(here, mine.first()).node, place_of(here, here.rank()).node);
    const bool beside_first = place_of(here, here.rank()).node == place_of(here, 0).node;
    EXPECT_TRUE(!beside_first || mine.first() == 0) << mine.first();
  }
  control::barrier(world);
  set_selector(here, before);
}

/// Half of the ranks share prices, all go through the calls in orders of their own.
JOB_TEST(node_prices, lead_to_the_choices_of_those_who_hear_none, .most_ranks = 9) {
  constexpr int calls = 12;
  registry algorithms;
  add_algorithms(algorithms);
  const auto memory = host(here).endpoint().facts().find_or_make<memory_of_all>(0x9e37, 0);
  node_prices among(std::make_unique<tests::pieces_of_words>(memory->words, 4), false);
  const auto selects = make_model_selector("laptop");
  if (here.rank() % 2 == 1) selects->share_prices(&among);
  random_stream numbers(8, 1);
  std::vector<problem> all;
  while (all.size() < calls) all.push_back(tests::random_problem(numbers));
  std::vector<std::uint64_t> chosen(calls);
  for (int i = 0; i < calls; ++i) {
    const auto which = static_cast<std::size_t>((i * 5 + here.rank() * 7) % calls);
    try {
      const selector::choice& one = selects->choose(algorithms, all[which]);
      chosen[which] = text_hash(text_hash(which, text_of(one.what)), one.why);
    } catch (const error&) {
      chosen[which] = 1;  // nothing serves
    }
    if (i % 3 == 0) control::barrier(here.world());
  }
  std::vector<std::uint64_t> of_all(chosen.size() * static_cast<std::size_t>(here.size()));
  control::all_gather(here.world(), std::as_bytes(std::span(chosen)),
                      std::as_writable_bytes(std::span(of_all)));
  for (std::size_t i = 0; i < of_all.size(); ++i) EXPECT_EQ(of_all[i], chosen[i % calls]) << i;
}
