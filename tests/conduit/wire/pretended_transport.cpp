// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "tests/conduit/wire/network_state.hpp"
#include "tests/conduit/wire/pretended_memory.hpp"
#include "tests/conduit/wire/pretended_network.hpp"

namespace upwash::test {

using namespace conduit;
using wire::transport;
using wire::transport_user;

namespace {

class pretended_transport final : public transport {
 public:
  pretended_transport(network_state& network, int self) : network_(network), self_(self) {
    if (network.options.memory) memory_.emplace(network, self);
  }

  [[nodiscard]] std::size_t packet_bytes() const noexcept override {
    return network_.options.packet_bytes;
  }
  outcome send(int process, std::span<const std::byte> packet, completion& sent) noexcept override;
  outcome send_bulk(int process, std::uint32_t tag, std::span<const std::byte> from,
                    completion& sent) noexcept override;
  outcome receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                       completion& came) noexcept override;
  int poll(transport_user& user, int most) noexcept override;
  void close(transport_user& user, std::span<const std::uint64_t> packets_to) noexcept override;
  [[nodiscard]] wire::remote_access* memory() noexcept override {
    return memory_ ? &*memory_ : nullptr;
  }

 private:
  [[nodiscard]] std::shared_ptr<parcel> match(int from, int to, std::uint32_t tag);
  [[nodiscard]] int tell_of_letters();
  [[nodiscard]] int send_parcels();
  [[nodiscard]] int receive_parcels();
  [[nodiscard]] int take_letters(transport_user& user, int most);
  [[nodiscard]] bool all_came();

  network_state& network_;
  const int self_;
  bool polling_ = false;
  std::vector<std::shared_ptr<letter>> sending_;
  std::vector<std::shared_ptr<parcel>> parcels_out_;
  std::vector<std::shared_ptr<parcel>> parcels_in_;
  std::optional<pretended_memory> memory_;
};

outcome pretended_transport::send(int process, std::span<const std::byte> packet,
                                  completion& sent) noexcept {
  EXPECT_NE(process, self_) << "a packet to the process itself";
  EXPECT_GE(packet.size(), 1U);
  EXPECT_LE(packet.size(), packet_bytes());
  EXPECT_FALSE(network_.between(self_, process).announced) << "a packet after the end";
  ++network_.events;
  const auto one = std::make_shared<letter>();
  one->bytes = packet;
  one->receiver_polls = network_.some_polls();
  route& way = network_.between(self_, process);
  way.letters.push_back(one);
  way.most = std::max(way.most, way.letters.size());
  if (network_.by_chance()) {
    one->take_copy();
    return outcome::done;
  }
  one->sent = &sent;
  one->sender_polls = network_.some_polls();
  sending_.push_back(one);
  return outcome::pending;
}

/// The one that the other side has named, which then is nobody's to find any more; else a new one.
std::shared_ptr<parcel> pretended_transport::match(int from, int to, std::uint32_t tag) {
  auto [at, is_new] = network_.parcels.try_emplace({from, to, tag});
  if (is_new) return at->second = std::make_shared<parcel>();
  const std::shared_ptr<parcel> found = at->second;
  network_.parcels.erase(at);
  return found;
}

outcome pretended_transport::send_bulk(int process, std::uint32_t tag,
                                       std::span<const std::byte> from, completion& sent) noexcept {
  EXPECT_NE(process, self_);
  ++network_.events;
  const auto one = match(self_, process, tag);
  EXPECT_FALSE(one->is_sent) << "tag " << tag << " is used twice at once";
  one->is_sent = true;
  one->from = from;
  EXPECT_TRUE(!one->is_wanted || one->to.size() == from.size()) << "both sides name the same bytes";
  if (network_.by_chance()) {
    one->copy.assign(from.begin(), from.end());
    one->from = one->copy;
    return outcome::done;
  }
  one->sent = &sent;
  one->sender_polls = network_.some_polls();
  parcels_out_.push_back(one);
  return outcome::pending;
}

outcome pretended_transport::receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                                          completion& came) noexcept {
  EXPECT_NE(process, self_);
  ++network_.events;
  const auto one = match(process, self_, tag);
  EXPECT_FALSE(one->is_wanted) << "tag " << tag << " is used twice at once";
  one->is_wanted = true;
  one->to = to;
  if (one->is_sent) {
    EXPECT_EQ(one->from.size(), to.size()) << "both sides name the same bytes";
    if (network_.by_chance()) {
      std::copy(one->from.begin(), one->from.end(), to.begin());
      one->arrived = true;
      return outcome::done;
    }
  }
  one->came = &came;
  one->receiver_polls = network_.some_polls();
  parcels_in_.push_back(one);
  return outcome::pending;
}

