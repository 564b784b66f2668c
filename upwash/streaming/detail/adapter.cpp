// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/observe/trace_writer.hpp"
#include "upwash/observe/traced_choice.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

constexpr int least_grid = 4;              ///< members: fewer have no other ways
constexpr int sampled = 8;                 ///< items of a message
constexpr std::uint64_t looks_every = 64;  ///< messages: so often a phase under way is looked at
constexpr std::size_t most_direct_ways = 16;
constexpr double enough = 4;  ///< samples for each destination: then they are forgotten

/// A laptop's: messages are cheap, so they are what matters least.
constexpr model::stream_prices unknown_machine{
    .port = {2.5, 0.02}, .processor = {10, 0}, .latency = 56, .item = 1, .copy = 0.016};

stream_kind kind_of(const engine& of) {
  const team& among = of.among();
  const conduit::endpoint& where = host(among.here()).endpoint();
  const auto node = [&](int member) { return where.place(among.world_rank(member)).node; };
  int together = 1;
  while (together < among.size() && node(together) == node(0)) ++together;
  return {std::string(of.options().label), among.size(), together, of.record_bytes()};
}

policy make_policy(const engine& of, const installation& with, const stream_kind& kind) {
  const stream_options& asked = of.options();
  const parameters& start = of.current();
  policy_facts facts{.ranks = of.among().size(),
                     .prices = unknown_machine,
                     .message_bytes = start.effective_bytes,
                     .record_bytes = of.record_bytes(),
                     .memory = asked.memory,
                     .sure = host(of.among().here()).endpoint().describe().virtual_time};
  if (with.prices != nullptr && with.prices->among(facts.ranks)) {
    facts.prices = *with.prices->among(facts.ranks);
  }
  policy_wishes wishes{.timeout = asked.timeout, .latency_cost = std::max(asked.latency_cost, 0.0)};
  if (asked.dimensions != 0 || asked.ordered) wishes.dimensions = start.dimensions;
  if (asked.buffer_bytes != stream_options::automatic) {
    wishes.effective_bytes = start.effective_bytes;
    wishes.cutoff_bytes = std::max<std::size_t>(start.cutoff_bytes, 1);
  }
  std::optional<traffic> known;
  if (with.memory != nullptr) {
    if (const auto found = with.memory->recall(kind)) known = found->seen;
  }
  return policy(facts, wishes, start, known);
}

}  // namespace

const std::optional<model::stream_prices>& price_list::among(int ranks) {
  if (std::exchange(ranks_, ranks) == ranks) return prices_;
  prices_.reset();
  try {
    prices_ = model::stream_prices_of(load_machine(name_), ranks);
  } catch (const error& wrong) {
    log(log_level::info, "streaming",
        fmt::format("streams set themselves by a laptop's prices: {}", wrong.what()));
  }
  return prices_;
}

void distinct_count::add(int member) {
  auto bit = seen_[static_cast<std::size_t>(member)];
  if (!bit) ++different_;
  bit = true;
  ++drawn_;
}

void distinct_count::clear() {
  seen_.assign(seen_.size(), false);
  different_ = drawn_ = 0;
}

/// D (1 - exp(-drawn / D)) different ones are expected. With some less than were seen, few that are
/// all different are no sign of very many.
double distinct_count::estimate() const {
  constexpr double doubt = 0.7;
  const auto most = static_cast<double>(seen_.size());
  const double seen = std::max(different_ - doubt, 0.0);
  const auto expected = [&](double all) { return all * (1 - std::exp(-drawn_ / all)); };
  if (expected(most) <= seen) return most;
  double low = std::max(different_, 1.0);
  double high = most;
  while (high - low > 0.1) {
    const double middle = (low + high) / 2;
    (expected(middle) < seen ? low : high) = middle;
  }
  return high;
}

void frequent::add(int member, std::uint64_t times) {
  const auto mine = std::find_if(all_.begin(), all_.end(), [&](const one& each) {
    return each.member == member && each.count != 0;
  });
  if (mine != all_.end()) {
    mine->count += times;
    return;
  }
  const auto least = std::min_element(all_.begin(), all_.end(),
                                      [](const one& a, const one& b) { return a.count < b.count; });
  const std::uint64_t gone = std::min(least->count, times);
  for (one& each : all_) each.count -= gone;
  if (times > gone) *least = {member, times - gone};
}

bool adapter::wanted_by(const engine& of) {
  const stream_options& asked = of.options();
  if (asked.shared_buffers) return false;
  const bool ways = asked.dimensions == 0 && !asked.ordered;
  if (asked.latency_cost != 0 || host(of.among().here()).endpoint().describe().virtual_time) {
    return of.among().size() > 1 && (ways || asked.buffer_bytes == stream_options::automatic);
  }
  return ways && of.among().size() >= least_grid;  // sizes stay
}

adapter::adapter(engine& of, const installation& with)
    : of_(of),
      memory_(with.memory),
      kind_(kind_of(of)),
      policy_(make_policy(of, with, kind_)),
      destinations_(of.among().size()) {
  const parameters& start = of.current();
  const bool learned = start.dimensions != policy_.now().dimensions ||
                       start.effective_bytes != policy_.now().effective_bytes ||
                       start.cutoff_bytes != policy_.now().cutoff_bytes;
  if (learned) apply();
  if (of.options().latency_cost == stream_options::measured) {
    idles_ = of.among().here().service<service>().idles();
    idle_before_ = idles_->total();
  }
  of_.watch(this);
}

adapter::~adapter() { of_.watch(nullptr); }

