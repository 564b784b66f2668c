// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/phold/run.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "apps/common/program.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/values.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/core/control.hpp"
#include "upwash/objects/aggregated.hpp"
#include "upwash/objects/object_array.hpp"

namespace phold {
namespace {

/// What processes on all ranks know of the run.
struct setting {
  model of;
  int wander = 0;
  bool aggregated = false;
  upwash::duration event_time;
};

class logical_process final : public upwash::object<std::int32_t> {
 public:
  using object::object;
  logical_process(const site& at, const setting& with)
      : object(at), with_(with), is_(with.of, index()) {}

  template <class Archive>
  void serialize(Archive& archive) {
    archive(with_, is_, windows_);
  }

  void take(const event& one) { is_.take(one); }
  void run_window(double until) {
    while (is_.next_time() < until) {
      const event made = is_.happen(with_.of);
      here().compute(with_.event_time);
      if (made.at == index()) {
        is_.take(made);
      } else if (with_.aggregated) {
        upwash::aggregated<&logical_process::take>::of(*this)[made.at].send(made);
      } else {
        upwash::object_view<logical_process>(*this)[made.at].send<&logical_process::take>(made);
      }
    }
    ++windows_;
    if (with_.wander > 0 && windows_ % with_.wander == index() % with_.wander) go_somewhere();
  }
  [[nodiscard]] const process& is() const noexcept { return is_; }

 private:
  void go_somewhere() {
    const auto at = static_cast<std::uint64_t>(index());
    const auto drawn = upwash::random_bits(77, at, static_cast<std::uint64_t>(windows_));
    migrate_to(static_cast<int>(drawn % static_cast<std::uint64_t>(here().size())));
  }

  setting with_;
  process is_;
  int windows_ = 0;
};

using processes = upwash::object_array<logical_process>;

/// Of all pending events.
double first_time(processes& all) {
  double first = std::numeric_limits<double>::max();
  all.for_each_here(
      [&](const logical_process& one) { first = std::min(first, one.is().next_time()); });
  return upwash::all_reduce<upwash::least>(all.members(), upwash::blocking, first);
}

int run_windows(upwash::job& here, processes& all, const model& of) {
  for (int windows = 0;; ++windows) {
    const double first = first_time(all);
    if (first >= of.end) return windows;
    const double until = std::min(first + of.lookahead, of.end);
    if (here.rank() == 0) all.broadcast<&logical_process::run_window>(until);
    all.quiet();
  }
}

}  // namespace

const std::vector<std::string>& ways() {
  static const std::vector<std::string> all{"direct", "aggregated", "aggregated2d"};
  return all;
}

timed_outcome run_by_objects(upwash::job& here, const settings& chosen) {
  const auto count = static_cast<std::uint64_t>(chosen.of.processes);
  const setting with{chosen.of, chosen.wander, chosen.way != "direct", chosen.event_time};
  processes all(here.world(), {.name = "processes"}, upwash::in_blocks<std::int32_t>({count}));
  all.fill(upwash::all_indices<std::int32_t>({count}), with);
  std::optional<upwash::aggregated<&logical_process::take>> events;
  if (with.aggregated) {
    events.emplace(all, upwash::stream_options{.dimensions = chosen.way == "aggregated2d" ? 2 : 1,
                                               .buffer_bytes = chosen.buffer_bytes});
  }
  const std::uint64_t sent = here.counters().messages_sent;
  upwash::control::barrier(here.world());
  const auto begin = here.now();
  timed_outcome done;
  done.is.windows = run_windows(here, all, chosen.of);
  done.time = apps::slowest(here, here.now() - begin);
  done.messages = apps::total(here, here.counters().messages_sent - sent);
  std::uint64_t happened = 0;
  std::uint64_t mark = 0;
  all.for_each_here([&](const logical_process& one) {
    happened += one.is().happened();
    mark += one.is().mark();
  });
  done.is.events = apps::total(here, happened);
  done.is.mark = apps::total(here, mark);
  return done;
}

}  // namespace phold
