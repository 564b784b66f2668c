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
//   put_silent  region offset                              + payload       no answer, counted
//   count_wanted op                                                        -> counted op puts
//   served_wanted                                                          -> served
//   key_wanted  region                                                     -> key region size + key
//   (a layer's) op region offset arguments                 + payload       -> answer op position
//   total
//
// The class keeps order between a pair of ranks, so the last piece of a put speaks for all. `op` is
// a name, which the owner gives back. Handlers of layers: memory_calls.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/word_copy.hpp"
#include "upwash/core/detail/memory_engine.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {
namespace {

constexpr std::uint64_t no_region = 0;

/// Answers that tell nothing but that the memory has served what was asked.
constexpr bool is_by_memory(std::uint32_t number) noexcept {
  const auto code = static_cast<memory_code>(number);
  return code == memory_code::acknowledge || code == memory_code::key ||
         code == memory_code::counted || code == memory_code::served;
}

}  // namespace

// -- The initiator ------------------------------------------------------------------------------

bool memory_engine::inject(const conduit::message& m) {
  conduit::message numbered = m;
  std::uint32_t* number = peers_.ordered() ? nullptr : &next_number_[m.destination];
  if (number != nullptr) numbered.sequence = *number;
  const bool unheard = watch_ != nullptr && is_by_memory(m.handler.offset);
  if (unheard) watch_->injects_for_memory(here_.rank());
  const bool gone = endpoint_.send(numbered, true).what == conduit::outcome::done;
  if (unheard) watch_->injected(here_.rank());
  if (!gone) return false;
  if (number != nullptr) ++*number;
  return true;
}

conduit::message memory_engine::composed(int destination, std::uint32_t number,
                                         const memory_line& line,
                                         std::span<const std::byte> payload) const noexcept {
  conduit::message m;
  m.handler = {number, conduit::core_module};
  m.kind = conduit::lane::memory;
  m.source = here_.rank();
  m.destination = destination;
  m.arguments = line.used();
  m.payload = payload;
  return m;
}

bool memory_engine::request(int destination, std::uint32_t number, const memory_line& line,
                            std::span<const std::byte> payload) {
  return !deferred_.contains(destination) && inject(composed(destination, number, line, payload));
}

void memory_engine::reply(int destination, memory_code code, const memory_line& line,
                          std::span<const std::byte> payload) {
  const conduit::message m = composed(destination, static_cast<std::uint32_t>(code), line, payload);
  if (!deferred_.contains(destination) && inject(m)) return;
  deferred_[destination].emplace_back(m);
  ++waiting_;
  if (threaded_) endpoint_.wake_poll_memory();  // which sees to it, whatever the rank does
}

part* memory_engine::find_part(int rank, std::uint64_t region) {
  region_state* in = regions_.find(region);
  if (in == nullptr) {
    throw error(error_kind::argument,
                fmt::format("rank {}: an operation names a region that was freed", here_.rank()));
  }
  if (part* found = regions_.fetched(*in, rank)) return found;
  if (!keys_asked_.contains({region, rank}) &&
      request(rank, memory_code::key_wanted, memory_line(region))) {
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
      const memory_line line(what.at.region, offset);
      if (!request(what.at.rank, memory_code::put_piece, line, payload)) return false;
      op.injected += size;
      continue;
    }
    const std::uint64_t word = what.signal.rank >= 0 ? what.signal.region : no_region;
    if (what.silent) {
      const memory_line line(what.at.region, offset);
      if (!request(what.at.rank, memory_code::put_silent, line, payload)) return false;
      ++records_[what.at.rank].sent;
      ++to_all_.sent;
      told(op.local);
      return true;
    }
    op.remote.open = true;  // the acknowledgement ends it, whether or not anybody asked to be told
    const memory_line line(what.at.region, offset, name_of(op), word, what.signal.offset,
                           what.signal_add);
    if (!request(what.at.rank, memory_code::put_last, line, payload)) return false;
    if (op.local.open) told(op.local);
    return true;
  }
}

bool memory_engine::send_signal(operation& op) {
  const transfer& what = op.what;
  return request(what.at.rank, memory_code::put_last,
                 memory_line(what.at.region, what.at.offset, name_of(op), what.signal.region,
                             what.signal.offset, what.signal_add));
}

