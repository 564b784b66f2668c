// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs of neighbours' collectives: graphs that hurt, overlapping teams, all forms, some
// under way together and beside other collectives, sizes from nothing to 1 MiB, every way that
// edges may travel. What comes is what the graph says. UPWASH_TEST_PROGRAMS=N,FIRST runs N of them
// from seed FIRST on, UPWASH_TEST_CALLS=N with as many calls each.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/neighborhood/random_graphs.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/values.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/region.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_all_to_all.hpp"
#include "upwash/neighborhood/neighbor_all_to_all_v.hpp"

namespace {

using namespace upwash;
using bytes_of = std::vector<unsigned char>;
using lengths = std::vector<std::uint64_t>;

/// What a call does, drawn alike by all members.
struct drawn_shape {
  enum class kind { gather, exchange, gather_uneven, exchange_uneven, exchange_anywhere };
  kind what = kind::gather;
  std::uint64_t each = 0;  ///< bytes of a block, at most where they differ
  std::uint64_t salt = 0;
  bool gaps = false;  ///< between blocks, where offsets say where they lie
  std::string scheme{};
  collective_options edges{};

  [[nodiscard]] bool is_gather() const {
    return what == kind::gather || what == kind::gather_uneven;
  }
  [[nodiscard]] bool is_uneven() const { return what != kind::gather && what != kind::exchange; }
  /// Of the block from one member to another, the number-th of several; the same for all in an
  /// all-gather.
  [[nodiscard]] std::uint64_t bits(int from, int to, std::uint64_t number) const {
    const auto origin = static_cast<std::uint64_t>(from);
    if (is_gather()) return random_bits(salt, origin, 0);
    return random_bits(salt, origin + 1, (static_cast<std::uint64_t>(to) << 32U) + number);
  }
  [[nodiscard]] std::uint64_t length(std::uint64_t bits) const {
    return is_uneven() ? bits % (std::min<std::uint64_t>(each, 20000) + 1) : each;
  }
};

void fill(std::span<unsigned char> block, std::uint64_t bits) {
  const std::uint64_t by = (bits >> 8U) | 1U;
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] = static_cast<unsigned char>((bits + i * by) >> 24U);
  }
}

/// One member's buffers of a call, which may be called in any form: what it does is the same each
/// time.
class drawn_call {
 public:
  drawn_call(const neighborhood& on, drawn_shape shape)
      : on_(&on), rank_(on.among().rank()), ranks_(on.among().size()), is_(std::move(shape)) {
    lay_out();
    own_in_.resize(sent_.end);
    own_out_.resize(received_.end);
    use(own_in_, own_out_);
  }
  /// In bytes, of the larger buffer.
  [[nodiscard]] std::uint64_t size() const { return std::max(sent_.end, received_.end); }
  /// From now on with these buffers.
  void use(std::span<unsigned char> in, std::span<unsigned char> out) {
    in_ = in.first(sent_.end);
    out_ = out.first(received_.end);
    std::vector<int> seen;
    std::ranges::fill(in_, 0x11);
    for (std::size_t i = 0; i < sent_.bytes.size(); ++i) {
      const int to = is_.is_gather() ? 0 : on_->destinations()[i];
      fill(block(in_, sent_, i), is_.bits(on_->among().rank(), to, number_of(seen, to)));
    }
    forget_results();
  }

