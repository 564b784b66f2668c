// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/least_time.hpp"

#include <algorithm>
#include <vector>

#include "upwash/schedule/detail/price/charges.hpp"

namespace upwash::schedule {
namespace {

/// Adds up what steps take of processors and ports.
class adder {
 public:
  adder(const machine& on, const transfer_rules& rules, const price_options& options)
      : on_(on),
        rules_(rules),
        charges_(on_, options),
        enough_(options.most_time),
        sent_(on_.levels.size()) {}

  /// Processor time of the rank's steps, of at most `left` of them, and until it is enough.
  duration add(int rank, generator steps, std::uint64_t& left) {
    duration busy;
    for (step s; left != 0 && busy <= enough_ && steps.next(s); --left) {
      if (s.kind == step_kind::stage) break;
      busy += work_of(rank, s);
    }
    return busy;
  }

  /// All sent so far at each level by ranks that share a port there.
  [[nodiscard]] duration through_port(std::size_t level) const noexcept {
    return sent_[level].all - sent_[level].longest;  // nobody waits until the last has left
  }
  void other_port() { std::fill(sent_.begin(), sent_.end(), port_time()); }

 private:
  struct port_time {
    duration all;
    duration longest;
  };

  duration work_of(int rank, const step& s) {
    switch (s.kind) {
      case step_kind::send: return send(rank, s);
      case step_kind::receive: return receive(rank, s);
      case step_kind::copy: return is_local(rank, s) ? charges_.copy(s.into.bytes) : duration();
      case step_kind::reduce: return is_local(rank, s) ? charges_.reduce(s.into.bytes) : duration();
      default: return {};
    }
  }

  [[nodiscard]] static std::uint64_t bytes_of(const piece& data, const step& s) noexcept {
    return data.bytes + 8 * std::uint64_t{s.header.count};
  }

  duration send(int rank, const step& s) {
    const std::uint64_t bytes = bytes_of(s.left, s);
    const std::size_t level = on_.level_between(rank, s.peer);
    const mechanism how = lower(bytes, s.placed, s.acknowledged, rules_).how;
    if (how != mechanism::single_copy) {
      const duration busy = charges_.message(level, bytes).busy;
      sent_[level].all += busy;
      sent_[level].longest = std::max(sent_[level].longest, busy);
    }
    const bool offers = how == mechanism::single_copy || how == mechanism::rendezvous;
    return charges_.message(level, offers ? 0 : bytes).send_overhead;
  }

  duration receive(int rank, const step& s) {
    const std::uint64_t bytes = bytes_of(s.into, s);
    const std::size_t level = on_.level_between(rank, s.peer);
    const mechanism how = lower(bytes, s.placed, s.acknowledged, rules_).how;
    const bool copies = how == mechanism::eager || how == mechanism::matched;
    if (!copies || s.length_slot != step::no_slot) {
      return charges_.message(level, 0).receive_overhead;
    }
    return charges_.message(level, bytes).receive_overhead + charges_.copy_out(bytes);
  }

  [[nodiscard]] bool is_local(int rank, const step& s) const noexcept {
    const auto near = [&](const piece& p) {
      return p.of == buffer::none || p.owner == own || p.owner == rank || rules_.direct;
    };
    return near(s.left) && near(s.right) && near(s.into);
  }

  const machine& on_;
  const transfer_rules& rules_;
  detail::charges charges_;
  duration enough_;
  std::vector<port_time> sent_;
};

}  // namespace

duration least_time(int ranks, int root, function_ref<generator(int rank)> schedule_of,
                    const machine& on, const transfer_rules& rules, const price_options& options,
                    std::uint64_t most_steps) {
  const detail::machine_with_costs chosen(on, options.messages);
  const machine& costs = chosen.get();
  adder sum(costs, rules, options);
  std::uint64_t left = most_steps;
  duration least = sum.add(root, schedule_of(root), left);
  if (least > options.most_time) return least;
  sum.other_port();
  const bool shared = costs.levels.size() > 1 && costs.nic.of == nic_protocol::owner::node;
  const int together = shared ? std::min(costs.ranks_in(level_kind::node), ranks) : 1;
  const int first = ranks / 2 / together * together;
  for (int rank = first; rank < std::min(first + together, ranks) && left != 0; ++rank) {
    least = std::max(least, sum.add(rank, schedule_of(rank), left));
  }
  return std::max(least, sum.through_port(costs.levels.size() - 1));
}

}  // namespace upwash::schedule