bool memory_engine::emulate_get(operation& op) {
  const transfer& what = op.what;
  const bool exposed = what.what == transfer::kind::get_exposed;
  const std::size_t most = peers_.of(what.at.rank).medium_bytes;
  const memory_code code = exposed ? memory_code::get_exposed : memory_code::get;
  do {
    const std::uint64_t size = std::min(most, what.bytes - op.injected);
    if (!may_owe(what.at.rank, 1)) return false;  // tried again when some have come
    const std::uint64_t position = op.injected;
    const memory_line line(what.at.region, what.at.offset + position, size, name_of(op), position);
    if (!request(what.at.rank, code, line)) return false;
    ++owed_[what.at.rank].gets;
    op.injected += size;
  } while (op.injected < what.bytes);
  return true;
}

bool memory_engine::emulate_atomic(operation& op) {
  const transfer& what = op.what;
  const std::uint64_t form =
      (static_cast<std::uint64_t>(what.atomic.kind) << 8U) | what.atomic.width;
  return request(what.at.rank, memory_code::atomic,
                 memory_line(what.at.region, what.at.offset, name_of(op), what.atomic.operand,
                             what.atomic.compare, form));
}

// -- The owner, and the answers -----------------------------------------------------------------

void memory_engine::deliver(const conduit::message& m) {
  const auto held = lock();
  host(here_).charge(conduit::cost::handler, 1);
  if (peers_.ordered()) {
    serve(m);
  } else {
    in_order_.receive(m, [this](const conduit::message& next) { serve(next); });
  }
}

/// In the order of their numbers.
void memory_engine::add_own_rows() {
  using engine = memory_engine;
  using row = memory_row;
  using message = conduit::message;
  const auto add = [this](memory_code code, std::string_view name, decltype(row::serve) how) {
    rows_.add({.number = static_cast<std::uint32_t>(code), .name = name, .serve = how},
              here_.rank());
  };
  add(memory_code::put_piece, "put_piece",
      [](engine& e, const row&, const message& m) { e.serve_put(m, memory_code::put_piece); });
  add(memory_code::put_last, "put_last",
      [](engine& e, const row&, const message& m) { e.serve_put(m, memory_code::put_last); });
  add(memory_code::acknowledge, "acknowledge",
      [](engine& e, const row&, const message& m) { e.take_acknowledgement(m); });
  add(memory_code::get, "get",
      [](engine& e, const row&, const message& m) { e.serve_get(m, memory_code::get); });
  add(memory_code::get_exposed, "get_exposed",
      [](engine& e, const row&, const message& m) { e.serve_get(m, memory_code::get_exposed); });
  add(memory_code::data, "data", [](engine& e, const row&, const message& m) { e.take_data(m); });
  add(memory_code::atomic, "atomic",
      [](engine& e, const row&, const message& m) { e.serve_atomic(m); });
  add(memory_code::old_value, "old_value",
      [](engine& e, const row&, const message& m) { e.take_old_value(m); });
  add(memory_code::key_wanted, "key_wanted",
      [](engine& e, const row&, const message& m) { e.serve_key(m); });
  add(memory_code::key, "key", [](engine& e, const row&, const message& m) {
    e.keys_.emplace_back(m);
    ++e.waiting_;
  });
  add(memory_code::answer, "answer",
      [](engine& e, const row&, const message& m) { e.take_answer(m); });
  add(memory_code::put_silent, "put_silent",
      [](engine& e, const row&, const message& m) { e.serve_put(m, memory_code::put_silent); });
  add(memory_code::count_wanted, "count_wanted", [](engine& e, const row&, const message& m) {
    std::uint64_t name = 0;
    unpack(m.arguments, name);
    e.reply(m.source, memory_code::counted, memory_line(name, e.records_[m.source].arrived));
  });
  add(memory_code::counted, "counted",
      [](engine& e, const row&, const message& m) { e.take_count(m); });
  add(memory_code::served_wanted, "served_wanted", [](engine& e, const row&, const message& m) {
    e.reply(m.source, memory_code::served, memory_line());
  });
  add(memory_code::served, "served",
      [](engine& e, const row&, const message& m) { e.take_served(m.source); });
}

void memory_engine::serve(const conduit::message& m) {
  if (const memory_row* row = rows_.find(m.handler.offset)) return row->serve(*this, *row, m);
  throw error(error_kind::fault,
              fmt::format("rank {}: rank {} calls memory handler {:#x}, which this rank has not "
                          "registered; register it at all ranks before any of them calls it",
                          here_.rank(), m.source, m.handler.offset));
}

