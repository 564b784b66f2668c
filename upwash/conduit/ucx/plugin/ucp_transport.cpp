// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/ucp_transport.hpp"

#include <cstring>
#include <utility>

namespace upwash::conduit::ucx {
namespace {

/// With what UCX and this put in front it fits into one fragment of its transports, 8 KiB.
constexpr std::size_t largest_packet = 8192 - 64;

constexpr unsigned packet_id = 1;
constexpr unsigned farewell_id = 2;

ucp_tag_t tag_of(int sender, std::uint32_t tag) {
  return static_cast<ucp_tag_t>(static_cast<std::uint32_t>(sender)) << 32U | tag;
}

}  // namespace

bool ucp_transport::start(const job_reach& job, std::string& why) {
  return through_.start(job, why) && receive(packet_id, &packet_came, why) &&
         receive(farewell_id, &farewell_came, why);
}

bool ucp_transport::receive(unsigned id, ucp_am_recv_callback_t callback, std::string& why) {
  ucp_am_handler_param_t wanted{};
  wanted.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  wanted.id = id;
  wanted.flags = UCP_AM_FLAG_WHOLE_MSG;
  wanted.cb = callback;
  wanted.arg = this;
  const ucs_status_t status = ucp_worker_set_am_recv_handler(through_.worker(), &wanted);
  if (status != UCS_OK) why = std::string("active messages: ") + ucs_status_string(status);
  return status == UCS_OK;
}

void ucp_transport::meet(peer_addresses peers) {
  peers_.resize(peers.near.size());
  memory_.emplace(through_, static_cast<int>(peers_.size()));
  through_.meet(std::move(peers));
}

std::size_t ucp_transport::packet_bytes() const noexcept { return largest_packet; }

ucp_transport::sending& ucp_transport::begin(int process, completion& told) {
  sending& one = *pool_.take();
  one.home = &through_;
  one.process = process;
  one.over = &over;
  one.told = &told;
  one.by = this;
  return one;
}

outcome ucp_transport::finish(sending& one, ucs_status_ptr_t request) {
  if (through_.is_under_way(one, request)) return outcome::pending;
  pool_.give_back(&one);
  return outcome::done;
}

void ucp_transport::over(operation& self) noexcept {
  auto& one = static_cast<sending&>(self);
  completion& told = *one.told;
  one.by->pool_.give_back(&one);
  told.tell(told);
}

outcome ucp_transport::send(int process, std::span<const std::byte> packet,
                            completion& sent) noexcept {
  const ucp_ep_h to = through_.endpoint_of(process);
  sending& one = begin(process, sent);
  if (to == nullptr) return outcome::pending;  // lost
  one.front.source = static_cast<std::uint32_t>(through_.self());
  one.front.number = peers_[static_cast<std::size_t>(process)].sent++;
  return finish(one, ucp_am_send_nbx(to, packet_id, &one.front, sizeof one.front, packet.data(),
                                     packet.size(), &through_.sending_eagerly(one)));
}

outcome ucp_transport::send_bulk(int process, std::uint32_t tag, std::span<const std::byte> from,
                                 completion& sent) noexcept {
  const ucp_ep_h to = through_.endpoint_of(process);
  sending& one = begin(process, sent);
  if (to == nullptr) return outcome::pending;  // lost
  return finish(one, ucp_tag_send_nbx(to, from.data(), from.size(), tag_of(through_.self(), tag),
                                      &through_.sending(one)));
}

outcome ucp_transport::receive_bulk(int process, std::uint32_t tag, std::span<std::byte> to,
                                    completion& came) noexcept {
  sending& one = begin(process, came);
  return finish(one, ucp_tag_recv_nbx(through_.worker(), to.data(), to.size(), tag_of(process, tag),
                                      ~ucp_tag_t{0}, &through_.receiving(one)));
}

ucs_status_t ucp_transport::packet_came(void* self, const void* front, std::size_t front_bytes,
                                        void* packet, std::size_t bytes,
                                        const ucp_am_recv_param_t* /*how*/) noexcept {
  auto& here = *static_cast<ucp_transport*>(self);
  packet_front sent;
  if (front_bytes == sizeof sent) std::memcpy(&sent, front, sizeof sent);
  const int source = static_cast<int>(sent.source);
  here.peers_[sent.source].come.arrived(sent.number, {static_cast<const std::byte*>(packet), bytes},
                                        [&here, source](std::span<const std::byte> in_order) {
                                          ++here.taken_;
                                          static_cast<void>(here.user_->packet(source, in_order));
                                        });
  return UCS_OK;
}

/// One step of UCX takes a few packets at most: that is the bound, and the end of a poll whose user
/// wants no more.
int ucp_transport::poll(wire::transport_user& user, int /*most*/) noexcept {
  user_ = &user;
  taken_ = 0;
  const int ended = through_.ended();
  const int copied = memory_->tell_copied();
  through_.progress();
  if (through_.is_lost()) tell_lost(user);
  return taken_ + copied + (through_.ended() - ended);
}

void ucp_transport::tell_lost(wire::transport_user& user) const noexcept {
  const int process = through_.lost_process();
  if (process < 0 || !through_.is_unreachable()) return user.lost(process, through_.lost_why());
  user.unreachable(
      process,
      "UCX has no transport that both have; see UCX_TLS and UCX_NET_DEVICES here and there");
}

ucs_status_t ucp_transport::farewell_came(void* self, const void* front, std::size_t front_bytes,
                                          void* /*packet*/, std::size_t /*bytes*/,
                                          const ucp_am_recv_param_t* /*how*/) noexcept {
  farewell from;
  if (front_bytes == sizeof from) std::memcpy(&from, front, sizeof from);
  ++static_cast<ucp_transport*>(self)->farewells_[from.round % 32];
  return UCS_OK;
}

/// A barrier by dissemination, in which everybody serves the others: what one still puts may need
/// the processor of its target. `time`: the first, the second.
void ucp_transport::meet_at_the_end(int time) noexcept {
  const int processes = static_cast<int>(peers_.size());
  std::array<farewell, 32> fronts;
  std::uint32_t round = 0;
  for (int distance = 1; distance < processes && !through_.is_lost(); distance *= 2, ++round) {
    fronts[round].round = round;
    const int next = (through_.self() + distance) % processes;
    const ucp_ep_h to = through_.endpoint_of(next);
    const ucp_request_param_t plain{};
    if (to == nullptr) return;
    through_.wait_for(
        ucp_am_send_nbx(to, farewell_id, &fronts[round], sizeof fronts[round], nullptr, 0, &plain),
        *user_);
    while (farewells_[round] < time && !through_.is_lost()) {
      if (!through_.progress()) user_->pause();
    }
  }
}

/// How many packets come is not asked: who has met all others has got what they sent to the end,
/// but for some that tell of credits, which nobody needs any more. Who leaves then would break
/// connections that another is still making, or flushing: all meet once more before.
void ucp_transport::close(wire::transport_user& user,
                          std::span<const std::uint64_t> /*packets_to*/) noexcept {
  user_ = &user;
  through_.flush(user);
  meet_at_the_end(1);
  through_.flush(user);
  through_.begin_end();
  meet_at_the_end(2);
  through_.disconnect(user);
  if (through_.is_lost()) tell_lost(user);
}

}  // namespace upwash::conduit::ucx
