// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rank's own calls but its sends (sends.cpp); what comes in is in arrivals.cpp.
#include "upwash/matching/detail/messenger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/matching/detail/handlers.hpp"
#include "upwash/matching/trace.hpp"

namespace upwash::matching::detail {

messenger::messenger(job& here)
    : here_(here), charges_(host(here).endpoint().describe().virtual_time), contexts_(here) {
  use({});
}

messenger::~messenger() {
  if (log_) log_->last(depths());
}

void messenger::use(const message_options& chosen) {
  if (posted_ && posted_->size() + listed_.inquiries() > 0) {
    throw error(error_kind::argument,
                fmt::format("rank {}: other stores are chosen while {} receives are posted; choose "
                            "before the first receive",
                            here_.rank(), posted_->size() + listed_.inquiries()));
  }
  options_ = chosen;
  options_.eager_bytes = std::min(options_.eager_bytes, medium_limit(here_));
  share_ = chosen.unexpected_bytes / static_cast<std::uint64_t>(here_.size());
  envelopes_ = chosen.unexpected_envelopes / static_cast<std::uint64_t>(here_.size());
  log_.reset();
  observe::trace_writer* const trace = host(here_).trace();
  if (!chosen.trace.empty() || trace != nullptr) {
    log_ = std::make_unique<match_log>(here_, chosen.trace, trace);
  }
  profile_ = {};
  if (!chosen.profile.empty()) profile_ = read_profile(chosen.profile, here_.rank(), here_.size());
  posted_ = make_store(chosen.engine, chosen.partition, side::posted, shape_of(profile_.posted));
  // A peer that started earlier may have sent already: what came moves over, in its order.
  const auto before = std::exchange(
      unexpected_,
      make_store(chosen.engine, chosen.partition, side::unexpected, shape_of(profile_.unexpected)));
  const auto move = [&](std::uint32_t context, std::uint32_t kind) {
    while (entry* e = before->take({context, any_source, any_tag, kind})) {
      unexpected_->insert(*e);
      if (log_) log_->moved(e->what, static_cast<unexpected_message*>(e)->size);
    }
  };
  for (std::uint32_t c = 0; before && c < contexts_.end(); ++c) move(c, 0);
  for (const auto& [context, kind] : contexts_.kept_kinds()) move(context, kind);
}

shape messenger::shape_of(const queue_profile& profile) const {
  shape s;
  s.ranks = here_.size();
  s.profile = profile.by_source;
  s.by_context = profile.by_context;
  return s;
}

void messenger::refuse_source(const team& from, int source, int tag, const char* call) const {
  throw error(error_kind::argument,
              fmt::format("rank {}: {} from {} with tag {}: sources are 0 .. {} or any_source "
                          "(-1), tags 0 .. 2^31-1 or any_tag (-1)",
                          here_.rank(), call, source, tag, from.size() - 1));
}

void messenger::refuse_team() {
  throw error(error_kind::argument,
              "messages on no team: a split gave this rank none, or it was released; only members "
              "send and receive");
}

void messenger::refuse_in_handler(const char* call) const {
  throw error(error_kind::argument,
              fmt::format("rank {}: {} in a handler; messages are sent and received outside",
                          here_.rank(), call));
}

[[gnu::always_inline]] inline envelope messenger::wanted_of(const team& from, int source, int tag,
                                                            const char* call) {
  if (here_.in_handler()) [[unlikely]]
    refuse_in_handler(call);
  check_source(from, source, tag, call);
  const std::uint32_t context = contexts_.of(from.id(), 0);
  if (source < 0 || tag < 0) [[unlikely]]
    check_promises(from, {context, source, tag, 0}, call);
  return {context, source, tag, 0};
}

void messenger::promise(const team& on, const hints& what) {
  contexts_.promise(contexts_.of(on.id(), 0), what);
}

void messenger::check_promises(const team& from, envelope wanted, const char* call) const {
  const hints promised = contexts_.promised(wanted.context);
  const char* broken = wanted.source < 0 && promised.no_any_source ? "no_any_source"
                       : wanted.tag < 0 && promised.no_any_tag     ? "no_any_tag"
                                                                   : nullptr;
  if (broken == nullptr) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: {} from {} with tag {}: {} is promised on this team of {}; "
                          "name what is wanted, or promise less",
                          here_.rank(), call, wanted.source, wanted.tag, broken, from.size()));
}

