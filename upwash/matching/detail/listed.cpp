// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that stay listed at their sender, because the receiver has no room for their envelopes.
#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/matching/detail/handlers.hpp"

// While a sender lists any message for a receiver it lists all later ones too. Each is offered
// once, in order: the receiver takes it when a posted receive fits, else forgets it and only
// counts. So no posted receive ever fits a message that is listed. A new receive, or a probe, that
// finds nothing in the receiver's store asks every sender that it may match and that lists some for
// the first that fits: the first answer is taken. When none has one the receive is posted, unless
// one that fits was offered and forgotten meanwhile: then it asks again. Inquiries go one after the
// other, and later receives wait behind them, so that none overtakes.
namespace upwash::matching::detail {

// -- At the sender ------------------------------------------------------------------------------

void messenger::list(sending& s, balance& other) {
  if (other.listed == nullptr) {
    other.listed = make_store(options_.engine, options_.partition, side::unexpected, shape_of({}));
  }
  other.listed->insert(s);
  ++memory_.listed_here;
}

void messenger::asked(int asker, const question& what) {
  label with;
  exposed_memory from;
  const auto kind = static_cast<std::uint32_t>(what.kind);
  const auto context = contexts_.find(what.team, kind);
  const auto& listed = balances_.with(asker).listed;
  if (listed != nullptr && context) {
    auto* s = static_cast<sending*>(listed->find({*context, any_source, what.tag, kind}));
    // One whose offer waits for credit will be offered yet: the asker then meets it in order.
    if (s != nullptr && !s->queued) {
      with = {.team = s->team,
              .sender = name_of(*s),
              .member = s->what.source,
              .tag = s->what.tag,
              .kind = s->what.kind,
              .type = s->type};
      from = s->memory;
    }
  }
  send_medium<&handle_answer>(here_, asker, std::as_bytes(std::span(&from, 1)), with,
                              std::uint64_t{what.number});
}

void messenger::was_taken(int receiver, std::uint64_t sender) {
  sending& s = named_by(receiver, sender, "taken from this rank's list");
  balance& other = balances_.with(receiver);
  if (other.listed == nullptr) {
    throw error(error_kind::fault, fmt::format("rank {}: rank {} takes a message from this rank's "
                                               "list for it, which is empty",
                                               here_.rank(), receiver));
  }
  other.listed->erase(s);
  --memory_.listed_here;
  if (other.listed->size() == 0) other.listed.reset();
}

// -- At the receiver ----------------------------------------------------------------------------

void messenger::note_listed(int sender_rank, const envelope& what) {
  listed_.note(sender_rank, what);
  ++memory_.listed_there;
  probes_.came(what);
}

/// One that is listed is taken out: its sender is told, and it is as any offer from then on.
unexpected_message& messenger::take_listed(int sender_rank, const label& with,
                                           const exposed_memory& from) {
  listed_.take(sender_rank, with.sender);
  --memory_.listed_there;
  unexpected_message& a = arrival_of(sender_rank, with, from);
  tell<&handle_taken>(sender_rank, with.sender);
  return a;
}

void messenger::inquire(const envelope& wanted, std::uint64_t team, int from, posted* receive) {
  inquiry& made = listed_.add(wanted, team, from, receive);
  if (receive != nullptr) {
    receive->now = posted::state::inquiring;
    receive->asking = &made;
  }
  if (listed_.inquiries() == 1) go_on_inquiring();
}

/// The first inquiry is over. Probes that waited may look again, but not for what was just not
/// found.
void messenger::end_inquiry(bool found) {
  const inquiry& first = listed_.first();
  probes_.inquired(first.wanted, found || first.receive != nullptr || first.cancelled);
  listed_.pop_first();
}

/// Whether the inquiry needs no answers: the store has what it wants, or nobody lists any. It is
/// then over.
bool messenger::settled(inquiry& first) {
  posted* p = first.receive;
  if (first.cancelled) {
    end_inquiry(false);
    return true;
  }
  entry* found = p != nullptr ? take(*unexpected_, first.wanted) : unexpected_->find(first.wanted);
  if (found == nullptr && listed_.lists(first.from) && (first.number == 0 || first.again))
    return false;
  end_inquiry(found != nullptr);
  if (p != nullptr && found != nullptr) {
    consume(*p, *static_cast<unexpected_message*>(found));
  } else if (p != nullptr) {
    p->now = posted::state::waiting;
    posted_->insert(*p);
  }
  return true;
}

void messenger::go_on_inquiring() {
  while (listed_.inquires()) {
    inquiry& first = listed_.first();
    if (settled(first)) continue;
    const std::vector<int> ranks = listed_.begin_asking();
    const question what{first.team, first.wanted.kind, first.wanted.tag, first.number};
    for (const int rank : ranks) tell<&handle_question>(rank, what);
    return;
  }
}

void messenger::answered(int sender_rank, std::uint32_t number, const label& with,
                         const exposed_memory& from) {
  if (!listed_.inquires() || listed_.first().number != number) return;  // it has got another
  inquiry& first = listed_.first();
  // The answer and the taking may have crossed: then there may be another.
  const bool crossed = listed_.was_met(sender_rank, with.sender);
  if (crossed) first.again = true;
  if (with.sender == 0 || crossed) {
    if (--first.missing == 0) go_on_inquiring();
    return;
  }
  posted* p = first.receive;
  if (p == nullptr && !first.cancelled) {
    listed_.add_preview({first.wanted, sender_rank, with, from});
  }
  end_inquiry(true);
  if (p != nullptr) consume(*p, take_listed(sender_rank, with, from));
  go_on_inquiring();
}

/// What a probe may see of listed messages; asks, once at a time, when it is not known.
const preview* messenger::previewed(const team& from, const envelope& wanted) {
  if (const preview* known = listed_.find_preview(wanted)) return known;
  const int rank = rank_of(from, wanted.source);
  if (!listed_.lists(rank)) return nullptr;
  if (!listed_.is_probed(wanted)) inquire(wanted, from.id(), rank, nullptr);
  return nullptr;
}

message_memory messenger::memory() const {
  message_memory now = memory_;
  now.kept = unexpected_->size();
  now.contexts = contexts_.size();
  return now;
}

}  // namespace upwash::matching::detail
