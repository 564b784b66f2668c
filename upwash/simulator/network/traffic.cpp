// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/model/choice.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {
namespace {

using kind = traffic_pattern::kind;

[[noreturn]] void wrong(const std::string& what) {
  throw error(error_kind::argument, "traffic: " + what);
}

constexpr model::parameter senders_parameter{"senders", 0, 1U << 26U, 0,
                                             "only the nodes below send; 0: all"};
constexpr std::array<model::parameter, 1> only_senders{senders_parameter};
constexpr std::array<model::parameter, 2> distance{
    {{"by", 0, 1U << 26U, 1, "how far, in nodes"}, senders_parameter}};
constexpr std::array<model::parameter, 3> hot{{{"node", 0, 1U << 26U, 0, "the hot one"},
                                               {"percent", 0, 100, 10, "of the packets"},
                                               senders_parameter}};

/// In the order of `kind`.
constexpr std::array<model::choice, 7> patterns{{{"uniform", only_senders, 0, {}, {}},
                                                 {"hot-spot", hot, 0, {}, {}},
                                                 {"transpose", only_senders, 0, {}, {}},
                                                 {"bit-reversal", only_senders, 0, {}, {}},
                                                 {"complement", only_senders, 0, {}, {}},
                                                 {"shift", distance, 0, {}, {}},
                                                 {"prefix", distance, 0, {}, {}}}};

std::size_t pattern_named(std::string_view name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const model::choice& each : patterns) {
    if (each.name == name) return names.size();
    all += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    names.push_back(each.name);
  }
  const std::string_view near = nearest_name(name, names);
  wrong(fmt::format("\"{}\" is unknown{}; valid: {}", name,
                    near.empty() ? "" : fmt::format(", did you mean {}?", near), all));
}

unsigned bits_of(int nodes) {
  return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(nodes)) - 1);
}

void check_fit(const traffic_pattern& of, std::string_view name, int nodes) {
  const bool needs_bits = of.is == kind::transpose || of.is == kind::bit_reversal ||
                          of.is == kind::complement || of.is == kind::prefix;
  if (needs_bits && !std::has_single_bit(static_cast<unsigned>(nodes))) {
    wrong(fmt::format("{} needs a power of two of nodes, not {}", name, nodes));
  }
  if (of.is == kind::transpose && bits_of(nodes) % 2 != 0) {
    wrong(fmt::format("transpose needs an even number of bits; {} nodes have {}", nodes,
                      bits_of(nodes)));
  }
  const bool beyond = of.is == kind::hot_spot || of.is == kind::prefix ? of.by >= nodes : false;
  if (beyond) wrong(fmt::format("{}: {} is not below the {} nodes", name, of.by, nodes));
}

}  // namespace

traffic_pattern parse_traffic(std::string_view text, int nodes) {
  const auto [name, rest] = model::split_choice(text);
  const std::size_t which = pattern_named(name);
  const model::choice& chosen = patterns[which];
  const model::values with = model::parse_values(chosen, rest);
  traffic_pattern result;
  result.is = static_cast<kind>(which);
  result.senders = static_cast<int>(with[chosen.parameters.size() - 1]);
  if (chosen.parameters.size() > 1) result.by = static_cast<int>(with[0]);
  if (result.is == kind::hot_spot) result.portion = static_cast<double>(with[1]) / 100;
  check_fit(result, name, nodes);
  return result;
}

int traffic_pattern::partner(int node, int nodes) const noexcept {
  const unsigned bits = bits_of(nodes);
  const auto p = static_cast<unsigned>(node);
  switch (is) {
    case kind::transpose:
      return static_cast<int>((p >> (bits / 2)) | ((p << (bits / 2)) & ((1U << bits) - 1)));
    case kind::bit_reversal: {
      unsigned result = 0;
      for (unsigned i = 0; i < bits; ++i) result |= (p >> i & 1U) << (bits - 1 - i);
      return static_cast<int>(result);
    }
    case kind::complement: return nodes - 1 - node;
    case kind::shift: return static_cast<int>((std::int64_t{node} + by) % nodes);
    case kind::prefix: return node ^ by;
    default: return node;
  }
}

void arrival_record::add(std::int64_t latency_ps, std::uint32_t bytes) {
  ++packets_;
  bytes_ += bytes;
  const auto latency = static_cast<std::uint64_t>(std::max<std::int64_t>(latency_ps, 0));
  total_ps_ += latency;
  // The bin: the power of two, and the bits behind the highest one.
  const auto width = static_cast<unsigned>(std::bit_width(latency));
  const unsigned shift = width > step_bits ? width - step_bits - 1 : 0;
  ++latencies_[std::size_t{shift} * steps + (latency >> shift)];
}