  template <class... Form>
  auto call(Form... form) {
    using kind = drawn_shape::kind;
    const neighbor_options how{is_.scheme, is_.each, is_.edges};
    const neighbor_options uneven{is_.scheme, {}, is_.edges};
    const member_counts goes =
        is_.gaps ? member_counts(sent_.bytes, sent_.at) : member_counts(sent_.bytes);
    const member_counts comes =
        is_.gaps ? member_counts(received_.bytes, received_.at) : member_counts(received_.bytes);
    switch (is_.what) {
      case kind::gather: return neighbor_all_gather(*on_, form..., in_, out_, how);
      case kind::exchange: return neighbor_all_to_all(*on_, form..., in_, out_, how);
      case kind::gather_uneven:
        return neighbor_all_gather_v(*on_, form..., in_, out_, comes, uneven);
      case kind::exchange_uneven:
        return neighbor_all_to_all_v(*on_, form..., in_, goes, out_, comes, uneven);
      default: break;
    }
    std::vector<std::span<const std::byte>> blocks;
    std::vector<std::span<std::byte>> rooms;
    for (std::size_t i = 0; i < sent_.bytes.size(); ++i) {
      blocks.push_back(std::as_bytes(block(in_, sent_, i)));
    }
    for (std::size_t i = 0; i < received_.bytes.size(); ++i) {
      rooms.push_back(std::as_writable_bytes(block(out_, received_, i)));
    }
    return neighbor_all_to_all_w(*on_, form..., blocks, rooms, uneven);
  }

  void forget_results() { std::ranges::fill(out_, untouched); }
  void expect_results() const {
    ASSERT_TRUE(std::ranges::equal(out_, wanted_))
        << is_.scheme << ", kind " << static_cast<int>(is_.what) << ", " << is_.each
        << " bytes, member " << rank_ << " of " << ranks_;
  }

 private:
  struct block_list {
    lengths bytes{};
    lengths at{};
    std::uint64_t end = 0;
  };
  static constexpr unsigned char untouched = 0xee;

  void lay_out() {
    const int rank = on_->among().rank();
    std::vector<int> seen;
    for (const int to : on_->destinations()) {
      if (is_.is_gather()) break;
      add(sent_, is_.length(is_.bits(rank, to, number_of(seen, to))));
    }
    if (is_.is_gather()) add(sent_, is_.length(is_.bits(rank, 0, 0)));
    seen.clear();
    std::vector<std::uint64_t> bits;
    for (const int from : on_->sources()) {
      bits.push_back(is_.bits(from, rank, number_of(seen, from)));
      add(received_, is_.length(bits.back()));
    }
    wanted_.assign(received_.end, untouched);
    for (std::size_t i = 0; i < bits.size(); ++i) fill(block(wanted_, received_, i), bits[i]);
  }
  void add(block_list& to, std::uint64_t bytes) const {
    const bool gap = is_.gaps && (&to == &received_ || !is_.is_gather());
    if (gap) to.end += 1 + to.bytes.size() % 3;
    to.bytes.push_back(bytes);
    to.at.push_back(to.end);
    to.end += bytes;
  }
  static std::span<unsigned char> block(std::span<unsigned char> in, const block_list& of,
                                        std::size_t i) {
    return in.subspan(of.at[i], of.bytes[i]);
  }
  /// Which of several edges between the same two.
  static std::uint64_t number_of(std::vector<int>& seen, int peer) {
    seen.push_back(peer);
    return static_cast<std::uint64_t>(std::ranges::count(seen, peer)) - 1;
  }

  const neighborhood* on_;  ///< may be gone once the call is under way
  int rank_;
  int ranks_;
  drawn_shape is_;
  block_list sent_;
  block_list received_;
  bytes_of wanted_;
  bytes_of own_in_;  ///< these stay where they are when this moves
  bytes_of own_out_;
  std::span<unsigned char> in_;
  std::span<unsigned char> out_;
};

std::string drawn_scheme(const neighborhood& on, bool on_grid, random_stream& common) {
  std::vector<std::string> all{"best",
                               "best",
                               "direct",
                               "node_forward",
                               "node_pairs",
                               "halving",
                               "halving:ranks=0",
                               "friends:k=2",
                               "friends:k=3,aware=0,theta=1",
                               "friends:k=2,theta=1,cumulative=1",
                               "friends_staged:k=2,theta=1"};
  if (nodes_direct(on.among())) all.insert(all.end(), 2, "shared");
  if (on_grid) all.insert(all.end(), 2, "doubling");
  return all[common.below(all.size())];
}

