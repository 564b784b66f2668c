// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/foreign/foreign_bootstrap.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <random>
#include <string_view>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/conduit/foreign/detail/exit_watch.hpp"
#include "upwash/conduit/foreign/detail/start_watch.hpp"

namespace upwash::conduit::foreign {

/// What processes tell each other first.
struct introduction {
  node_identity node;
  watched_process process;
  std::uint64_t job = 0;  ///< what the first one calls the job
};

namespace {

constexpr int max_named = 8;  // of the missing processes in an error
/// The first process speaks for all that wait alike: its launcher ends the others meanwhile.
const duration time_for_first = duration::from_seconds(1);
/// The others wait so much longer than the first, which knows who is missing.
const duration time_to_name = duration::from_seconds(2);

void nap(int turn) {
  // Start-up waits for processes that are still being started: the core is better theirs.
  if (turn < 64) {
    sched_yield();
  } else {
    const timespec pause{0, 50'000};
    nanosleep(&pause, nullptr);
  }
}

/// Of a text like "2,1,2"; what is no number is 0.
std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> all;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    std::from_chars(one.data(), one.data() + one.size(), all.emplace_back(0));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
  }
  return all;
}

rank_layout layout_of(int processes, const settings& values) {
  const int per_process = values.count("ranks_per_process");
  if (per_process > most_ranks / processes) {
    throw error(error_kind::configuration,
                fmt::format("ranks_per_process={}: a job has at most {} ranks, and this one has {} "
                            "processes (UPWASH_RANKS_PER_PROCESS)",
                            per_process, most_ranks, processes));
  }
  const std::vector<int> told = numbers_of(values.text("boot_ranks"));
  if (told.size() < 2) {
    return rank_layout::even(told.empty() ? processes * per_process : told[0], processes);
  }
  if (told.size() == static_cast<std::size_t>(processes)) return rank_layout(told);
  throw error(error_kind::configuration,
              fmt::format("the launcher has started {} processes where upwash run asked for {} "
                          "(UPWASH_BOOT_RANKS={})",
                          processes, told.size(), values.text("boot_ranks")));
}

std::uint64_t job_of_first() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32U | chance();
}

/// Of processes begin to end - 1.
std::string name_of(const rank_layout& layout, int begin, int end) {
  const int first = layout.first_of(begin);
  const int last = layout.first_of(end) - 1;
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
}

std::string name_of(const rank_layout& layout, int process) {
  return name_of(layout, process, process + 1);
}

void enter(foreign_engine& engine, const announcement& said, duration limit) {
  const start_watch watch(
      said.rank == 0 ? limit : limit + time_for_first,
      fmt::format("the knob start_timeout has passed while rank {} of {} of {} was in {}: not all "
                  "processes have come there (start_timeout {:g} s, UPWASH_START_TIMEOUT)",
                  said.rank, said.size, engine.title(), engine.entering(), limit.seconds()));
  std::string why;
  if (!engine.enter(why)) {
    throw error(error_kind::fault, fmt::format("cannot enter {}: {}", engine.title(), why));
  }
  if (engine.size() == 1 && said.size > 1) {
    throw error(error_kind::environment,
                fmt::format("{} started {} processes, but {} knows of one only; is it the launcher "
                            "of another installation?",
                            said.launcher, said.size, engine.version()));
  }
}

}  // namespace

foreign_bootstrap::foreign_bootstrap(exit_watch& watch, const settings& values)
    : watch_(watch),
      engine_(watch.engine()),
      start_timeout_(values.time("start_timeout")),
      layout_(layout_of(engine_.size(), values)) {
  const int count = engine_.size();
  process_ = engine_.rank();  // until they are numbered
  const introduction mine{this_node(), watch.show_self(), job_of_first()};
  std::vector<introduction> all(static_cast<std::size_t>(count));
  gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::vector<node_identity> nodes;
  for (const introduction& each : all) nodes.push_back(each.node);
  order_ = order_by_node(nodes);
  while (order_.ranks[static_cast<std::size_t>(process_)] != engine_.rank()) {
    process_ = process_ + 1 == count ? 0 : process_ + 1;
  }
  watch_.set_names(fmt::format("foreign-{:x}", all.front().job), name_of(layout_, process_));
  log(log_level::info, "launch",
      fmt::format("process {} of {} (rank {} of {}), on node {} of {}", process_, count,
                  engine_.rank(), engine_.title(), node_of(process_), order_.hosts.size()));
  watch_neighbor(all);
  const duration host_timeout = values.time("host_timeout");
  if (order_.hosts.size() > 1 && host_timeout > duration{}) watch_hosts(all, host_timeout);
}

foreign_bootstrap::~foreign_bootstrap() { watch_.set_board(nullptr); }

/// The first, and the one behind the last.
std::pair<int, int> foreign_bootstrap::processes_of(int node) const {
  const auto [first, last] = std::ranges::equal_range(order_.nodes, node);
  return {static_cast<int>(first - order_.nodes.begin()),
          static_cast<int>(last - order_.nodes.begin())};
}