/// Some have arrived before, straight from the sender's bytes.
int pretended_transport::tell_of_letters() {
  std::vector<completion*> told;
  std::erase_if(sending_, [&](const auto& one) {
    if (!is_due(one->sender_polls)) return false;
    if (!one->arrived) one->take_copy();
    told.push_back(one->sent);
    return true;
  });
  for (completion* each : told) tell(each);
  return static_cast<int>(told.size());
}

int pretended_transport::send_parcels() {
  std::vector<completion*> told;
  std::erase_if(parcels_out_, [&](const auto& one) {
    // As by rendezvous: not before the other side wants it.
    if (!one->is_wanted || !is_due(one->sender_polls)) return false;
    if (!one->arrived) {
      one->copy.assign(one->from.begin(), one->from.end());
      one->from = one->copy;
    }
    told.push_back(one->sent);
    return true;
  });
  for (completion* each : told) tell(each);
  return static_cast<int>(told.size());
}

int pretended_transport::receive_parcels() {
  std::vector<completion*> told;
  std::erase_if(parcels_in_, [&](const auto& one) {
    if (!one->is_sent || !is_due(one->receiver_polls)) return false;
    std::copy(one->from.begin(), one->from.end(), one->to.begin());
    one->arrived = true;
    told.push_back(one->came);
    return true;
  });
  for (completion* each : told) tell(each);
  return static_cast<int>(told.size());
}

int pretended_transport::take_letters(transport_user& user, int most) {
  std::vector<int> senders(static_cast<std::size_t>(network_.options.processes));
  std::iota(senders.begin(), senders.end(), 0);
  for (std::size_t i = senders.size(); i > 1; --i) {
    std::swap(senders[i - 1], senders[network_.random.below(i)]);
  }
  int taken = 0;
  for (const int from : senders) {
    route& way = network_.between(from, self_);
    while (taken < most && !way.letters.empty() && is_due(way.letters.front()->receiver_polls)) {
      const auto one = way.letters.front();
      way.letters.pop_front();
      // A copy of just that length: who reads beyond it, or later, is found.
      const std::vector<std::byte> bytes(one->bytes.begin(), one->bytes.end());
      one->arrived = true;
      ++way.arrived;
      ++taken;
      if (!user.packet(from, bytes)) return taken;
    }
  }
  return taken;
}

int pretended_transport::poll(transport_user& user, int most) noexcept {
  EXPECT_FALSE(polling_) << "a poll from inside a poll";
  polling_ = true;
  if (network_.lost >= 0 && network_.lost != self_) user.lost(network_.lost, "pretended");
  int happened = 0;
  const bool letters_first = network_.by_chance();
  if (letters_first) happened += take_letters(user, most);
  happened += tell_of_letters();
  happened += send_parcels();
  happened += receive_parcels();
  if (memory_) happened += memory_->poll();
  if (!letters_first) happened += take_letters(user, most);
  network_.events += static_cast<std::uint64_t>(happened);
  polling_ = false;
  return happened;
}

bool pretended_transport::all_came() {
  for (int from = 0; from < network_.options.processes; ++from) {
    if (from == self_) continue;
    const route& way = network_.between(from, self_);
    if (!way.announced || way.arrived < *way.announced) return false;
    EXPECT_EQ(way.arrived, *way.announced)
        << "process " << from << " sends to " << self_ << " while it closes";
  }
  return true;
}

void pretended_transport::close(transport_user& user,
                                std::span<const std::uint64_t> packets_to) noexcept {
  EXPECT_TRUE(sending_.empty() && parcels_out_.empty() && parcels_in_.empty())
      << "closed with something under way";
  for (int to = 0; to < network_.options.processes; ++to) {
    if (to != self_)
      network_.between(self_, to).announced = packets_to[static_cast<std::size_t>(to)];
  }
  ++network_.events;
  while (!all_came()) {
    poll(user, std::numeric_limits<int>::max());
    if (!network_.others->give()) return;
  }
  ++network_.closed;
  ++network_.events;
  while (network_.closed < network_.options.processes) {
    if (!network_.others->give()) return;
  }
}

}  // namespace

pretended_network::pretended_network(const network_options& options, network_turns* others)
    : state_(std::make_unique<network_state>(options, others)) {}

pretended_network::~pretended_network() = default;

std::unique_ptr<transport> pretended_network::transport_of(int process) {
  return std::make_unique<pretended_transport>(*state_, process);
}

std::uint64_t pretended_network::events() const noexcept { return state_->events; }

std::size_t pretended_network::in_flight(int from, int to) const {
  return state_->between(from, to).letters.size();
}

std::size_t pretended_network::most_in_flight(int from, int to) const {
  return state_->between(from, to).most;
}

void pretended_network::lose(int process) noexcept { state_->lost = process; }

}  // namespace upwash::test
