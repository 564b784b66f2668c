// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory class by messages: what the initiator sends and what the owner answers.
//
//   put_piece   region offset                              + payload       no answer
//   put_last    region offset op word_region word_offset add + payload     -> acknowledge op
//   get         region offset bytes op position                           -> data op position
//   get_exposed exposure offset bytes op position                         -> data op position
//   atomic      region offset op operand compare kind|width               -> old_value op value
//   key_wanted  region                                                     -> key region size + key
//
// The class keeps order between a pair of ranks, so the last piece of a put speaks for all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/conduit/apply_atomic.hpp"
#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

enum class memory_engine::code : std::uint32_t {
  put_piece,
  put_last,
  acknowledge,
  get,
  get_exposed,
  data,
  atomic,
  old_value,
  key_wanted,
  key,
};

namespace {

using line = std::array<std::byte, conduit::max_argument_bytes>;

template <class... Args>
std::size_t pack(line& into, const Args&... args) {
  static_assert((sizeof(Args) + ... + 0) <= conduit::max_argument_bytes);
  std::size_t at = 0;
  const auto put = [&](const auto& value) {
    std::memcpy(into.data() + at, &value, sizeof value);
    at += sizeof value;
  };
  (put(args), ...);
  return at;
}

template <class... Args>
void unpack(std::span<const std::byte> from, Args&... args) {
  std::size_t at = 0;
  const auto take = [&](auto& value) {
    std::memcpy(&value, from.data() + at, sizeof value);
    at += sizeof value;
  };
  (take(args), ...);
}

constexpr std::uint64_t no_region = 0;

}  // namespace

// -- The initiator ------------------------------------------------------------------------------

bool memory_engine::inject(const conduit::message& m) {
  conduit::message numbered = m;
  std::uint32_t* number = peers_.ordered() ? nullptr : &next_number_[m.destination];
  if (number != nullptr) numbered.sequence = *number;
  if (endpoint_.send(numbered, true).what != conduit::outcome::done) return false;
  if (number != nullptr) ++*number;
  return true;
}

template <class... Args>
bool memory_engine::send(int destination, code kind, std::span<const std::byte> payload,
                         const Args&... args) {
  line arguments;
  conduit::message m;
  m.handler = {static_cast<std::uint32_t>(kind), conduit::core_module};
  m.kind = conduit::lane::memory;
  m.source = here_.rank();
  m.destination = destination;
  m.arguments = std::span(arguments).first(pack(arguments, args...));
  m.payload = payload;
  if (!deferred_.contains(destination) && inject(m)) return true;
  if (kind == code::put_piece || kind == code::put_last || kind == code::get ||
      kind == code::get_exposed || kind == code::atomic || kind == code::key_wanted) {
    return false;  // the operation itself waits and tries again
  }
  deferred_[destination].emplace_back(m);  // an answer: its bytes must be kept
  ++waiting_;
  return true;
}

part* memory_engine::find_part(int rank, std::uint64_t region) {
  region_state* in = regions_.find(region);
  if (in == nullptr) {
    throw error(error_kind::argument,
                fmt::format("rank {}: an operation names a region that was freed", here_.rank()));
  }
  if (part* found = regions_.fetched(*in, rank)) return found;
  if (!keys_asked_.contains({region, rank}) && send(rank, code::key_wanted, {}, region)) {
    keys_asked_.insert({region, rank});
  }
  return nullptr;
}

bool memory_engine::start_emulated(operation& op) {
  switch (op.what.what) {
    case transfer::kind::put: return emulate_put(op);
    case transfer::kind::atomic: return emulate_atomic(op);
    default: return emulate_get(op);
  }
}

bool memory_engine::emulate_put(operation& op) {
  const transfer& what = op.what;
  const std::size_t most = peers_.of(what.at.rank).medium_bytes;
  for (;;) {
    const std::size_t size = std::min(most, what.bytes - op.injected);
    const std::span payload(what.from + op.injected, size);
    const std::uint64_t offset = what.at.offset + op.injected;
    if (op.injected + size < what.bytes) {
      if (!send(what.at.rank, code::put_piece, payload, what.at.region, offset)) return false;
      op.injected += size;
      continue;
    }
    const std::uint64_t word = what.signal.rank >= 0 ? what.signal.region : no_region;
    if (!op.remote.open) {  // the acknowledgement ends it: it always has a stage to tell
      op.remote.open = true;
    }
    if (!send(what.at.rank, code::put_last, payload, what.at.region, offset, &op, word,
              what.signal.offset, what.signal_add)) {
      return false;
    }
    if (op.local.open) told(op.local);
    return true;
  }
}

bool memory_engine::send_signal(operation& op) {
  const transfer& what = op.what;
  operation* answer_to = &op;
  return send(what.at.rank, code::put_last, {}, what.at.region, what.at.offset, answer_to,
              what.signal.region, what.signal.offset, what.signal_add);
}

bool memory_engine::emulate_get(operation& op) {
  const transfer& what = op.what;
  const bool exposed = what.what == transfer::kind::get_exposed;
  const std::size_t most = peers_.of(what.at.rank).medium_bytes;
  std::size_t& owed = owed_[what.at.rank];
  do {
    const std::uint64_t size = std::min(most, what.bytes - op.injected);
    if (owed == most_owed) return false;  // tried again when some have come
    if (!send(what.at.rank, exposed ? code::get_exposed : code::get, {}, what.at.region,
              what.at.offset + op.injected, size, &op, op.injected)) {
      return false;
    }
    ++owed;
    op.injected += size;
  } while (op.injected < what.bytes);
  return true;
}