entry* messenger::take_charged(store& from, const envelope& wanted) {
  const auto before = from.spent().traversals;
  entry* found = from.take(wanted);
  host(here_).charge(conduit::cost::traversal, from.spent().traversals - before);
  return found;
}

[[gnu::always_inline]] inline posted& messenger::new_post(envelope what, std::span<std::byte> into,
                                                          item_type items) {
  posted& p = *posts_.take();
  p.what = what;
  p.now = posted::state::waiting;
  p.into = into;
  p.items = items;
  p.owner = this;
  p.edge = nullptr;
  return p;
}

[[gnu::always_inline]] inline void messenger::match_or_post(posted& p, const team& from) {
  p.number = record(trace_event::kind::post, p.what, p.into.size(), from);
  if (listed_.is_used()) [[unlikely]]
    return match_or_ask(p, from);
  if (unexpected_->size() != 0) {
    if (auto* a = static_cast<unexpected_message*>(take(*unexpected_, p.what))) {
      if (!a->eager) p.exceptions = std::uncaught_exceptions();
      return consume(p, *a);
    }
  }
  p.exceptions = std::uncaught_exceptions();
  posted_->insert(p);
}

[[gnu::always_inline]] inline receiving messenger::receive(const team& from, int source, int tag,
                                                           std::span<std::byte> into,
                                                           item_type items) {
  check_source(from, source, tag, "receive");
  // What is asked of the team is asked in one go: behind a call it would be checked again.
  const std::uint64_t id = from.id();
  const int source_rank = source >= 0 ? from.world_rank(source) : -1;
  posted& p = new_post(wanted_of(from, source, tag, "receive"), into, items);
  p.team = id;
  p.source_rank = source_rank;
  match_or_post(p, from);
  return receiving(&p);
}

/// The same where messages are listed at senders, or senders are asked.
[[gnu::noinline]] void messenger::match_or_ask(posted& p, const team& from) {
  const int rank = rank_of(from, p.what.source);
  p.exceptions = std::uncaught_exceptions();
  if (listed_.inquires()) {
    inquire(p.what, from.id(), rank, &p);  // behind those before it
  } else if (entry* e = take(*unexpected_, p.what)) {
    consume(p, *static_cast<unexpected_message*>(e));
  } else if (listed_.lists(rank)) {
    inquire(p.what, from.id(), rank, &p);
  } else {
    posted_->insert(p);
  }
}

void messenger::receive_edge(const team& from, int member, const edge& what,
                             std::span<std::byte> into, std::uint64_t& told) {
  posted& p = new_post({contexts_.of(from.id(), what.kind), member, what.tag, what.kind}, into, {});
  p.edge = &told;
  match_or_post(p, from);
}

receiving messenger::receive_claimed(claimed_message&& claimed, std::span<std::byte> into,
                                     item_type items) {
  if (claimed.state_ == nullptr) {
    throw error(error_kind::argument, "receive of a claimed message that was received already");
  }
  unexpected_message& a = *std::exchange(claimed.state_, nullptr);
  posted& p = claimed.owner_->new_post(a.what, into, items);
  p.team = 0;
  p.source_rank = a.sender_rank;
  p.exceptions = std::uncaught_exceptions();
  claimed.owner_->consume(p, a);
  return receiving(&p);
}

std::optional<receipt> messenger::probe(const team& from, int source, int tag) {
  const envelope wanted = wanted_of(from, source, tag, "probe");
  here_.progress();
  record(trace_event::kind::probe, wanted, 0, from);
  if (const unexpected_message* a = kept_for(wanted)) {
    if (listed_.goes_to_earlier(a->what)) return std::nullopt;
    return receipt{a->what.source, a->what.tag, a->size, false};
  }
  const preview* p = previewed(from, wanted);
  if (p == nullptr) return std::nullopt;
  return receipt{p->with.member, p->with.tag, p->from.bytes, false};
}

/// The kept message that fits first. Receives that still ask senders come before a probe: where it
/// may go to one, others of its sender, also listed ones, may have to wait behind it, so the probe
/// finds nothing yet.
unexpected_message* messenger::kept_for(const envelope& wanted) {
  const auto before = unexpected_->spent().traversals;
  entry* e = unexpected_->find(wanted);
  host(here_).charge(conduit::cost::traversal, unexpected_->spent().traversals - before);
  return static_cast<unexpected_message*>(e);
}

