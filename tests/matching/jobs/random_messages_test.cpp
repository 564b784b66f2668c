// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random sends and receives over the whole path, in every kind of store: every message arrives
// once and whole, in a receive that fits it, and none overtakes.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/host.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/matching/store.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

struct planned {
  int source;
  int destination;
  std::size_t team;
  int tag;
  std::size_t size;
  m::mode how;
};

constexpr int tags = 3;
constexpr int sends_each = 60;

/// The same on every rank: what each sends, in order.
std::vector<planned> plan(std::uint64_t seed, int ranks) {
  std::vector<planned> all;
  for (int source = 0; source < ranks; ++source) {
    random_stream draw(seed, static_cast<std::uint64_t>(source));
    for (int i = 0; i < sends_each; ++i) {
      const std::size_t sizes[] = {0, 8, 300, 3000};
      const int to = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
      all.push_back({source, draw.below(2) == 0 ? 0 : to, draw.below(2),
                     static_cast<int>(draw.below(tags)), sizes[draw.below(4)] + 4,
                     draw.below(4) == 0 ? m::mode::synchronous : m::mode::standard});
    }
  }
  return all;
}

/// One receive and what it got.
struct taken {
  std::size_t team = 0;
  int source = -1;
  int tag = -1;
  std::vector<std::byte> into = std::vector<std::byte>(3004);
  m::receiving handle;
  bool over = false;
  m::receipt got;
  int number = -1;                 ///< of the message in the plan
  std::optional<m::receipt> told;  ///< by a probe before it
};

class receiver {
 public:
  receiver(job& here, const std::vector<planned>& all, const team* teams, random_stream draw)
      : here_(here), all_(all), teams_(teams), draw_(draw) {
    for (const auto& p : all_) expected_[p.team] += p.destination == here_.rank() ? 1 : 0;
  }

  void post(std::size_t in, int source, int tag) {
    auto& t = posted_.emplace_back(std::make_unique<taken>());
    t->team = in;
    t->source = source;
    t->tag = tag;
    t->handle = m::receive(teams_[in], source, tag, t->into);
  }
  void post_random() {
    const int source = static_cast<int>(draw_.below(static_cast<std::uint64_t>(here_.size())));
    post(draw_.below(2), draw_.below(3) == 0 ? -1 : source,
         draw_.below(3) == 0 ? -1 : static_cast<int>(draw_.below(tags)));
    if (draw_.below(8) == 0 && posted_.back()->handle.cancel()) posted_.pop_back();
  }
  /// Receives what is there, if anything, as a probe or a claim finds it.
  void look_random() {
    const std::size_t in = draw_.below(2);
    const int source =
        static_cast<int>(draw_.below(static_cast<std::uint64_t>(here_.size()) + 1)) - 1;
    const int tag = static_cast<int>(draw_.below(tags + 1)) - 1;
    if (draw_.below(2) == 0) {
      const auto told = m::probe(teams_[in], source, tag);
      if (!told) return;
      post(in, told->source, told->tag);
      posted_.back()->told = told;
    } else if (auto claimed = m::claim(teams_[in], source, tag)) {
      auto& t = posted_.emplace_back(std::make_unique<taken>());
      t->team = in;
      t->source = source;
      t->tag = tag;
      t->told = claimed->what();
      t->handle = m::receive(std::move(*claimed), t->into);
    }
  }

  /// Looks at all receives; returns whether every message is here, and posts a receive for
  /// anything where one is still missing.
  bool all_here() {
    bool whole = true;
    for (std::size_t in = 0; in < 2; ++in) {
      std::size_t here = 0;
      bool catches_all = false;
      for (const auto& t : posted_) {
        if (t->team != in) continue;
        if (!t->over && t->handle.test()) finish(*t);
        here += t->over ? 1 : 0;
        catches_all = catches_all || (!t->over && t->source == -1 && t->tag == -1);
      }
      if (here < expected_[in] && !catches_all) post(in, -1, -1);
      whole = whole && here == expected_[in];
    }
    return whole;
  }

  void check() {
    std::vector<int> times(all_.size(), 0);
    for (const auto& t : posted_) {
      if (!t->over) {
        ASSERT_TRUE(t->handle.cancel());
        continue;
      }
      const planned& p = all_.at(static_cast<std::size_t>(t->number));
      ++times[static_cast<std::size_t>(t->number)];
      ASSERT_TRUE(p.destination == here_.rank() && p.team == t->team);
      ASSERT_EQ(t->got.bytes, p.size);
      ASSERT_EQ(t->got.source, p.source);
      ASSERT_EQ(t->got.tag, p.tag);
      if (t->told) {
        ASSERT_TRUE(t->told->source == p.source && t->told->tag == p.tag &&
                    t->told->bytes == p.size);
      }
      ASSERT_TRUE((t->source == -1 || t->source == p.source) && (t->tag == -1 || t->tag == p.tag));
      for (std::size_t i = 4; i < p.size; ++i) {
        ASSERT_EQ(t->into[i], static_cast<std::byte>(t->number + static_cast<int>(i)));
      }
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      ASSERT_EQ(times[i], all_[i].destination == here_.rank() ? 1 : 0) << "message " << i;
    }
    check_order();
  }

