// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the network, and what goes wrong with it. What happens in it is in packet_switches.cpp.
#include "upwash/simulator/network/packet_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/simulator/network/detail/combine_units.hpp"
#include "upwash/simulator/network/detail/input_queues.hpp"
#include "upwash/simulator/network/detail/slot_arbiter.hpp"

namespace upwash::simulator {
namespace {

/// The length of a bucket of events that are in no line, with a few in each when every link is
/// busy: those of nodes, and in input-queued switches those of their crossbars.
std::int64_t bucket(const model::topology& in, const network_parameters& with) {
  std::int64_t busy = in.nodes();
  if (with.design == switch_design::input_queued) {
    for (int s = 0; s < in.switches(); ++s) busy += in.ports(s);
  }
  const std::int64_t a_bucket = with.design == switch_design::input_queued ? 1 : 8;
  return std::max<std::int64_t>(
      a_bucket * with.packet_time().ps() / std::max<std::int64_t>(busy, 1), 16);
}

}  // namespace

packet_network::packet_network(const model::topology& in, const network_parameters& with,
                               traffic_source& from, std::uint64_t seed)
    : in_(in),
      with_((check(with), with)),
      from_(from),
      lane_bits_(static_cast<unsigned>(std::bit_width(static_cast<unsigned>(in.lanes()) - 1))),
      room_(static_cast<std::uint32_t>(with.buffers)),
      to_output_ps_((with.channel_delay + with.switch_delay).ps()),
      to_node_ps_((with.channel_delay + with.receive_overhead).ps()),
      tree_(dynamic_cast<const model::fat_tree*>(&in)),
      events_queue_(bucket(in, with), 4 * with.packet_time().ps() + 2 * to_output_ps_),
      draws_(seed, 0) {
  build_links();
  const std::int64_t usual_ps = with.packet_time().ps() * (10'000 + 16 * std::int64_t{in.nodes()});
  patience_ps_ = with.patience == duration() ? usual_ps : with.patience.ps();
  next_look_ps_ = patience_ps_;
  most_hops_ = 2 * static_cast<std::uint32_t>(in.switches()) + 2;
  if (with.design == switch_design::input_queued && with.arbiter_rounds > 0) {
    slots_ = std::make_unique<detail::slot_arbiter>(*this);
  } else if (with.design == switch_design::input_queued) {
    inputs_ = std::make_unique<detail::input_queues>(*this);
  } else {
    combines_ = std::make_unique<detail::combine_units>(*this);
  }
}

packet_network::~packet_network() = default;

void packet_network::build_links() {
  const auto nodes = static_cast<std::uint32_t>(in_.nodes());
  std::uint64_t count = nodes;
  for (int s = 0; s < in_.switches(); ++s) {
    first_links_.push_back(static_cast<std::uint32_t>(count));
    most_ports_ = std::max(most_ports_, static_cast<std::uint32_t>(in_.ports(s)));
    count += static_cast<std::uint64_t>(in_.ports(s));
  }
  if ((count << lane_bits_) >= (1U << 28U)) {
    throw error(error_kind::argument, fmt::format("network: {} links are too many", count));
  }
  links_.resize(count);
  carried_.assign(count, 0);
  claimed_.assign(count, 0);
  lanes_.resize(count << lane_bits_);
  nics_.resize(nodes);
  const auto lead_to = [&](std::size_t which, const model::port_end& end) {
    if (end.is == model::port_end::kind::nothing) return;
    const bool to_switch = end.is == model::port_end::kind::port;
    links_[which].to_switch = to_switch ? end.index : -1;
    links_[which].to = static_cast<std::uint32_t>(to_switch ? end.port : end.index);
    for (std::size_t each = which << lane_bits_; to_switch && link_of(each) == which; ++each) {
      lanes_[each].outputs = first_link(end.index);
    }
  };
  for (std::uint32_t node = 0; node < nodes; ++node) {
    lead_to(node, in_.attachment(static_cast<int>(node)));
    wake(node, 0);
  }
  for (int s = 0; s < in_.switches(); ++s) {
    for (int port = 0; port < in_.ports(s); ++port) {
      lead_to(first_link(s) + static_cast<std::size_t>(port), in_.end(s, port));
    }
  }
  if (with_.credits == flow_control::crosspoint && with_.design == switch_design::output_queued) {
    crosspoints_ = most_ports_ + 1;
    occupied_.assign(lanes_.size() * crosspoints_, 0);
    as_full_.assign(lanes_.size() * room_, 0);
  }
}

void packet_network::nothing_moves() const {
  const auto stuck =
      std::find_if(claimed_.begin(), claimed_.end(), [](auto waiting) { return waiting > 0; });
  throw error(error_kind::fault,
              fmt::format("network {}: {} packets wait for each other at {} ns and nothing moves; "
                          "the first ones wait for link {}",
                          in_.name(), live_, static_cast<double>(now_ps_) * 1e-3,
                          stuck - claimed_.begin()));
}

/// A link that packets wait for, and that has carried none since the last look.
void packet_network::look_for_starved(std::int64_t now_ps) {
  constexpr std::uint64_t nobody_waits = UINT64_MAX;
  carried_at_look_.resize(links_.size(), nobody_waits);
  for (std::size_t which = nics_.size(); which < links_.size(); ++which) {
    const std::uint64_t carried = claimed_[which] > 0 ? carried_[which] : nobody_waits;
    if (carried != nobody_waits && carried == carried_at_look_[which]) {
      throw error(
          error_kind::fault,
          fmt::format("network {}: link {}, for which {} packets wait, has carried nothing "
                      "for {} ns, up to {} ns, while others move",
                      in_.name(), which, claimed_[which], static_cast<double>(patience_ps_) * 1e-3,
                      static_cast<double>(now_ps) * 1e-3));
    }
    carried_at_look_[which] = carried;
  }
  next_look_ps_ = now_ps + patience_ps_;
}

void packet_network::in_circles(const packet& p) const {
  throw error(error_kind::fault,
              fmt::format("network {}: a packet from node {} to node {} has passed {} links and is "
                          "not there; its routing goes in circles",
                          in_.name(), p.from, p.goal.to, p.hops));
}

void packet_network::check_at_rest() {
  const auto wrong = [&](const std::string& what) {
    throw error(error_kind::fault, fmt::format("network {}: {}", in_.name(), what));
  };
  if (live_ != 0) wrong(fmt::format("{} packets are under way", live_));
  if (groups_.empty() && sent_ != arrived_) {
    wrong(fmt::format("{} packets sent, {} arrived", sent_, arrived_));
  }
  if (combines_ && !combines_->at_rest()) wrong("reductions wait for packets");
  now_ps_ += with_.channel_delay.ps();  // the last credits are on their way
  for (std::uint32_t each = 0; each < lanes_.size(); ++each) {
    collect_returns(each);
    const lane& at = lanes_[each];
    if (at.held != 0 || at.under_way != 0 || at.fullest != 0 || at.waiting.size != 0) {
      wrong(
          fmt::format("lane {} has {} credits out, {} packets under way, {} at a crosspoint, {} "
                      "waiting",
                      each, at.held, at.under_way, at.fullest, at.waiting.size));
    }
  }
}

}  // namespace upwash::simulator