operation& memory_engine::named_by(int source, std::uint64_t name, transfer::kind kind) const {
  operation* op = names_.find(name);
  const bool get = kind == transfer::kind::get;
  if (op != nullptr && op->what.at.rank == source &&
      (op->what.what == kind || (get && op->what.what == transfer::kind::get_exposed))) {
    return *op;
  }
  throw error(error_kind::fault,
              fmt::format("rank {}: rank {} answers memory operation {:#x}, which is not under way "
                          "there; its memory or its messages are damaged",
                          here_.rank(), source, name));
}

void memory_engine::take_acknowledgement(const conduit::message& m) {
  std::uint64_t name = 0;
  unpack(m.arguments, name);
  told(named_by(m.source, name, transfer::kind::put).remote);
}

void memory_engine::take_old_value(const conduit::message& m) {
  std::uint64_t name = 0;
  std::uint64_t old = 0;
  unpack(m.arguments, name, old);
  operation& op = named_by(m.source, name, transfer::kind::atomic);
  if (op.what.old != nullptr) *op.what.old = old;
  static_cast<void>(settle(op, conduit::injection::done()));
}

void memory_engine::take_data(const conduit::message& m) {
  std::uint64_t name = 0;
  std::uint64_t position = 0;
  unpack(m.arguments, name, position);
  operation& op = named_by(m.source, name, transfer::kind::get);
  if (position > op.what.bytes || m.payload.size() > op.what.bytes - position) {
    throw error(error_kind::fault,
                fmt::format("rank {}: rank {} answers a get of {} bytes with {} at {}; its memory "
                            "or its messages are damaged",
                            here_.rank(), m.source, op.what.bytes, m.payload.size(), position));
  }
  if (!m.payload.empty()) {
    std::memcpy(op.what.into + position, m.payload.data(), m.payload.size());
  }
  --owed_[m.source].gets;
  op.acknowledged += m.payload.size();
  if (op.acknowledged == op.what.bytes) told(op.local);
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

void memory_engine::serve_put(const conduit::message& m, memory_code kind) {
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
  unpack(m.arguments, region, offset);
  std::byte* to = owned(region, offset, m.payload.size(), m.source);
  store_words(to, m.payload.data(), m.payload.size());
  if (watch_ != nullptr) watch_->wrote(here_.rank(), m.source, {to, m.payload.size()});
  if (kind == memory_code::put_piece) return;
  if (kind == memory_code::put_silent) {
    ++records_[m.source].arrived;
    arrived_.fetch_add(1, std::memory_order_release);  // whoever sees it sees the data
    return;
  }
  std::uint64_t op = 0;
  std::uint64_t word = 0;
  std::uint64_t at = 0;
  std::uint64_t add = 0;
  unpack(m.arguments, region, offset, op, word, at, add);
  if (word != no_region) {
    apply_atomic(owned(word, at, sizeof add, m.source),
                 {conduit::atomic_kind::add, sizeof add, add, 0});
  }
  reply(m.source, memory_code::acknowledge, memory_line(op));
}

void memory_engine::serve_get(const conduit::message& m, memory_code kind) {
  std::uint64_t subject = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t op = 0;
  std::uint64_t position = 0;
  unpack(m.arguments, subject, offset, bytes, op, position);
  const std::byte* from = nullptr;
  if (kind == memory_code::get) {
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
  // The conduit copies the payload by any number of loads, so words are loaded here.
  std::array<std::byte, most_copied_by_words> words;
  if (bytes <= words.size()) {
    load_words(words.data(), from, bytes);
    from = words.data();
  }
  reply(m.source, memory_code::data, memory_line(op, position), {from, bytes});
}

void memory_engine::serve_atomic(const conduit::message& m) {
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
  std::uint64_t op = 0;
  conduit::atomic_operation what;
  std::uint64_t form = 0;
  unpack(m.arguments, region, offset, op, what.operand, what.compare, form);
  what.kind = static_cast<conduit::atomic_kind>(form >> 8U);
  what.width = static_cast<std::uint8_t>(form & 0xffU);
  const std::uint64_t old = apply_atomic(owned(region, offset, what.width, m.source), what);
  reply(m.source, memory_code::old_value, memory_line(op, old));
}

void memory_engine::serve_key(const conduit::message& m) {
  std::uint64_t region = 0;
  unpack(m.arguments, region);
  static_cast<void>(owned(region, 0, 0, m.source));
  const conduit::memory_block& own = regions_.find(region)->own;
  reply(m.source, memory_code::key, memory_line(region, static_cast<std::uint64_t>(own.size)),
        own.key.used());
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