 private:
  void finish(taken& t) {
    t.got = t.handle.wait();
    t.over = true;
    std::memcpy(&t.number, t.into.data(), sizeof t.number);
  }

  /// Of two receives the earlier must not have got the later message of a sender, if the earlier
  /// message fits it. A receive that was never filled must fit no message that a later one got.
  void check_order() {
    for (std::size_t i = 0; i < posted_.size(); ++i) {
      for (std::size_t j = i + 1; j < posted_.size(); ++j) {
        const taken& first = *posted_[i];
        const taken& second = *posted_[j];
        if (first.team != second.team || !second.over) continue;
        const planned& p = all_[static_cast<std::size_t>(second.number)];
        const bool fits = (first.source == -1 || first.source == p.source) &&
                          (first.tag == -1 || first.tag == p.tag);
        const bool later =
            !first.over || (first.got.source == p.source && first.number > second.number);
        ASSERT_FALSE(fits && later) << "receive " << i << " was passed by message " << second.number
                                    << ", which receive " << j << " got";
      }
    }
  }

  job& here_;
  const std::vector<planned>& all_;
  const team* teams_;
  random_stream draw_;
  std::size_t expected_[2] = {0, 0};
  std::vector<std::unique_ptr<taken>> posted_;
};

void run_random(job& here, std::uint64_t seed, const m::message_options& options) {
  m::install(here, options);
  const team world = here.world();
  const team teams[2] = {world, world.duplicate()};
  const auto all = plan(seed, here.size());
  random_stream draw(seed, 1000 + static_cast<std::uint64_t>(here.rank()));
  receiver mine(here, all, teams, draw);
  std::vector<request> going;
  std::vector<std::vector<std::byte>> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const planned& p = all[i];
    if (p.source != here.rank()) continue;
    for (std::uint64_t n = draw.below(3); n > 0; --n) mine.post_random();
    auto& data = kept.emplace_back(p.size);
    const int number = static_cast<int>(i);
    std::memcpy(data.data(), &number, sizeof number);
    for (std::size_t at = 4; at < p.size; ++at) {
      data[at] = static_cast<std::byte>(number + static_cast<int>(at));
    }
    going.push_back(m::send(teams[p.team], p.destination, p.tag, data, p.how));
    if (draw.below(4) == 0) here.progress();
    if (draw.below(3) == 0) mine.look_random();
  }
  while (!mine.all_here()) here.progress();
  mine.check();
  wait_all(going);
  control::barrier(world);
}

}  // namespace

JOB_TEST(random_messages, arrive_once_and_in_order_in_every_store, .most_ranks = 8) {
  std::uint64_t seed = 1;
  for (const std::string_view engine : {"adaptive", "list", "fingerprints", "hash", "classes"}) {
    SCOPED_TRACE("engine " + std::string(engine) + ", seed " + std::to_string(seed));
    run_random(here, seed++, {.engine = std::string(engine), .eager_bytes = 1000});
  }
  for (const auto partition : m::partition_names()) {
    SCOPED_TRACE("partition " + std::string(partition) + ", seed " + std::to_string(seed));
    // Little room: most messages are offered, and room comes back while they do.
    run_random(
        here, seed++,
        {.partition = std::string(partition), .eager_bytes = 1000, .unexpected_bytes = 20'000});
  }
}

JOB_TEST(random_messages, that_stay_listed_at_their_senders_arrive_once_and_in_order,
         .most_ranks = 8) {
  const bool whole = std::getenv("UPWASH_TEST_LONG") != nullptr;
  const bool fast =
      host(here).endpoint().describe().virtual_time;  // spinning ranks share cores else
  const auto envelopes = static_cast<std::size_t>(here.size());
  for (std::uint64_t seed = 1; seed <= (whole ? 60U : fast ? 12U : 3U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    // A share of 0, 1, 2 or 3 envelopes; of bytes for none, or for a few messages.
    run_random(here, seed,
               {.engine = seed % 3 == 0 ? "list" : "adaptive",
                .eager_bytes = 1000,
                .unexpected_bytes = seed % 2 == 0 ? 0 : envelopes * 1500,
                .unexpected_envelopes = envelopes * (seed % 4)});
  }
}
