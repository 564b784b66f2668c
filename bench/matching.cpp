// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash bench matching`: what a search costs in every engine and partition, beside a single list
// (MPICH's store) sampled in turn in the same run. Entries lie scattered in memory, as requests do
// after a while. Real time, whatever the conduit.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/bench.hpp"
#include "bench/matching_patterns.hpp"
#include "bench/matching_replay.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/base/random.hpp"

namespace upwash::bench {
namespace {

using matching::entry;
using matching::store;

struct combination {
  std::string_view engine;
  std::string_view partition;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A store of one combination and its traffic.
class trial {
 public:
  trial(const combination& which, const workload& w)
      : of_(matching::make_store(which.engine, which.partition, w.on, w.shape)),
        memory_(w.inserted.size()),
        load_(w) {
    random_stream draw(7, 0);
    for (auto& each : memory_) entries_.push_back(&each);
    for (std::size_t i = entries_.size(); i > 1; --i) {
      std::swap(entries_[i - 1], entries_[draw.below(i)]);
    }
    fill();
    bytes_per_entry_ =
        static_cast<double>(of_->describe().bytes) / static_cast<double>(memory_.size()) +
        static_cast<double>(sizeof(entry));
    if (!w.cycle) drain();
  }

  /// ns for a search with removal (last: and insertion): the median of short runs that take
  /// `seconds` together, so that one in which the processor was taken away does not count.
  double sample(double seconds) {
    std::vector<double> runs;
    double spent = 0;
    do {
      if (load_.cold) empty_caches();
      const double run = load_.cycle ? cycle() : (fill(), drain());
      runs.push_back(run * 1e9 / static_cast<double>(load_.sought.size()));
      spent += run;
    } while (spent < seconds);
    searched_ns_ += spent * 1e9;
    return median(std::move(runs));
  }

  [[nodiscard]] matching::division describe() const { return of_->describe(); }
  [[nodiscard]] double traversals() const {
    const auto spent = of_->spent();
    return static_cast<double>(spent.traversals) / static_cast<double>(spent.searches);
  }
  [[nodiscard]] double bytes_per_entry() const { return bytes_per_entry_; }
  /// Time spent on choosing partners and queues, of that of searches.
  [[nodiscard]] double overhead_share() const {
    return static_cast<double>(of_->describe().managing_ns) / searched_ns_;
  }

 private:
  /// Reads more than the caches hold.
  static void empty_caches() {
    constexpr std::size_t line = 64;
    static const std::vector<std::byte> large(std::size_t{96} << 20U, std::byte{1});
    volatile std::byte sink{};
    for (std::size_t i = 0; i < large.size(); i += line) sink = large[i];
    static_cast<void>(sink);
  }
  void fill() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i]->what = load_.inserted[i];
      of_->insert(*entries_[i]);
    }
  }
  double drain() {
    const duration start = steady_now();
    for (const auto& wanted : load_.sought) {
      if (of_->take(wanted) == nullptr) std::abort();  // a store that loses entries
    }
    return (steady_now() - start).seconds();
  }
  double cycle() {
    const duration start = steady_now();
    for (const auto& wanted : load_.sought) of_->insert(*of_->take(wanted));
    return (steady_now() - start).seconds();
  }

  std::unique_ptr<store> of_;
  std::vector<entry> memory_;
  std::vector<entry*> entries_;
  const workload& load_;
  double bytes_per_entry_ = 0;
  double searched_ns_ = 0;
};

struct result {
  combination which;
  const workload* load;
  std::vector<double> ns;
  std::vector<double> gains;  ///< list / this, sample by sample
  const trial* run;
};

void print_json(const result& r) {
  const auto made = r.run->describe();
  const nlohmann::ordered_json out{
      {"bench", "matching"},
      {"engine", r.which.engine},
      {"partition", r.which.partition},
      {"pattern", r.load->pattern},
      {"side", r.load->on == matching::side::posted ? "posted" : "unexpected"},
      {"depth", r.load->inserted.size()},
      {"sources", r.load->sources},
      {"wildcard_share", r.load->wild},
      {"unit", "ns"},
      {"n", r.ns.size()},
      {"ns", median(r.ns)},
      {"min", *std::min_element(r.ns.begin(), r.ns.end())},
      {"max", *std::max_element(r.ns.begin(), r.ns.end())},
      {"ratio_to_list", median(r.gains)},
      {"traversals", r.run->traversals()},
      {"bytes_per_entry", r.run->bytes_per_entry()},
      {"queues", made.queues},
      {"levels", made.levels},
      {"partners", made.partners},
      {"overhead_share", r.run->overhead_share()}};
  fmt::print("{}\n", out.dump());
}

