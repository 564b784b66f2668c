// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queues at the owners. A handler takes the ticket for who asks, and answers when it is served;
// who is within reach may take one itself (hybrid). Words are changed by processors only: by the
// owner's handlers and by ranks that load and store its memory.
#include <array>
#include <atomic>
#include <span>

#include "upwash/base/keyed_queues.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/service.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/onesided/detail/lock_way.hpp"

namespace upwash::detail {
namespace {

struct lock_key {
  std::uint64_t set = 0;  ///< its region
  std::uint32_t index = 0;
  friend bool operator==(const lock_key&, const lock_key&) = default;
};
struct lock_hash {
  std::uint64_t operator()(const lock_key& key) const noexcept {
    return random_bits(key.set, key.index, 0);
  }
};
struct waiting {
  std::uint64_t ticket = 0;
  pending_answer whom;
};
using waiting_queues = keyed_queues<lock_key, waiting, lock_hash>;

/// What is answered: the ticket and one, or 0: not granted.
std::array<std::uint64_t, 1> grant_of(std::uint64_t ticket) { return {ticket + 1}; }

void serve_next(memory_call& call, waiting_queues& queues, const lock_key& key,
                ticket_words& words) {
  const waiting* first = queues.first(key);
  if (first == nullptr || first->ticket != std::atomic_ref(words.serving).load()) return;
  const waiting served = *queues.take(key);
  std::atomic_ref(words.parked).fetch_sub(1);
  const auto grant = grant_of(served.ticket);
  call.answer(served.whom, std::as_bytes(std::span(grant)));
}

void acquire(memory_call& call, waiting_queues& queues, std::uint64_t set, std::uint32_t index) {
  ticket_words& words = call.values<ticket_words>(0, 1)[0];
  const std::uint64_t ticket = std::atomic_ref(words.next).fetch_add(1);
  // Who hands over within reach stores `serving`, then looks at `parked`; here it is the other way
  // round, both in sequence: one of the two sees the other.
  std::atomic_ref(words.parked).fetch_add(1);
  queues.push({set, index}, {ticket, call.answer_later()});
  serve_next(call, queues, {set, index}, words);
}

void try_acquire(memory_call& call, waiting_queues& /*queues*/) {
  ticket_words& words = call.values<ticket_words>(0, 1)[0];
  std::uint64_t served = std::atomic_ref(words.serving).load();
  const bool taken = std::atomic_ref(words.next).compare_exchange_strong(served, served + 1);
  const std::array<std::uint64_t, 1> grant{taken ? grant_of(served)[0] : 0};
  call.answer(std::as_bytes(std::span(grant)));
}

void hand_over(memory_call& call, waiting_queues& queues, std::uint64_t set, std::uint32_t index,
               std::uint64_t ticket) {
  ticket_words& words = call.values<ticket_words>(0, 1)[0];
  std::atomic_ref(words.serving).store(ticket + 1);
  serve_next(call, queues, {set, index}, words);
}

/// Somebody within reach handed over while others waited here.
void look_again(memory_call& call, waiting_queues& queues, std::uint64_t set, std::uint32_t index) {
  serve_next(call, queues, {set, index}, call.values<ticket_words>(0, 1)[0]);
}

class lock_service final : public service_base {
 public:
  explicit lock_service(job& here)
      : take(add_memory_handler<&acquire>(here, "onesided.lock", queues)),
        attempt(add_memory_handler<&try_acquire>(here, "onesided.try_lock", queues)),
        give(add_memory_handler<&hand_over>(here, "onesided.unlock", queues)),
        wake(add_memory_handler<&look_again>(here, "onesided.look_again", queues)) {}

  waiting_queues queues;
  memory_operation<&acquire> take;
  memory_operation<&try_acquire> attempt;
  memory_operation<&hand_over> give;
  memory_operation<&look_again> wake;
};

class server_way final : public lock_way {
 public:
  server_way(const team& members, int per_rank, bool within_reach)
      : here_(members.here()),
        service_(here_.service<lock_service>()),  // at all members before any leaves allocate
        within_reach_(within_reach),
        words_(allocate(members, static_cast<std::size_t>(per_rank) * sizeof(ticket_words),
                        atomicity::automatic, {})),
        set_(words_.id().bits()) {}

  std::uint64_t lock(int member, int index, const call_site& site) override {
    const auto at = place(member, index);
    const conduit::wait_reason reason{.operation = "lock", .peer = at.rank(), .site = site};
    const wait_scope in(here_, reason);
    if (ticket_words* words = within(at)) {
      const std::uint64_t ticket = std::atomic_ref(words->next).fetch_add(1);
      host(here_).wait(
          conduit::wait_target::peers_word(words->serving, conduit::comparison::equal, ticket),
          reason);
      return ticket;
    }
    std::array<std::uint64_t, 1> grant{};
    call_owner(here_, service_.take, at, {.answer = std::as_writable_bytes(std::span(grant))}, set_,
               static_cast<std::uint32_t>(index))
        .wait();
    return grant[0] - 1;
  }

  std::optional<std::uint64_t> try_lock(int member, int index) override {
    const auto at = place(member, index);
    if (ticket_words* words = within(at)) {
      std::uint64_t served = std::atomic_ref(words->serving).load();
      const std::uint64_t after = served + 1;
      if (!std::atomic_ref(words->next).compare_exchange_strong(served, after)) return {};
      return served;
    }
    std::array<std::uint64_t, 1> grant{};
    call_owner(here_, service_.attempt, at, {.answer = std::as_writable_bytes(std::span(grant))})
        .wait();
    if (grant[0] == 0) return {};
    return grant[0] - 1;
  }

  void unlock(int member, int index, std::uint64_t ticket) override {
    const auto at = place(member, index);
    request sent;  // the owner's acknowledgement is nobody's concern
    const notices when{.local = notice::to(sent), .remote = {}};
    if (ticket_words* words = within(at)) {
      std::atomic_ref(words->serving).store(ticket + 1);
      if (std::atomic_ref(words->parked).load() == 0) return;
      call_owner(here_, when, service_.wake, at, {}, set_, static_cast<std::uint32_t>(index));
    } else {
      call_owner(here_, when, service_.give, at, {}, set_, static_cast<std::uint32_t>(index),
                 ticket);
    }
    sent.wait();
  }

  void release() override { free(words_); }

 private:
  [[nodiscard]] global_ptr<ticket_words> place(int member, int index) const {
    return words_.at<ticket_words>(member, static_cast<std::uint64_t>(index));
  }
  [[nodiscard]] ticket_words* within(global_ptr<ticket_words> at) {
    return within_reach_ ? reached(here_, words_, at) : nullptr;
  }

  job& here_;
  lock_service& service_;
  bool within_reach_;
  region words_;
  std::uint64_t set_;
};

}  // namespace

std::unique_ptr<lock_way> make_server_way(const team& members, int per_rank, bool within_reach) {
  return std::make_unique<server_way>(members, per_rank, within_reach);
}

}  // namespace upwash::detail