receipt messenger::wait_for_message(const team& from, int source, int tag, const call_site& site) {
  waiting_probes::probe mine{wanted_of(from, source, tag, "probe")};
  const waiting_probes::listening until_found(probes_, mine);
  for (;;) {
    mine.seen = false;
    if (const auto found = probe(from, source, tag)) return *found;
    host(here_).wait(
        conduit::wait_target::predicate(
            [](const void* p) { return static_cast<const waiting_probes::probe*>(p)->seen; },
            &mine),
        {.operation = "probe",
         .peer = source >= 0 ? from.world_rank(source) : -1,
         .tag = tag,
         .team = from.id(),
         .on_team = true,
         .site = site});
  }
}

std::optional<claimed_message> messenger::claim(const team& from, int source, int tag) {
  const envelope wanted = wanted_of(from, source, tag, "claim");
  here_.progress();
  unexpected_message* a = kept_for(wanted);
  if (a != nullptr) {
    if (listed_.goes_to_earlier(a->what)) return std::nullopt;
    unexpected_->erase(*a);
  } else {
    const preview* p = previewed(from, wanted);
    if (p == nullptr) return std::nullopt;
    a = &take_listed(p->rank, label(p->with), exposed_memory(p->from));
  }
  record(trace_event::kind::claim, wanted, 0, from);
  return claimed_message(*this, *a, {a->what.source, a->what.tag, a->size, false});
}

bool messenger::test(const posted& p) {
  if (p.now != posted::state::complete) here_.progress();
  return p.now == posted::state::complete;
}

bool messenger::tell_end(posted& p, const notice& where) {
  if (p.now == posted::state::complete) return false;
  p.end = begin_operation(here_, where, reason_of(p));
  return true;
}

void messenger::wait(posted& p, const call_site& site) {
  const auto over = [](const void* which) {
    return static_cast<const posted*>(which)->now == posted::state::complete;
  };
  if (over(&p)) return;
  wait_reason reason = reason_of(p);
  reason.site = site;
  host(here_).wait(conduit::wait_target::predicate(over, &p), reason);
}

/// For reports: the source by its world rank, where the receive names one.
conduit::wait_reason messenger::reason_of(const posted& p) noexcept {
  return {.operation = "receive",
          .peer = p.source_rank,
          .tag = p.what.tag,
          .bytes = p.into.size(),
          .team = p.team,
          .on_team = true};
}

/// Destroyed: one that is not complete is waited for as a request is.
void messenger::finish(posted& p) noexcept {
  const conduit::wait_reason reason = reason_of(p);
  const bool unwinding = std::uncaught_exceptions() > p.exceptions;
  if (p.now != posted::state::complete && unwinding && !cancel(p)) {
    return upwash::detail::let_go(here_, reason);  // the bytes are being fetched
  }
  if (p.now != posted::state::complete) {
    auto begun = begin_operation(here_, reason);
    p.end = begun.end;
    begun.handle = {};
    if (p.now != posted::state::complete) return;  // the job is failing: it stays with the pool
  }
  give_back(p);
}

bool messenger::cancel(posted& p) {
  if (p.now == posted::state::inquiring) {
    p.asking->cancelled = true;
    p.asking->receive = nullptr;
  } else if (p.now == posted::state::waiting) {
    posted_->erase(p);
  } else {
    return false;
  }
  p.unfit = posted::misfit::none;
  p.got = {.cancelled = true};
  if (log_) log_->cancel(p.number, depths());
  complete(p);
  return true;
}

std::string messenger::describe_pending() const {
  const message_memory now = memory();
  const std::size_t receives = posted_->size() + listed_.inquiries();
  if (receives + now.kept + now.listed_here + now.listed_there + now.queued == 0) return {};
  std::string text = fmt::format(
      "{} receives posted, {} messages not received, {} listed at senders, {} listed here, {} that "
      "wait for credit",
      receives, now.kept, now.listed_there, now.listed_here, now.queued);
  if (without_room_ != 0) {
    text += fmt::format(", {} small ones so far that found no room (raise unexpected_limit)",
                        without_room_);
  }
  return text;
}

}  // namespace upwash::matching::detail

namespace upwash::matching {

// Here, where what it calls is no call.
receiving receive(const team& from, int source, int tag, std::span<std::byte> into,
                  item_type items) {
  return detail::messenger::on(from).receive(from, source, tag, into, items);
}

}  // namespace upwash::matching
