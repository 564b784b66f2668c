// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls with 8 bytes of arguments to random objects, 1,000 for each rank, so that one in P is on
// the rank itself, or to those of other ranks: aggregated from ranks and from methods, and one by
// one. Rates are of all ranks together. Floor: a bare stream of the same items, whose handler adds
// to a word of a table. Every sample is checked.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bench/stream_common.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/aggregated.hpp"

namespace upwash::bench {
namespace {

constexpr int objects_a_rank = 1000;
constexpr std::size_t drawn_calls = std::size_t{1} << 16U;  ///< then again from the first

struct account : object<std::int32_t> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(sum);
  }
  void add(std::uint64_t what) { sum += what; }
  /// Calls so many objects; cheap numbers, as random as is needed.
  void call_others(std::uint64_t calls, std::uint64_t seed, std::uint64_t objects) {
    auto& adding = aggregated<&account::add>::of(*this);
    for (; calls > 0; --calls) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      adding[static_cast<std::int32_t>((seed >> 32U) * objects >> 32U)].send(1U);
    }
  }
  std::uint64_t sum = 0;
};

struct item {
  std::uint32_t at;
  std::uint32_t value[2];
};

struct destination {
  std::int32_t member;
  std::int32_t index;
};

class calls {
 public:
  explicit calls(context& c)
      : c_(c),
        objects_(objects_a_rank * c.size()),
        drawn_(drawn_calls),
        table_(static_cast<std::size_t>(objects_)),
        accounts_(c.here().world(), {.name = "accounts"}),
        adding_(accounts_),
        bare_(c.here().world(), add_up{&table_}) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(objects_));
    std::iota(all.begin(), all.end(), 0);
    accounts_.fill(all);
    draw_objects(false);
  }

  /// Whom calls go to: any, or those of other ranks.
  void draw_objects(bool others_only) {
    random_stream draw(31, static_cast<std::uint64_t>(c_.rank()));
    for (destination& each : drawn_) {
      do {
        each.index = static_cast<std::int32_t>(draw.below(static_cast<std::uint64_t>(objects_)));
        each.member = accounts_.by_hash(each.index, c_.size());
      } while (others_only && each.member == c_.rank());
    }
  }

  double aggregated_rate(long n) {
    return rate(n, [&] {
      for (long i = 0; i < n; ++i) adding_[at(i).index].send(1U);
    });
  }
  double rate_from_methods(long n) {
    return rate(n, [&] {
      std::uint64_t left = static_cast<std::uint64_t>(n);
      const std::uint64_t each = left / objects_a_rank + 1;
      for (int i = c_.rank(); left > 0; i += c_.size()) {
        const std::uint64_t some = std::min(left, each);
        accounts_[i % objects_].send<&account::call_others>(some, left * 977U,
                                                            static_cast<std::uint64_t>(objects_));
        left -= some;
      }
    });
  }
  double send_rate(long n) {
    return rate(n, [&] {
      for (long i = 0; i < n; ++i) accounts_[at(i).index].send<&account::add>(1U);
    });
  }
  double bare_rate(long n) {
    control::barrier(c_.here().world());
    const duration start = c_.here().now();
    for (long i = 0; i < n; ++i) {
      bare_.push(at(i).member, {static_cast<std::uint32_t>(at(i).index), {1, 0}});
    }
    bare_.finish();
    const double spent = (c_.here().now() - start).us();
    const std::uint64_t seen = std::accumulate(table_.begin(), table_.end(), std::uint64_t{0});
    std::fill(table_.begin(), table_.end(), 0);
    check("bare", n, seen);
    return static_cast<double>(n) * c_.size() / spent;
  }

 private:
  struct add_up {
    std::vector<std::uint64_t>* table;
    void operator()(const item& each) const { (*table)[each.at] += each.value[0]; }
  };

  [[nodiscard]] const destination& at(long i) const {
    return drawn_[static_cast<std::size_t>(i) % drawn_calls];
  }
  template <class Calls>
  double rate(long n, const Calls& make) {
    control::barrier(c_.here().world());
    const duration start = c_.here().now();
    make();
    accounts_.quiet();
    const double spent = (c_.here().now() - start).us();
    std::uint64_t seen = 0;
    accounts_.for_each_here([&](account& one) { seen += std::exchange(one.sum, 0); });
    check("objects", n, seen);
    return static_cast<double>(n) * c_.size() / spent;
  }
  void check(std::string_view what, long n, std::uint64_t seen) {
    verify_equal(c_, what, sum_of_all(c_, seen), sum_of_all(c_, static_cast<std::uint64_t>(n)));
  }

  context& c_;
  std::int32_t objects_;
  std::vector<destination> drawn_;
  std::vector<std::uint64_t> table_;
  object_array<account> accounts_;
  aggregated<&account::add> adding_;
  stream<item, add_up> bare_;
};

}  // namespace

void object_calls(context& c) {
  calls all(c);
  const auto row = [&](const char* label, double (calls::*rate)(long)) {
    c.compare(
        {label, sizeof(std::uint64_t), "M/s", true}, [&](long n) { return (all.*rate)(n); },
        [&](long n) { return all.bare_rate(n); });
  };
  row("aggregated", &calls::aggregated_rate);
  row("from methods", &calls::rate_from_methods);
  row("send", &calls::send_rate);
  if (c.size() == 1) return;
  all.draw_objects(true);
  row("to other ranks", &calls::aggregated_rate);
}

}  // namespace upwash::bench
