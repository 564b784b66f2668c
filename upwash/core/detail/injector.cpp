// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/injector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash::detail {
namespace {

/// The arguments of a piece. The stream's bytes are the message's arguments, then its payload.
struct piece_header {
  conduit::handler_id handler;
  std::uint32_t stream = 0;
  std::uint32_t argument_bytes = 0;
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(piece_header) <= conduit::max_argument_bytes);

constexpr conduit::handler_id piece_handler{0, conduit::core_module};

piece_header header_of(const conduit::message& piece) {
  piece_header header;
  std::memcpy(&header, piece.arguments.data(), sizeof header);
  return header;
}

void copy_bytes(std::byte* to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

}  // namespace

stored_message::stored_message(const conduit::message& m)
    : header(m), argument_bytes(m.arguments.size()) {
  bytes.reserve(argument_bytes + m.payload.size());
  bytes.insert(bytes.end(), m.arguments.begin(), m.arguments.end());
  bytes.insert(bytes.end(), m.payload.begin(), m.payload.end());
}

conduit::message stored_message::view() const {
  conduit::message m = header;
  m.arguments = std::span(bytes).first(argument_bytes);
  m.payload = std::span(bytes).subspan(argument_bytes);
  return m;
}

injector::injector(job& here, const peer_facts& peers)
    : here_(here),
      endpoint_(host(here).endpoint()),
      peers_(peers),
      medium_bytes_(peers.anywhere().medium_bytes()),
      ordered_(peers.ordered()),
      in_the_way_(ordered_ ? 0 : 1) {}

void injector::send(const conduit::message& m, call_site site) {
  if (m.payload.size() <= medium_bytes_ ||
      m.payload.size() <= peers_.of(m.destination).medium_bytes) {
    send_one(m, site);
  } else {
    send_pieces(m, site);
  }
  ++sent_beyond_;
}

conduit::injection injector::try_send(const conduit::message& m) {
  const channel to{m.destination, m.kind};
  if (room_open(to)) return conduit::injection::retry(conduit::retry_reason::reserved);
  if (has_deferred(to)) return conduit::injection::retry(conduit::retry_reason::no_credit);  // I1
  const conduit::injection result = inject(m, here_.in_handler());
  if (result.what == conduit::outcome::done) ++sent_beyond_;
  return result;
}

void injector::send_one(const conduit::message& m, call_site site) {
  const bool in_handler = here_.in_handler();
  if (!rooms_.empty() && !in_handler && room_open({m.destination, m.kind})) [[unlikely]] {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: send to rank {} while a payload is prepared for it; commit or "
                    "cancel that first",
                    here_.rank(), m.destination));
  }
  if (goes(m, in_handler)) [[likely]]
    return;
  if (in_handler) return defer(m);  // I2
  const conduit::wait_reason reason{
      .operation = "send", .peer = m.destination, .bytes = m.payload.size(), .site = site};
  const wait_scope in(here_, reason);
  do {
    ++host(here_).counters().retries;
    host(here_).wait(conduit::wait_target::credit(m.destination, m.kind), reason);
  } while (!goes(m, false));
}

bool injector::goes(const conduit::message& m, bool in_handler) {
  return !has_deferred({m.destination, m.kind}) &&
         inject(m, in_handler).what == conduit::outcome::done;
}

conduit::injection injector::inject(const conduit::message& m, bool from_handler) {
  conduit::injection result;
  if (ordered_) [[likely]] {
    result = endpoint_.send(m, from_handler);
  } else {
    std::uint32_t& number = next_number_[{m.destination, m.kind}];
    conduit::message numbered = m;
    numbered.sequence = number;
    result = endpoint_.send(numbered, from_handler);
    if (result.what == conduit::outcome::done) ++number;
  }
  if (result.what == conduit::outcome::done) {
    note_sent(m);
    --sent_beyond_;
  }
  return result;
}

void injector::send_pieces(const conduit::message& m, call_site site) {
  piece_header header{m.handler, streams_++, static_cast<std::uint32_t>(m.arguments.size()),
                      m.arguments.size() + m.payload.size(), 0};
  std::array<std::byte, sizeof header> line{};
  conduit::message piece = m;
  piece.handler = piece_handler;
  piece.arguments = line;
  const std::size_t most = peers_.of(m.destination).medium_bytes;
  // The first piece carries the arguments in front; the others are views of the payload.
  std::vector<std::byte> first(std::min<std::size_t>(most, header.total));
  copy_bytes(first.data(), m.arguments);
  const std::size_t head = first.size() - m.arguments.size();
  copy_bytes(first.data() + m.arguments.size(), m.payload.first(head));
  std::memcpy(line.data(), &header, sizeof header);
  piece.payload = first;
  send_one(piece, site);
  for (std::size_t sent = head; sent < m.payload.size(); sent += piece.payload.size()) {
    header.offset = m.arguments.size() + sent;
    std::memcpy(line.data(), &header, sizeof header);
    piece.payload = m.payload.subspan(sent, std::min(most, m.payload.size() - sent));
    send_one(piece, site);
  }
}

void injector::defer(const conduit::message& m) {
  deferred_[{m.destination, m.kind}].emplace_back(m);
  ++deferred_count_;
  ++in_the_way_;
  ++host(here_).counters().deferred;
  if (!throttled_ && deferred_count_ > here_.options().deferred_limit) {  // I3
    throttled_ = true;
    endpoint_.throttle(true);
  }
}

int injector::drain() {
  int sent = 0;
  for (auto it = deferred_.begin(); it != deferred_.end();) {
    auto& queue = it->second;
    while (!queue.empty() && inject(queue.front().view(), true).what == conduit::outcome::done) {
      queue.pop_front();
      --deferred_count_;
      --in_the_way_;
      ++sent;
    }
    it = queue.empty() ? deferred_.erase(it) : std::next(it);
  }
  if (throttled_ && deferred_count_ <= here_.options().deferred_limit / 2) {
    throttled_ = false;
    endpoint_.throttle(false);
  }
  return sent;
}

const stored_message* assembler::add(const conduit::message& piece) {
  const piece_header header = header_of(piece);
  const key which{{piece.source, piece.kind}, header.stream};
  auto it = partial_.find(which);
  if (it == partial_.end()) {
    conduit::message whole = piece;
    whole.handler = header.handler;
    whole.arguments = {};
    whole.payload = {};
    it = partial_.emplace(which, partial{stored_message(whole), header.total}).first;
    it->second.whole.bytes = std::exchange(spare_, {});
    it->second.whole.bytes.resize(header.total);
    it->second.whole.argument_bytes = header.argument_bytes;
  }
  partial& into = it->second;
  copy_bytes(into.whole.bytes.data() + header.offset, piece.payload);
  into.missing -= piece.payload.size();
  return into.missing == 0 ? &into.whole : nullptr;
}

void assembler::done(const conduit::message& piece) {
  const auto whole = partial_.find({{piece.source, piece.kind}, header_of(piece).stream});
  if (whole->second.whole.bytes.capacity() <= most_spare_bytes) {
    spare_ = std::move(whole->second.whole.bytes);
  }
  partial_.erase(whole);
}

}  // namespace upwash::detail