/// `of`: by the launcher's ranks. The next of the node, and the first behind the last.
void foreign_bootstrap::watch_neighbor(std::span<const introduction> of) {
  const auto [begin, end] = processes_of(node_of(process_));
  const int next = process_ + 1 == end ? begin : process_ + 1;
  if (next == process_) return;
  const auto rank = static_cast<std::size_t>(order_.ranks[static_cast<std::size_t>(next)]);
  const bool alone = order_.hosts.size() == 1;
  watch_.watch(of[rank].process, name_of(layout_, next),
               alone ? std::string() : fmt::format(" on host {}", host_of(node_of(process_))));
}

/// The first process of each host watches for it. `of`: by the launcher's ranks.
void foreign_bootstrap::watch_hosts(std::span<const introduction> of, duration limit) {
  const int host = node_of(process_);
  const auto [begin, end] = processes_of(host);
  const auto rank_of = [this](int process) {
    return static_cast<std::size_t>(order_.ranks[static_cast<std::size_t>(process)]);
  };
  meeting_place own;
  if (process_ == begin) {
    std::vector<watched_process> here;
    for (int p = begin; p < end; ++p) here.push_back(of[rank_of(p)].process);
    own = watch_.watch_hosts(host, static_cast<int>(order_.hosts.size()), limit, std::move(here));
  }
  std::vector<meeting_place> all(of.size());
  gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (process_ != begin) return;
  watch_.hosts().begin(
      [&](int which) -> const meeting_place& { return all[rank_of(processes_of(which).first)]; },
      [&](int which) {
        const auto [first, last] = processes_of(which);
        return fmt::format("host {}, {},", host_of(which), name_of(layout_, first, last));
      });
}

void foreign_bootstrap::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const duration limit = engine_.rank() == 0 ? start_timeout_ : start_timeout_ + time_to_name;
  const duration start = steady_now();
  engine_.begin_gather(mine, all);
  std::string why;
  for (int turn = 0;; ++turn) {
    const progress now = engine_.advance_gather(why);
    if (now == progress::done) return;
    if (now == progress::failed) {
      throw error(error_kind::fault,
                  fmt::format("process {} of {}: {}", process_, process_count(), why));
    }
    if (steady_now() - start > limit) missing();
    nap(turn);
  }
}

void foreign_bootstrap::missing() const {
  const std::vector<int> ranks = engine_.missing();
  std::string names;
  for (std::size_t i = 0; i < ranks.size() && i < max_named; ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  }
  if (ranks.size() > max_named) names += fmt::format(" and {} more", ranks.size() - max_named);
  throw error(error_kind::fault,
              fmt::format("the knob start_timeout has passed while rank {} of {} of {} waited for "
                          "{}{} (start_timeout {:g} s, UPWASH_START_TIMEOUT)",
                          engine_.rank(), process_count(), engine_.title(),
                          ranks.empty() ? "others" : "rank ", names, start_timeout_.seconds()));
}

void foreign_bootstrap::exchange(std::span<const std::byte> mine, std::span<std::byte> all) {
  const auto count = static_cast<std::size_t>(process_count());
  if (mine.size() > max_blob_bytes || all.size() != mine.size() * count) {
    throw error(error_kind::argument,
                fmt::format("exchange of {} bytes into {} for {} processes; at most {} a process",
                            mine.size(), all.size(), count, max_blob_bytes));
  }
  by_rank_.resize(all.size());
  gather(mine, by_rank_);
  for (std::size_t p = 0; p < count && !mine.empty(); ++p) {
    std::memcpy(all.data() + p * mine.size(),
                by_rank_.data() + static_cast<std::size_t>(order_.ranks[p]) * mine.size(),
                mine.size());
  }
}

void foreign_bootstrap::finished() noexcept {
  watch_.left();
  if (board_) board_->finished();
  engine_.leave();
}

void foreign_bootstrap::tell(std::unique_ptr<launcher_board> at) noexcept {
  board_ = std::move(at);
  watch_.set_board(board_.get());
}

void foreign_bootstrap::abort(int rank, int status, std::string_view why) noexcept {
  watch_.end_job(rank, status, why);
}

void foreign_bootstrap::desert(int rank, std::string_view why) noexcept {
  watch_.end_job_soon(rank, why);
}

std::unique_ptr<foreign_bootstrap> join(std::unique_ptr<foreign_engine> engine,
                                        const announcement& said, const settings& values) {
  enter(*engine, said, values.time("start_timeout"));
  exit_watch& watch = exit_watch::make(std::move(engine));
  try {
    return std::make_unique<foreign_bootstrap>(watch, values);
  } catch (const error& failure) {
    watch.end_job(-1, failure.exit_status(), failure.what());
  }
}

}  // namespace upwash::conduit::foreign