void adapter::sent(const departure& what) {
  if (items_ == 0) began_ = of_.among().here().now();
  items_ += what.items;
  bytes_ += what.bytes.size() - (is_routed(what.kind) ? word_bytes * what.items : 0);
  if (is_routed(what.kind)) {
    sample(what);
  } else {
    const int to = of_.among().member_of(what.hop);
    destinations_.add(to);
    for (direct_way& each : direct_) each.items += each.member == to ? what.items : 0;
  }
  if (++messages_ % looks_every == 0 && policy_.so_far(phase_so_far())) apply();
}

void adapter::sample(const departure& what) {
  std::span<const std::byte> left = what.bytes;
  // Each stands for a stretch of items.
  const std::size_t stretch = std::max<std::size_t>(what.items / sampled, 1);
  const auto take = [&] {
    const int to = take_record(left, what.kind, of_.record_bytes()).destination;
    destinations_.add(to);
    often_.add(to, stretch);
  };
  if (of_.record_bytes() == 0) {
    for (int i = 0; i < sampled && !left.empty(); ++i) take();
    return;
  }
  // Which one of a stretch, by chance: items may come in turns.
  const std::size_t record = word_bytes + of_.record_bytes();
  for (std::size_t i = 0; i + stretch <= what.items; i += stretch) {
    random_ = random_ * 1664525U + 1013904223U;
    left = what.bytes.subspan((i + (random_ >> 8U) % stretch) * record);
    take();
  }
}

traffic adapter::phase_so_far() const {
  traffic all;
  // Fewer than before while one on its way is between two buffers.
  const std::uint64_t pushed = of_.count().created;
  all.items = pushed > pushed_before_ ? static_cast<double>(pushed - pushed_before_) : 0;
  if (items_ != 0) all.item_bytes = static_cast<double>(bytes_) / static_cast<double>(items_);
  all.destinations =
      policy_.now().dimensions == 1 ? destinations_.seen() : destinations_.estimate();
  const double time = (of_.among().here().now() - began_).ns();
  all.rate = time > 0 ? all.items / time : 0;
  return all;
}

std::uint64_t adapter::idle_ns() const {
  return idles_ ? static_cast<std::uint64_t>((idles_->total() - idle_before_).ns()) : 0;
}

/// Items are late for those who wait for them: the mean of all members counts.
void adapter::finished(std::uint64_t idle_of_all) {
  const traffic all = phase_so_far();
  if (idles_) {
    const auto members = static_cast<double>(of_.among().size());
    policy_.waited(idle_of_all != 0 ? static_cast<double>(idle_of_all) / members
                                    : static_cast<double>(idle_ns()),
                   all);
    idle_before_ = idles_->total();
  }
  const bool fresh = items_ != 0 && policy_.phase_over(all);
  if (fresh) apply();
  drop_idle_ways();
  choose_direct_ways();
  const bool counted = policy_.now().dimensions == 1 ||
                       destinations_.drawn() > enough * static_cast<double>(of_.among().size());
  if (fresh || counted) destinations_.clear();
  pushed_before_ = of_.count().created;
  items_ = bytes_ = 0;
}

void adapter::apply() {
  if (of_.current().dimensions != policy_.now().dimensions) direct_.clear();
  of_.set_parameters(policy_.now());
  if (host(of_.among().here()).trace() != nullptr) write_down();
  if (of_.among().rank() != 0) return;
  const parameters& now = of_.current();
  log(log_level::info, "streaming",
      fmt::format("stream {} of team {:#x}: {} dimensions, buffers are sent at {} bytes; {}",
                  of_.name().number, of_.among().id(), now.dimensions, now.effective_bytes,
                  policy_.why()));
}

void adapter::write_down() const {
  observe::trace_writer& into = *host(of_.among().here()).trace();
  const parameters& now = of_.current();
  const call_site& at = of_.opened_at();
  observe::traced_choice told{
      .problem = fmt::format("stream of {} bytes among {} ranks at {}:{}", of_.record_bytes(),
                             of_.among().size(), at.name(), at.line),
      .chosen = fmt::format("{}-D", now.dimensions),
      .label = std::string(of_.options().label),
      .how = fmt::format("buffers are sent at {} bytes", now.effective_bytes),
      .why = policy_.why()};
  for (const policy::price& each : policy_.prices()) {
    told.candidates.push_back({fmt::format("{}-D", each.dimensions), each.ns});
  }
  into.next() = {.begin_ps = of_.among().here().now().ps(),
                 .name = into.long_text(observe::text_of(told)),
                 .kind = observe::trace_kind::choice};
}

void adapter::drop_idle_ways() {
  std::erase_if(direct_, [&](direct_way& each) {
    const bool idle = !policy_.fills_a_buffer(2 * static_cast<double>(each.items));
    if (idle) of_.go_directly(each.member, false);
    each.items = 0;
    return idle;
  });
}

/// Destinations that fill buffers of their own need no stops on the way.
void adapter::choose_direct_ways() {
  const stream_options& asked = of_.options();
  const bool may = asked.dimensions == 0 && !asked.ordered && policy_.now().dimensions > 1;
  for (const frequent::one& each : often_.all()) {
    if (!may || direct_.size() == most_direct_ways) break;
    if (each.count == 0 || !policy_.fills_a_buffer(static_cast<double>(each.count))) continue;
    of_.go_directly(each.member, true);
    direct_.push_back({each.member});
  }
  often_.clear();
}

void adapter::remember() {
  if (memory_ == nullptr || of_.among().rank() != 0 || !(policy_.seen().items > 0)) return;
  memory_->note(kind_, {policy_.seen(), of_.current().dimensions, of_.current().effective_bytes});
}

}  // namespace upwash::streaming
