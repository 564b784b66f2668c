// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The micro-benchmarks: what one is, the explicit table of all, and the context that samples,
// tags and prints. Every number comes with the floor of the machine, measured in the same run
// between the same ranks, sample by sample in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/idle_clock.hpp"
#include "upwash/tuning/placement_probe.hpp"
#include "upwash/upwash.hpp"

namespace upwash::bench {

struct options {
  bool json = false;
  int samples = 40;
  double sample_seconds = 0.004;       ///< aimed length of one sample
  std::vector<std::uint64_t> bytes{};  ///< sizes to run; empty: the bench's own
  int pairs = 1;                       ///< multi-ping: pairs of ranks that talk at once
  std::string replay{};                ///< matching: a recorded trace instead of its patterns
  std::string graph{};                 ///< stream-unionfind: a matrix; empty: the project's
  int degree = 0;                      ///< neighbor-send, fences: 0: several
  std::string algorithm{};             ///< collectives: NAME[:key=value,...]; matching:
                                       ///< ENGINE[/PARTITION]; streams: a setting
                                       ///< (stream_common.hpp); onesided: a part; empty: each
};

/// Where the cores of the first two ranks lay during a sample. Virtual machines move them.
using placement_tag = tuning::placement;

/// One series: a size and what is measured there.
struct series {
  std::string label;  ///< variant within the bench; may be empty
  std::uint64_t bytes = 0;
  std::string unit;  ///< "us", "ns", "M/s", "GB/s"
  bool more_is_better = false;
};

/// One printed row.
struct row {
  series what;
  placement_tag tag = placement_tag::near;
  std::size_t n = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double floor = 0;  ///< median; 0: none
  double ratio = 0;  ///< median of the samples' value / floor (floor / value for rates)
  double cpu = 0;    ///< processor time of rank 0 for one operation, in the row's unit; 0: none
};

/// Runs `iterations` operations on all ranks and returns the value in the series' unit; what
/// rank 0 returns counts.
using measurement = function_ref<double(long iterations)>;

class context {
 public:
  context(job& here, std::string_view bench, const options& chosen);
  ~context();
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  [[nodiscard]] job& here() const noexcept { return here_; }
  [[nodiscard]] int rank() const noexcept { return here_.rank(); }
  [[nodiscard]] int size() const noexcept { return here_.size(); }
  [[nodiscard]] const options& chosen() const noexcept { return chosen_; }
  [[nodiscard]] std::vector<std::uint64_t> sizes(std::span<const std::uint64_t> own) const;
  [[nodiscard]] bool simulated() const noexcept { return simulated_; }
  /// Whether ranks share cores: then waiting yields, in the floors too.
  [[nodiscard]] bool oversubscribed() const noexcept { return probe_.oversubscribed(); }

  /// Samples `value` and `floor` in turn, drops samples during which the cores moved, and prints
  /// a row for each placement seen. Collective.
  void compare(const series& what, measurement value, measurement floor);
  /// Beside a value that is known, in the floor's place.
  void hold_to(double bound, const series& what, measurement value);
  /// Without a floor; also the above, where ranks do not load and store each other's memory.
  void measure(const series& what, measurement value);

  /// Seconds for which this rank idled in waits since the start.
  [[nodiscard]] double idle_seconds() const noexcept;
  /// Processor seconds for one operation of the last sample: a bench may set it.
  void set_cpu(double per_operation) noexcept { cpu_ = per_operation; }

  /// Waits in floors: spins, or yields where ranks share cores.
  void relax() { probe_.relax(); }
  /// Scratch words of this rank and of rank `peer`, a line apart, directly addressable.
  [[nodiscard]] std::uint64_t* words(int peer);

 private:
  struct sample {
    placement_tag tag;
    double value;
    double floor;
    double cpu;
  };
  long calibrate(measurement value);
  void collect(const series& what, measurement value, const measurement* floor, double known = 0);
  void print_rows(const series& what, std::span<const sample> samples, bool has_floor);
  void print(const row& line);

  job& here_;
  std::string bench_;
  options chosen_;
  bool simulated_;
  bool has_floors_;  ///< they touch other ranks' memory directly
  tuning::placement_probe probe_;
  bool printed_header_ = false;
  double cpu_ = 0;
  region scratch_;
  std::unique_ptr<idle_clock> idles_;
};

struct entry {
  std::string_view name;
  std::string_view doc;
  int least_ranks;
  int default_ranks;
  void (*run)(context&);
};

/// Every bench, in the order of `upwash bench --list`.
[[nodiscard]] std::span<const entry> table();
[[nodiscard]] const entry* find(std::string_view name);

// The benches.
void am_latency(context& c);
void am_rate(context& c);
void multi_ping(context& c);
void put_latency(context& c);
void put_rate(context& c);
void put_bandwidth(context& c);
void get_latency(context& c);
void get_bandwidth(context& c);
void copy_bandwidth(context& c);
void atomic_latency(context& c);
void barrier(context& c);
void onesided(context& c);
void broadcast(context& c);
void all_gather(context& c);
void all_to_all(context& c);
void neighbor_send(context& c);
void neighbor_plans(context& c);
void neighbor_forms(context& c);
void all_reduce(context& c);
void scan(context& c);
void reduce(context& c);
void gather(context& c);
void scatter(context& c);
void overlap(context& c);
void many_in_flight(context& c);
void adapt(context& c);
void matching_stores(context& c);
void matched(context& c);
void messages(context& c);
void stream_records(context& c);
void stream_typed(context& c);
void stream_variable(context& c);
void stream_histogram(context& c);
void stream_index_gather(context& c);
void stream_chain(context& c);
void stream_pair(context& c);
void stream_pushed(context& c);
void object_calls(context& c);
void object_latency(context& c);
void object_all_to_all(context& c);
void stream_two_way(context& c);
void stream_acknowledged(context& c);
void stream_synthetic(context& c);
void stream_neighbors(context& c);
void stream_ring(context& c);
void stream_all_to_all(context& c);
void stream_phold(context& c);
void stream_random_access(context& c);
void stream_union_find(context& c);
void stream_auto(context& c);

}  // namespace upwash::bench