drawn_shape drawn(const neighborhood& on, bool on_grid, random_stream& common) {
  constexpr std::uint64_t some[] = {0, 1, 8, 56, 57, 300, 1000, 4096, 5000, 20000};
  drawn_shape made{.what = static_cast<drawn_shape::kind>(common.below(5))};
  made.each = common.below(40) == 0 ? std::uint64_t{1} << (14 + common.below(7))
                                    : some[common.below(std::size(some))];
  made.salt = common.next();
  made.gaps = made.what == drawn_shape::kind::exchange_anywhere ||
              (made.is_uneven() && common.below(2) == 0);
  made.scheme = drawn_scheme(on, on_grid, common);
  if (common.below(4) == 0) made.edges.transfer = static_cast<mechanism>(common.below(5));
  if (common.below(6) == 0) made.edges.eager_bytes = common.below(3) * 100;
  if (common.below(8) == 0) made.edges.entry = sync_mode::all;
  if (common.below(8) == 0) made.edges.exit = sync_mode::all;
  return made;
}

/// Neighborhoods on overlapping teams, and what is under way on them.
class program {
 public:
  program(job& here, std::uint64_t seed)
      : common_(seed, static_cast<std::uint64_t>(here.size())),
        own_(seed, 1000 + static_cast<std::uint64_t>(here.rank())),
        area_(allocate(here.world(), 2 * half_area)) {
    const team& world = teams_.emplace_back(here.world());
    const int colours = 1 + static_cast<int>(common_.below(3));
    const team& part = teams_.emplace_back(world.split(here.rank() % colours, -here.rank()));
    for (const team* on : {&world, &part, &world}) {
      const process_graph graph = test::drawn_graph(on->size(), common_.next());
      const neighborhood_options how{common_.below(3) == 0 ? agree_by::puts : agree_by::messages};
      all_.push_back({neighborhood(*on, {graph.sources(on->rank()), graph.destinations(on->rank())},
                                   {}, how)});
    }
    const int dimensions = 1 + static_cast<int>(common_.below(3));
    const grid around = grid::balanced(world.size(), dimensions, common_.below(2) == 0);
    all_.push_back(
        {neighborhood::moore(world, around, 1 + static_cast<int>(common_.below(2))), true});
  }

  void run(std::uint64_t calls) {
    for (std::uint64_t call = 0; call < calls; ++call) {
      begin_call();
      if (common_.below(6) == 0) begin_in_any_order();
      if (common_.below(6) == 0) begin_and_drop();
      while (under_way_.size() > most_under_way) end_call(common_.below(under_way_.size()));
      if (common_.below(8) == 0) reduce();
      if (testing::Test::HasFatalFailure()) return;
    }
    while (!under_way_.empty()) end_call(common_.below(under_way_.size()));
    all_.clear();
    free(area_);
    teams_.back().release();
  }

 private:
  static constexpr std::size_t most_under_way = 5;
  static constexpr std::uint64_t half_area = std::uint64_t{64} << 10U;
  struct place {
    neighborhood on;
    bool on_grid = false;
  };
  struct started {
    drawn_call what;
    request end{};
  };

