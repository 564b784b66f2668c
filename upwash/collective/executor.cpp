// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/executor.hpp"

#include <fmt/format.h>

#include <cstring>
#include <list>
#include <map>
#include <memory>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/operation.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/service.hpp"

namespace upwash::collective {
namespace {

using detail::edge_key;
using detail::operation;
using detail::progress_of;
using detail::slot;
using schedule::step_kind;

/// A message that came before its receive: its bytes, or where to fetch them.
struct early {
  std::vector<std::byte> bytes;
  exposed_memory offered;
  std::uint64_t sender = 0;
  bool is_offer = false;
};

/// Runs a rank's operations. Memory: the operations in flight, and what came early for them.
class executor final : public service_base {
 public:
  explicit executor(job& here) : here_(here), medium_bytes_(medium_limit(here)) {}

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress(int budget) override;
  [[nodiscard]] std::string describe_pending() const override;
  void on_team_free(const team& going) override { numbers_.erase(going.id()); }

  request start(const team& among, const schedule::generator& steps, const binding& buffers,
                const char* name);

  void eager_came(const edge_key& key, std::span<const std::byte> bytes);
  void offer_came(const edge_key& key, const exposed_memory& memory, std::uint64_t sender);
  void was_fetched(std::uint64_t sender);

 private:
  int advance(operation& op);
  bool try_step(operation& op, slot& s);
  bool send(operation& op, slot& s);
  bool receive(operation& op, slot& s);
  bool acknowledge(slot& s);
  void take(slot& s, std::span<const std::byte> bytes);
  void fetch(slot& s, const exposed_memory& memory, std::uint64_t sender);