void print_text(const result& r) {
  const auto made = r.run->describe();
  fmt::print(
      "{:<21} {:<10} {:>6} {:>5} {:>5.2f} {:<13} {:<15} {:>10.1f} {:>9.1f} {:>9.1f} {:>6.0f} "
      "{:>6} {:>6}\n",
      r.load->pattern, r.load->on == matching::side::posted ? "posted" : "unexpected",
      r.load->inserted.size(), r.load->sources, r.load->wild, r.which.engine, r.which.partition,
      median(r.ns), median(r.gains), r.run->traversals(), r.run->bytes_per_entry(), made.queues,
      made.partners);
}

void print_header() {
  fmt::print(
      "# upwash bench matching: a search with its removal (last: and insertion), warm (last_cold: "
      "cold)\n");
  fmt::print(
      "# {:<19} {:<10} {:>6} {:>5} {:>5} {:<13} {:<15} {:>10} {:>9} {:>9} {:>6} {:>6} {:>6}\n",
      "Pattern", "Side", "Depth", "From", "Wild", "Engine", "Partition", "ns", "Gain", "Looks",
      "B/entr", "Queues", "Partnr");
}

/// The whole run: which combinations, and how they are sampled and printed.
class runner {
 public:
  explicit runner(context& c) : chosen_(c.chosen()) {
    const auto slash = chosen_.algorithm.find('/');
    only_engine_ = chosen_.algorithm.substr(0, slash);
    if (slash != std::string::npos) only_partition_ = chosen_.algorithm.substr(slash + 1);
    if (!chosen_.algorithm.empty()) {  // says which there are, if this is none
      (void)matching::make_store(only_engine_, only_partition_.empty() ? "single" : only_partition_,
                                 matching::side::posted, {});
    }
  }

  void every_engine(const workload& w) {
    for (const auto engine : matching::engine_names()) run({engine, "single"}, w);
  }
  void every_partition(const workload& w) {
    for (const std::string_view engine : {"list", "adaptive"}) {
      for (const auto partition : matching::partition_names()) run({engine, partition}, w);
    }
  }

  void run(const combination& which, const workload& w) {
    if (!only_engine_.empty() && which.engine != only_engine_) return;
    if (!only_partition_.empty() && which.partition != only_partition_) return;
    trial mine(which, w);
    trial list({"list", "single"}, w);
    result r{which, &w, {}, {}, &mine};
    (void)mine.sample(0);  // the first drain teaches the partitions that learn
    for (int i = 0; i < samples; ++i) {
      const double own = mine.sample(chosen_.sample_seconds / 4);
      r.ns.push_back(own);
      r.gains.push_back(list.sample(chosen_.sample_seconds / 4) / own);
    }
    if (chosen_.json) return print_json(r);
    if (!std::exchange(printed_, true)) print_header();
    print_text(r);
  }

 private:
  static constexpr int samples = 7;
  const options& chosen_;
  std::string only_engine_;
  std::string only_partition_;
  bool printed_ = false;
};

}  // namespace

void matching_stores(context& c) {
  if (c.rank() != 0) return;
  if (!c.chosen().replay.empty()) return replay_matching(c.chosen().replay, c.chosen().json);
  using matching::side;
  runner all(c);
  constexpr std::uint64_t depths[] = {1, 4, 16, 64, 256, 1024, 4096, 16'384};
  constexpr std::uint64_t drained[] = {64, 1024, 4096};
  for (const side on : {side::posted, side::unexpected}) {
    for (const std::uint64_t depth : c.sizes(depths)) {
      for (const double wild : {0.0, 0.01, 0.1, 0.5}) {
        all.every_engine(search("last", on, static_cast<std::uint32_t>(depth), 64, wild));
      }
    }
  }
  for (const std::uint64_t depth : c.sizes(depths)) {
    for (const double wild : {0.0, 0.5}) {
      all.every_engine(
          search("last_cold", side::posted, static_cast<std::uint32_t>(depth), 64, wild));
    }
  }
  for (const std::string_view order : search_orders().subspan(1)) {
    for (const std::uint64_t depth : c.sizes(drained)) {
      for (const double wild : {0.0, 0.5}) {
        all.every_engine(
            search(order, side::unexpected, static_cast<std::uint32_t>(depth), 64, wild));
      }
    }
  }
  for (std::uint32_t clustering = 0; clustering <= 8; ++clustering) {
    const workload w = groups(clustering);
    all.run({"list", "clustered_means"}, w);
  }
  for (const std::string_view name : applications()) {
    for (const double wild : {0.0, 0.01, 0.1, 0.5}) {
      all.every_partition(application(name, side::posted, 1024, wild));
    }
  }
}

}  // namespace upwash::bench
