// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rank's own calls; what comes in is in arrivals.cpp.
#include "upwash/matching/detail/messenger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/matching/detail/handlers.hpp"

namespace upwash::matching::detail {

messenger::messenger(job& here) : here_(here), charges_(here.endpoint().describe().virtual_time) {
  use({});
}

void messenger::use(const message_options& chosen) {
  if (posted_ && posted_->size() > 0) {
    throw error(error_kind::argument,
                fmt::format("rank {}: other stores are chosen while {} receives are posted; choose "
                            "before the first receive",
                            here_.rank(), posted_->size()));
  }
  options_ = chosen;
  options_.eager_bytes = std::min(options_.eager_bytes, medium_limit(here_));
  share_ = chosen.unexpected_bytes / static_cast<std::uint64_t>(here_.size());
  shape s;
  s.ranks = here_.size();
  posted_ = make_store(chosen.engine, chosen.partition, side::posted, s);
  // A peer that started earlier may have sent already: what came moves over, in its order.
  const auto before =
      std::exchange(unexpected_, make_store(chosen.engine, chosen.partition, side::unexpected, s));
  for (std::uint32_t c = 0; before && c < contexts_.size(); ++c) {
    while (entry* e = before->take({c, any_source, any_tag, 0})) unexpected_->insert(*e);
  }
}

std::uint32_t messenger::context_of(std::uint64_t team) {
  if (team != last_team_) {
    const auto next = static_cast<std::uint32_t>(contexts_.size());
    last_context_ = contexts_.emplace(team, next).first->second;
    last_team_ = team;
  }
  return last_context_;
}

envelope messenger::wanted_of(const team& from, int source, int tag, const char* call) {
  if (here_.in_handler()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} in a handler; messages are sent and received outside",
                            here_.rank(), call));
  }
  if (tag < any_tag || source < any_source || source >= from.size()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} from {} with tag {}: sources are 0 .. {} or any_source "
                            "(-1), tags 0 .. 2^31-1 or any_tag (-1)",
                            here_.rank(), call, source, tag, from.size() - 1));
  }
  return {context_of(from.id()), source, tag, 0};
}

entry* messenger::take(store& from, const envelope& wanted) {
  if (!charges_) return from.take(wanted);
  const auto before = from.spent().traversals;
  entry* found = from.take(wanted);
  here_.charge(conduit::cost::traversal, from.spent().traversals - before);
  return found;
}

posted& messenger::new_post(const envelope& what, std::span<std::byte> into, std::uint64_t team) {
  posted& p = *posts_.take();
  p.what = what;
  p.now = posted::state::waiting;
  p.truncated = false;
  p.into = into;
  p.got = {};
  p.owner = this;
  auto begun = begin_operation(
      here_, {.operation = "receive", .peer = -1, .bytes = into.size(), .team = team});
  p.handle = std::move(begun.handle);
  p.end = begun.end;
  return p;
}

receiving messenger::receive(const team& from, int source, int tag, std::span<std::byte> into) {
  const envelope wanted = wanted_of(from, source, tag, "receive");
  posted& p = new_post(wanted, into, from.id());
  if (entry* e = take(*unexpected_, wanted)) {
    consume(p, *static_cast<arrival*>(e));
  } else {
    posted_->insert(p);
  }
  return receiving(&p);
}

receiving messenger::receive_claimed(claimed_message&& claimed, std::span<std::byte> into) {
  if (claimed.state_ == nullptr) {
    throw error(error_kind::argument, "receive of a claimed message that was received already");
  }
  arrival& a = *std::exchange(claimed.state_, nullptr);
  posted& p = claimed.owner_->new_post(a.what, into, 0);
  claimed.owner_->consume(p, a);
  return receiving(&p);
}

std::optional<receipt> messenger::probe(const team& from, int source, int tag) {
  const envelope wanted = wanted_of(from, source, tag, "probe");
  here_.progress();
  const entry* e = unexpected_->find(wanted);
  if (e == nullptr) return std::nullopt;
  return receipt{e->what.source, e->what.tag, static_cast<const arrival*>(e)->size, false};
}

receipt messenger::wait_for_message(const team& from, int source, int tag) {
  waiting_probe mine{wanted_of(from, source, tag, "probe")};
  for (;;) {
    if (const auto found = probe(from, source, tag)) return *found;
    mine.seen = false;
    probes_.push_back(&mine);
    here_.wait(conduit::wait_target::predicate(
                   [](const void* p) { return static_cast<const waiting_probe*>(p)->seen; }, &mine),
               {.operation = "probe", .peer = -1, .bytes = 0, .team = from.id()});
    std::erase(probes_, &mine);
  }
}

std::optional<claimed_message> messenger::claim(const team& from, int source, int tag) {
  const envelope wanted = wanted_of(from, source, tag, "claim");
  here_.progress();
  auto* a = static_cast<arrival*>(take(*unexpected_, wanted));
  if (a == nullptr) return std::nullopt;
  return claimed_message(*this, *a, {a->what.source, a->what.tag, a->size, false});
}

bool messenger::cancel(posted& p) {
  if (p.now != posted::state::waiting) return false;
  posted_->erase(p);
  p.got.cancelled = true;
  complete(p);
  return true;
}

request messenger::send(const team& to, int destination, int tag, std::span<const std::byte> bytes,
                        mode how) {
  if (here_.in_handler()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: send in a handler; use active messages", here_.rank()));
  }
  if (tag < 0 || destination < 0 || destination >= to.size()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: send to {} with tag {}: destinations are 0 .. {}, tags 0 .. "
                            "2^31-1",
                            here_.rank(), destination, tag, to.size() - 1));
  }
  const int rank = to.world_rank(destination);
  label with{to.id(), 0, to.rank(), tag, how == mode::ready ? 1U : 0U};
  balance& other = peers_[rank];
  const bool room = other.outstanding + charge_of(bytes.size()) <= share_;
  const bool eager = bytes.size() <= options_.eager_bytes && room;
  if (eager) other.outstanding += charge_of(bytes.size());
  if (eager && how != mode::synchronous) {
    send_medium<&handle_eager>(here_, rank, bytes, with);
    return {};
  }
  sending& s = *sends_.take();
  with.sender = reinterpret_cast<std::uintptr_t>(&s);
  auto begun = begin_operation(
      here_, {.operation = "send", .peer = rank, .bytes = bytes.size(), .team = to.id()});
  s.end = begun.end;
  s.memory = {};
  if (eager) {
    send_medium<&handle_eager>(here_, rank, bytes, with);
  } else {
    if (!bytes.empty()) s.memory = expose(here_, bytes);
    exposed_memory told = s.memory;
    told.bytes = bytes.size();
    send_medium<&handle_offer>(here_, rank, std::as_bytes(std::span(&told, 1)), with);
  }
  return std::move(begun.handle);
}

std::string messenger::describe_pending() const {
  if (posted_->size() + unexpected_->size() == 0) return {};
  return fmt::format("{} receives posted, {} messages not received", posted_->size(),
                     unexpected_->size());
}

}  // namespace upwash::matching::detail