  void begin_call() {
    const place& at = all_[common_.below(all_.size())];
    drawn_shape shape = drawn(at.on, at.on_grid, common_);
    const std::uint64_t form = common_.below(6);
    if (form == 5) return call_in_region(at, std::move(shape));
    started& one = under_way_.emplace_back(started{drawn_call(at.on, std::move(shape))});
    if (form == 0) {
      one.what.call(blocking);
      end_call(under_way_.size() - 1);
    } else if (form == 1) {
      collective::persistent kept = one.what.call(persist);
      for (std::uint64_t again = common_.below(3); again > 0; --again) {
        kept.run();
        one.what.expect_results();
        one.what.forget_results();
      }
      one.end = kept.start();  // which outlives what began it
    } else {
      one.end = one.what.call();
    }
  }
  /// Whose buffers lie at the same offset at all members, so that each knows those of the others.
  void call_in_region(const place& at, drawn_shape shape) {
    using kind = drawn_shape::kind;
    if (shape.what == kind::exchange_anywhere) shape.what = kind::exchange_uneven;
    shape.edges.addresses = address_mode::single;
    drawn_call one(at.on, std::move(shape));
    const std::uint64_t own = one.size();
    std::uint64_t most_of_all = 0;
    all_reduce<most>(at.on.among(), blocking, std::span(&own, 1), std::span(&most_of_all, 1));
    if (most_of_all > half_area) return;
    const auto bytes = area_.mine_as<unsigned char>();
    one.use(bytes.first(half_area), bytes.subspan(half_area));
    one.call().wait();
    one.expect_results();
  }
  /// On several teams, by plans that are there already: each member begins them, and waits for
  /// them, in an order of its own.
  void begin_in_any_order() {
    std::vector<drawn_call> calls;
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {  // the world, and a part
      drawn_shape shape = drawn(all_[which].on, false, common_);
      shape.what = common_.below(2) == 0 ? drawn_shape::kind::gather : drawn_shape::kind::exchange;
      shape.gaps = false;
      shape.edges.entry = shape.edges.exit = sync_mode::mine;
      calls.emplace_back(all_[which].on, shape).call(blocking);
      calls.back().forget_results();
    }
    std::vector<request> ends(calls.size());
    const std::size_t first = own_.below(2);
    for (const std::size_t which : {first, 1 - first}) ends[which] = calls[which].call();
    const std::size_t sooner = own_.below(2);
    for (const std::size_t which : {sooner, 1 - sooner}) {
      ends[which].wait();
      calls[which].expect_results();
    }
  }
  /// On a neighborhood that is gone when the call ends, and so may its team be.
  void begin_and_drop() {
    const bool own_team = common_.below(2) == 0;
    team on = own_team ? teams_.front().split(0, -teams_.front().rank()) : teams_.back();
    std::vector<started> calls;
    {
      const process_graph graph = test::drawn_graph(on.size(), common_.next());
      const neighborhood dropped(on, {graph.sources(on.rank()), graph.destinations(on.rank())});
      for (std::uint64_t more = 1 + common_.below(3); more > 0; --more) {
        started& one =
            calls.emplace_back(started{drawn_call(dropped, drawn(dropped, false, common_))});
        one.end = one.what.call();
      }
    }
    if (own_team && common_.below(2) == 0) {
      on.release();
    } else {
      reduce();
    }
    while (!calls.empty()) {
      const auto at = calls.begin() + static_cast<std::ptrdiff_t>(own_.below(calls.size()));
      at->end.wait();
      at->what.expect_results();
      calls.erase(at);
    }
  }
  void end_call(std::uint64_t which) {
    const auto at = std::next(under_way_.begin(), static_cast<std::ptrdiff_t>(which));
    at->end.wait();
    at->what.expect_results();
    under_way_.erase(at);
  }
  void reduce() {
    const team& on = common_.below(2) == 0 ? teams_.front() : teams_.back();
    ASSERT_EQ(all_reduce<sum>(on, blocking, 1), on.size());
  }

  random_stream common_;  ///< the same at all members
  random_stream own_;     ///< another one at each
  region area_;
  std::list<team> teams_;
  std::vector<place> all_;
  std::list<started> under_way_;
};

/// N[,M] of the environment, or what stands there.
std::pair<std::uint64_t, std::uint64_t> asked(const char* name, std::uint64_t count,
                                              std::uint64_t first) {
  const char* text = std::getenv(name);
  if (text == nullptr) return {count, first};
  char* rest = nullptr;
  count = std::strtoull(text, &rest, 10);
  return {count, *rest == ',' ? std::strtoull(rest + 1, nullptr, 10) : first};
}

}  // namespace

JOB_TEST(neighborhood, random_programs_bring_what_the_graph_says, .most_ranks = 17) {
  const auto [programs, first] = asked("UPWASH_TEST_PROGRAMS", 2, 1);
  const auto [calls, unused] = asked("UPWASH_TEST_CALLS", 12, 0);
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE(fmt::format("program {}", seed));
    program(here, seed).run(calls);
  }
}