bool memory_engine::emulate_atomic(operation& op) {
  const transfer& what = op.what;
  const std::uint64_t form =
      (static_cast<std::uint64_t>(what.atomic.kind) << 8U) | what.atomic.width;
  return send(what.at.rank, code::atomic, {}, what.at.region, what.at.offset, &op,
              what.atomic.operand, what.atomic.compare, form);
}

// -- The owner, and the answers -----------------------------------------------------------------

void memory_engine::deliver(const conduit::message& m) {
  const auto held = lock();
  here_.charge(conduit::cost::handler, 1);
  if (peers_.ordered()) {
    serve(m);
  } else {
    in_order_.receive(m, [this](const conduit::message& next) { serve(next); });
  }
}

void memory_engine::serve(const conduit::message& m) {
  const auto kind = static_cast<code>(m.handler.offset);
  operation* op = nullptr;
  switch (kind) {
    case code::put_piece:
    case code::put_last: return serve_put(m, kind);
    case code::get:
    case code::get_exposed: return serve_get(m, kind);
    case code::atomic: return serve_atomic(m);
    case code::key_wanted: return serve_key(m);
    case code::key:
      keys_.emplace_back(m);
      ++waiting_;
      return;
    case code::acknowledge: unpack(m.arguments, op); return told(op->remote);
    case code::old_value: {
      std::uint64_t old = 0;
      unpack(m.arguments, op, old);
      if (op->what.old != nullptr) *op->what.old = old;
      const bool remote = op->remote.open;
      if (op->local.open) told(op->local);
      if (remote) told(op->remote);
      return;
    }
    case code::data: {
      std::uint64_t position = 0;
      unpack(m.arguments, op, position);
      if (!m.payload.empty()) {
        std::memcpy(op->what.into + position, m.payload.data(), m.payload.size());
      }
      --owed_[m.source];
      op->acknowledged += m.payload.size();
      if (op->acknowledged == op->what.bytes) told(op->local);
      return;
    }
  }
}

std::byte* memory_engine::owned(std::uint64_t region, std::uint64_t offset, std::size_t bytes,
                                int source) {
  const region_state* mine = regions_.find(region);
  if (mine == nullptr || offset > mine->own.size || bytes > mine->own.size - offset) {
    throw error(
        error_kind::fault,
        fmt::format("rank {} reached for {} bytes at offset {} of rank {}, which has {} "
                    "there; it was freed too early, or the pointer is wrong",
                    source, bytes, offset, here_.rank(), mine == nullptr ? 0 : mine->own.size));
  }
  return mine->own.base + offset;
}

void memory_engine::serve_put(const conduit::message& m, code kind) {
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
  unpack(m.arguments, region, offset);
  std::byte* to = owned(region, offset, m.payload.size(), m.source);
  if (!m.payload.empty()) std::memcpy(to, m.payload.data(), m.payload.size());
  if (kind == code::put_piece) return;
  operation* op = nullptr;
  std::uint64_t word = 0;
  std::uint64_t at = 0;
  std::uint64_t add = 0;
  unpack(m.arguments, region, offset, op, word, at, add);
  if (word != no_region) {
    conduit::apply_atomic(owned(word, at, sizeof add, m.source),
                          {conduit::atomic_kind::add, sizeof add, add, 0});
  }
  send(m.source, code::acknowledge, {}, op);
}

void memory_engine::serve_get(const conduit::message& m, code kind) {
  std::uint64_t subject = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  operation* op = nullptr;
  std::uint64_t position = 0;
  unpack(m.arguments, subject, offset, bytes, op, position);
  const std::byte* from = nullptr;
  if (kind == code::get) {
    from = owned(subject, offset, bytes, m.source);
  } else {
    const auto it = exposed_.find(subject);
    if (it == exposed_.end() || offset + bytes > it->second.size()) {
      throw error(error_kind::fault, fmt::format("rank {} reads {} bytes at {} of exposed memory "
                                                 "that rank {} has withdrawn, or that is smaller",
                                                 m.source, bytes, offset, here_.rank()));
    }
    from = it->second.data() + offset;
  }
  send(m.source, code::data, {from, bytes}, op, position);
}

void memory_engine::serve_atomic(const conduit::message& m) {
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
  operation* op = nullptr;
  conduit::atomic_operation what;
  std::uint64_t form = 0;
  unpack(m.arguments, region, offset, op, what.operand, what.compare, form);
  what.kind = static_cast<conduit::atomic_kind>(form >> 8U);
  what.width = static_cast<std::uint8_t>(form & 0xffU);
  const std::uint64_t old =
      conduit::apply_atomic(owned(region, offset, what.width, m.source), what);
  send(m.source, code::old_value, {}, op, old);
}

void memory_engine::serve_key(const conduit::message& m) {
  std::uint64_t region = 0;
  unpack(m.arguments, region);
  static_cast<void>(owned(region, 0, 0, m.source));
  const conduit::memory_block& own = regions_.find(region)->own;
  send(m.source, code::key, own.key.used(), region, static_cast<std::uint64_t>(own.size));
}

int memory_engine::enter_keys() {
  int entered = 0;
  for (; !keys_.empty(); ++entered) {
    const conduit::message m = keys_.front().view();
    std::uint64_t region = 0;
    std::uint64_t size = 0;
    conduit::memory_key key;
    unpack(m.arguments, region, size);
    key.size = static_cast<std::uint32_t>(m.payload.size());
    if (key.size != 0) std::memcpy(key.bytes.data(), m.payload.data(), key.size);
    keys_asked_.erase({region, m.source});
    const int source = m.source;
    keys_.pop_front();
    --waiting_;
    if (region_state* in = regions_.find(region)) regions_.enter(*in, source, key, size);
  }
  return entered;
}

}  // namespace upwash::detail