  job& here_;
  const std::size_t medium_bytes_;
  std::list<operation> running_;
  std::map<std::uint64_t, std::uint32_t> numbers_;  ///< operations begun, by team
  std::map<edge_key, early> early_;
  std::map<edge_key, slot*> posted_;
};

void eager(incoming& in, std::uint64_t team, std::uint32_t number, std::uint32_t edge) {
  in.here().service<executor>().eager_came({team, number, edge, in.source()}, in.payload());
}

void offer(incoming& in, std::uint64_t team, std::uint32_t number, std::uint32_t edge,
           std::uint64_t sender) {
  exposed_memory memory;
  std::memcpy(&memory, in.payload().data(), sizeof memory);
  in.here().service<executor>().offer_came({team, number, edge, in.source()}, memory, sender);
}

void fetched(incoming& in, std::uint64_t sender) {
  in.here().service<executor>().was_fetched(sender);
}

request executor::start(const team& among, const schedule::generator& steps, const binding& buffers,
                        const char* name) {
  const std::uint32_t number = numbers_[among.id()]++;
  begun_operation begun = begin_operation(
      here_,
      {.operation = name, .bytes = buffers.output.size(), .team = among.id(), .number = number});
  operation& op = running_.emplace_back(among, number, steps, buffers, begun.end);
  advance(op);
  if (op.finished()) {
    op.end.complete();
    running_.pop_back();
  }
  return std::move(begun.handle);
}

int executor::progress(int /*budget*/) {
  int moved = 0;
  for (auto op = running_.begin(); op != running_.end();) {
    moved += advance(*op);
    if (op->finished()) {
      op->end.complete();
      op = running_.erase(op);
    } else {
      ++op;
    }
  }
  return moved;
}

/// Starts every step that can start, until none can.
int executor::advance(operation& op) {
  int moved = 0;
  for (bool again = true; again;) {
    again = false;
    op.refill();
    for (std::uint64_t i = op.base(); i < op.next(); ++i) {
      slot& s = op.at(i);
      if (s.state == progress_of::done || !op.ready(i) || !try_step(op, s)) continue;
      ++moved;
      again = true;
    }
  }
  return moved;
}

/// Whether the step came further.
bool executor::try_step(operation& op, slot& s) {
  const schedule::step& what = s.what;
  switch (what.kind) {
    case step_kind::send: return s.state == progress_of::waiting && send(op, s);
    case step_kind::receive:
      if (s.state == progress_of::fetched) return acknowledge(s);
      return s.state == progress_of::waiting && !s.posted && receive(op, s);
    case step_kind::copy:
      if (what.into.bytes != 0) {
        std::memmove(op.target(what.into), op.source(what.left), what.into.bytes);
      }
      here_.charge(conduit::cost::copy, what.into.bytes);
      break;
    case step_kind::reduce:
      if (what.into.bytes != 0) {
        op.buffers.combine.apply(op.source(what.left), op.source(what.right), op.target(what.into),
                                 what.into.bytes, op.buffers.combine.context);
      }
      here_.charge(conduit::cost::reduce, what.into.bytes);
      break;
    default:
      throw error(error_kind::argument,
                  fmt::format("rank {}: the executor has no such step yet: kind {}", here_.rank(),
                              static_cast<int>(what.kind)));
  }
  s.state = progress_of::done;
  return true;
}

bool executor::send(operation& op, slot& s) {
  const schedule::step& what = s.what;
  const int to = op.among.world_rank(what.peer);
  const std::span bytes(op.source(what.left), what.left.bytes);
  if (bytes.size() <= medium_bytes_) {
    const auto sent =
        try_send_medium<&eager>(here_, to, bytes, op.among.id(), op.number, what.edge);
    if (sent.what != conduit::outcome::done) return false;
    s.state = progress_of::done;
    return true;
  }
  if (!s.is_exposed) {
    s.exposed = expose(here_, bytes);
    s.is_exposed = true;
  }
  const auto offered =
      try_send_medium<&offer>(here_, to, std::as_bytes(std::span(&s.exposed, 1)), op.among.id(),
                              op.number, what.edge, reinterpret_cast<std::uint64_t>(&s));
  if (offered.what != conduit::outcome::done) return false;
  s.state = progress_of::offered;
  return true;
}

bool executor::receive(operation& op, slot& s) {
  const edge_key key = op.key_of(s);
  const auto found = early_.find(key);
  if (found == early_.end()) {
    posted_[key] = &s;
    s.posted = true;
    return false;
  }
  const early came = std::move(found->second);
  early_.erase(found);
  if (came.is_offer) {
    fetch(s, came.offered, came.sender);
  } else {
    take(s, came.bytes);
  }
  return true;
}

void executor::take(slot& s, std::span<const std::byte> bytes) {
  const schedule::piece& into = s.what.into;
  if (bytes.size() != into.bytes) {
    throw error(error_kind::fault,
                fmt::format("rank {}: {} bytes came from member {} where {} were expected "
                            "(collective #{} on team {:#x}); the members call different "
                            "collectives or sizes",
                            here_.rank(), bytes.size(), s.what.peer, into.bytes, s.of->number,
                            s.of->among.id()));
  }
  if (!bytes.empty()) std::memcpy(s.of->target(into), bytes.data(), bytes.size());
  here_.charge(conduit::cost::copy, bytes.size());
  s.state = progress_of::done;
}

void executor::fetch(slot& s, const exposed_memory& memory, std::uint64_t sender) {
  s.exposed = memory;
  s.sender = sender;
  s.state = progress_of::fetching;
  const auto arrived = [](void* where) { static_cast<slot*>(where)->state = progress_of::fetched; };
  get(here_, memory, 0, {s.of->target(s.what.into), s.what.into.bytes}, notice::call(arrived, &s));
}

bool executor::acknowledge(slot& s) {
  const auto told = try_send<&fetched>(here_, s.exposed.rank, s.sender);
  if (told.what != conduit::outcome::done) return false;
  s.state = progress_of::done;
  return true;
}

void executor::eager_came(const edge_key& key, std::span<const std::byte> bytes) {
  const auto wanted = posted_.find(key);
  if (wanted == posted_.end()) {
    early_[key].bytes.assign(bytes.begin(), bytes.end());
    return;
  }
  slot& s = *wanted->second;
  posted_.erase(wanted);
  take(s, bytes);
}

void executor::offer_came(const edge_key& key, const exposed_memory& memory, std::uint64_t sender) {
  const auto wanted = posted_.find(key);
  if (wanted == posted_.end()) {
    early_[key] = {{}, memory, sender, true};
    return;
  }
  slot& s = *wanted->second;
  posted_.erase(wanted);
  fetch(s, memory, sender);
}

void executor::was_fetched(std::uint64_t sender) {
  slot& s = *reinterpret_cast<slot*>(sender);  // alive: its operation waits for this
  conceal(here_, s.exposed);
  s.state = progress_of::done;
}

std::string executor::describe_pending() const {
  return running_.empty() ? std::string()
                          : fmt::format("{} collectives in flight", running_.size());
}

}  // namespace

request execute(const team& among, const schedule::generator& steps, const binding& buffers,
                const char* name) {
  return among.here().service<executor>().start(among, steps, buffers, name);
}

}  // namespace upwash::collective
