// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/peer_memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/edge_data.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/operator_call.hpp"
#include "upwash/collective/detail/run/team_records.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::collective::detail {
namespace {

bool is_peers(const operation& op, const schedule::piece& p) {
  return (p.of == schedule::buffer::input || p.of == schedule::buffer::output) &&
         p.owner != schedule::own && p.owner != op.among.rank();
}

[[noreturn]] void refuse_two_peers(const operation& op, const char* what) {
  throw error(
      error_kind::argument,
      fmt::format("rank {}: {} by {}: a step {}, but one of its pieces at most may be a "
                  "peer's; copy the other here first",
                  op.among.here().rank(), op.how.agreed.operation, op.how.agreed.algorithm, what));
}

}  // namespace

bool peer_memory::copy(operation& op, slot& s) {
  const schedule::step& what = s.what;
  if (s.state == progress_of::fetching) return moved(op, s);
  if (is_peers(op, what.into)) return store_to_peer(op, s);
  if (is_peers(op, what.left)) {
    if (!read_from_peer(op, s, what.left, {op.target(what.into), what.into.bytes})) return false;
    static_cast<void>(moved(op, s));
    return true;
  }
  if (what.into.bytes != 0) {
    std::memmove(op.target(what.into), op.source(what.left), what.into.bytes);
  }
  host(here_).charge(conduit::cost::copy, what.into.bytes);
  op.complete(s);
  return true;
}

/// Whether the put or get of a copy is complete.
bool peer_memory::moved(operation& op, slot& s) {
  if (!s.moving.done()) {
    op.stir(s);
    return false;
  }
  op.complete(s);
  return true;
}

bool peer_memory::store_to_peer(operation& op, slot& s) {
  const schedule::step& what = s.what;
  if (is_peers(op, what.left)) refuse_two_peers(op, "copies from a peer to a peer");
  if (op.rules.addresses != schedule::address_mode::single) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} by {} stores into its peers' buffers, which needs address "
                            "mode single: buffers at the same offset of one region",
                            here_.rank(), op.how.agreed.operation, op.how.agreed.algorithm));
  }
  s.moving = put(here_, global_of(op, what.into.owner, what.into),
                 {op.source(what.left), what.left.bytes});
  s.state = progress_of::fetching;
  static_cast<void>(moved(op, s));
  return true;
}

/// Begins to read a peer's piece; false: it is not known yet where that is.
bool peer_memory::read_from_peer(operation& op, slot& s, const schedule::piece& p,
                                 std::span<std::byte> into) {
  // Another step's answer may be here already; but this step's is on its way, and names the slot.
  if (s.state == progress_of::asked) return false;
  if (op.rules.addresses == schedule::address_mode::single) {
    s.moving = get(here_, global_of(op, p.owner, p), into);
  } else if (op.exposes(p.of)) {
    const exposed_memory* memory =
        op.on_team.shared->exposed(p.owner, op.epoch, p.of == schedule::buffer::output);
    if (memory == nullptr) {
      op.stir(s);
      return false;
    }
    s.moving = get(here_, *memory, p.offset, into);
  } else {
    const exposed_memory* known = op.peers.first({p.owner, p.of});
    if (known == nullptr) {
      ask(op, s, p);
      return false;
    }
    s.moving = get(here_, *known, p.offset, into);
  }
  s.state = progress_of::fetching;
  return true;
}

bool peer_memory::reduce(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const std::byte* left = op.source(what.left);
  const std::byte* right = op.source(what.right);
  const bool peers_left = is_peers(op, what.left);
  const bool peers_right = is_peers(op, what.right);
  if (peers_left && peers_right) refuse_two_peers(op, "reduces two operands of peers");
  if (is_peers(op, what.into)) refuse_two_peers(op, "reduces into a peer's buffer");
  if (peers_left || peers_right) {
    const schedule::piece& theirs = peers_left ? what.left : what.right;
    if (s.state != progress_of::fetching) {
      s.staged.resize(theirs.bytes);
      if (!read_from_peer(op, s, theirs, s.staged)) return false;
    }
    if (!s.moving.done()) {
      op.stir(s);
      return false;
    }
    (peers_left ? left : right) = s.staged.data();
  }
  if (what.into.bytes != 0) {
    apply_operator(here_, op.buffers.combine, left, right, op.target(what.into), what.into.bytes);
  }
  host(here_).charge(conduit::cost::reduce, what.into.bytes);
  op.complete(s);
  return true;
}

// -- Address mode local -------------------------------------------------------------------------

void peer_memory::ask(operation& op, slot& s, const schedule::piece& p) {
  const auto asked =
      try_send<&handle_where>(here_, op.among.world_rank(p.owner), op.among.id(), op.run(),
                              static_cast<std::uint32_t>(p.of), slots_.name_of(s));
  if (asked.what == conduit::outcome::done) {
    s.state = progress_of::asked;
  } else {
    op.stir(s);
  }
}

void peer_memory::expose_buffers(operation& op) {
  for (const auto which : {schedule::buffer::input, schedule::buffer::output}) {
    if (!op.exposes(which)) continue;
    const bool output = which == schedule::buffer::output;
    op.on_team.shared->expose(op.epoch, output, exposed(op, which));
  }
}

/// Where the buffer here is, for whoever asks; made readable when the first does.
const exposed_memory& peer_memory::exposed(operation& op, schedule::buffer which) {
  const bool output = which == schedule::buffer::output;
  auto& memory = output ? op.exposed_output : op.exposed_input;
  if (!memory) {
    memory =
        expose(here_, output ? std::span<const std::byte>(op.buffers.output) : op.buffers.input);
  }
  return *memory;
}

void peer_memory::conceal_buffers(operation& op) {
  for (auto* memory : {&op.exposed_input, &op.exposed_output}) {
    if (*memory) conceal(here_, **memory);
    memory->reset();
  }
  op.peers.clear();
}

void peer_memory::asked(const question& by) {
  if (operation* op = running_.find(by.of)) {
    answer(*op, by);
  } else {
    questions_.push_back(by);
  }
}

void peer_memory::answer(operation& op, const question& asked) {
  const exposed_memory& memory = exposed(op, asked.which);
  send_medium<&handle_here>(here_, asked.rank, std::as_bytes(std::span(&memory, 1)), asked.asker);
}

void peer_memory::answer_questions(operation& op) {
  for (std::size_t i = 0; i < questions_.size();) {
    if (questions_[i].of != run_key{op.among.id(), op.run()}) {
      ++i;
      continue;
    }
    const question asked = questions_[i];
    questions_.erase(questions_.begin() + static_cast<std::ptrdiff_t>(i));
    answer(op, asked);
  }
}

void peer_memory::told(int owner, std::uint64_t name, const exposed_memory& memory) {
  slot& asker = slots_.waiting(here_, owner, name, progress_of::asked);
  const schedule::step& what = asker.what;
  operation& op = *asker.of;
  const schedule::piece& p = is_peers(op, what.left) ? what.left : what.right;
  if (op.peers.first({p.owner, p.of}) == nullptr) op.peers.push({p.owner, p.of}, memory);
  asker.state = progress_of::waiting;
  op.stir(asker);
}

}  // namespace upwash::collective::detail