double arrival_record::mean_ns() const noexcept {
  return packets_ == 0 ? 0 : static_cast<double>(total_ps_) / static_cast<double>(packets_) * 1e-3;
}

double arrival_record::quantile_ns(double portion) const noexcept {
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(portion * static_cast<double>(packets_)));
  std::uint64_t below = 0;
  for (std::size_t bin = 0; bin < latencies_.size(); ++bin) {
    below += latencies_[bin];
    if (below < wanted || below == 0) continue;
    const std::size_t shift = bin < 2 * steps ? 0 : bin / steps - 1;
    const auto least = static_cast<double>(bin - shift * steps) * std::exp2(shift);
    return (least + 0.5 * std::exp2(shift)) * 1e-3;
  }
  return 0;
}

std::uint64_t exponential(random_stream& from) noexcept {
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = from.next() >> 32U;
    std::uint64_t last = first;
    for (bool odd = true;; odd = !odd) {
      const std::uint64_t fresh = from.next() >> 32U;
      if (fresh < last) {
        last = fresh;
        continue;
      }
      if (odd) return (whole << 32U) + first;
      break;
    }
  }
}

synthetic_traffic::synthetic_traffic(int nodes, const network_parameters& with, const plan& what)
    : plan_(what), with_(with), nodes_(nodes) {
  if (!(plan_.load > 0) || plan_.load > 64) {
    wrong(fmt::format("a load of {}; expected a share of the link's rate, as 0.5", plan_.load));
  }
  if (plan_.outstanding < 0 || plan_.outstanding > 1 << 16) {
    wrong(fmt::format("{} packets under way; valid are 0 to 65536", plan_.outstanding));
  }
  mean_gap_ps_ = static_cast<std::uint64_t>(
      std::llround(static_cast<double>(with.packet_time().ps()) / plan_.load));
  const traffic_pattern& like = plan_.pattern;
  for (int node = 0; node < nodes; ++node) {
    sender fresh;
    fresh.random = random_stream(plan_.seed, static_cast<std::uint64_t>(node) + 1);
    fresh.silent = (like.senders > 0 && node >= like.senders) ||
                   (like.is_random() ? nodes == 1 : like.partner(node, nodes) == node);
    senders_ += fresh.silent ? 0 : 1;
    fresh.born_next.assign(static_cast<std::size_t>(plan_.outstanding), 0);
    all_.push_back(fresh);
  }
}

int synthetic_traffic::destination(int node, sender& of) {
  const traffic_pattern& like = plan_.pattern;
  if (!like.is_random()) return like.partner(node, nodes_);
  if (like.is == kind::hot_spot && node != like.by && of.random.fraction() < like.portion) {
    return like.by;
  }
  const auto other = static_cast<int>(of.random.below(static_cast<std::uint64_t>(nodes_ - 1)));
  return other < node ? other : other + 1;
}

bool synthetic_traffic::next(int node, std::int64_t /*now_ps*/, offered_packet& fresh) {
  sender& of = all_[static_cast<std::size_t>(node)];
  if (of.silent) return false;
  if (plan_.outstanding == 0) {
    __extension__ using wide = unsigned __int128;
    of.born_ps += static_cast<std::int64_t>((wide{mean_gap_ps_} * exponential(of.random)) >> 32U);
  } else {
    if (of.born_next.empty()) return false;
    of.born_ps = of.born_next.front();
    of.born_next.pop_front();
  }
  if (of.born_ps >= plan_.end_ps) {
    of.silent = true;
    return false;
  }
  fresh.goal.to = destination(node, of);
  fresh.goal.via = plan_.through_others
                       ? static_cast<int>(of.random.below(static_cast<std::uint64_t>(nodes_)))
                       : -1;
  fresh.bytes = with_.packet_bytes;
  fresh.born_ps = of.born_ps;
  fresh.ready_ps = of.born_ps + with_.send_overhead.ps();
  return true;
}

void synthetic_traffic::arrived(const arrived_packet& what) {
  if (plan_.outstanding > 0) {
    all_[static_cast<std::size_t>(what.from)].born_next.push_back(what.at_ps);
    network_->has_packets(what.from);
  }
  if (what.at_ps < plan_.from_ps || what.at_ps >= plan_.to_ps) return;
  record_.add(what.at_ps - what.born_ps, what.bytes);
}

}  // namespace upwash::simulator
