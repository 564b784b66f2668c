// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a rank's tagged messages: the two stores, what was sent and not yet received, and
// what each peer may still send before it must keep its messages itself.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upwash/base/copy_short.hpp"
#include "upwash/base/handle_table.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/service.hpp"
#include "upwash/matching/detail/balances.hpp"
#include "upwash/matching/detail/entries.hpp"
#include "upwash/matching/detail/listed_book.hpp"
#include "upwash/matching/detail/match_log.hpp"
#include "upwash/matching/detail/team_contexts.hpp"
#include "upwash/matching/edges.hpp"
#include "upwash/matching/engines/node_pool.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/matching/profile.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching::detail {

class messenger final : public service_base {
 public:
  explicit messenger(job& here);
  /// Throws `error` (argument) for no team.
  [[nodiscard]] static messenger& on(const team& t) {
    if (!t) [[unlikely]]
      refuse_team();
    return t.here().service<messenger>();
  }
  ~messenger() override;

  void use(const message_options& chosen);

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;
  [[nodiscard]] team_place place_on_teams() const override { return {100, "matching"}; }
  void on_team_free(const team& going) override;
  void check() const override;

  // -- Called by the rank ---------------------------------------------------------------------
  void promise(const team& on, const hints& what);
  void keep_early() noexcept { contexts_.keep_early(); }
  void drop_early();
  [[nodiscard]] int rank() const noexcept { return here_.rank(); }
  request send(const team& to, int destination, int tag, std::span<const std::byte> bytes, mode how,
               std::uint16_t type);
  bool send(const team& to, int destination, int tag, std::span<const std::byte> bytes, mode how,
            const notice& where);
  [[nodiscard]] bool send_at_once(const team& to, int destination, int tag,
                                  std::span<const std::byte> bytes, mode how);
  [[nodiscard]] bool has_room(const team& to, int destination, std::size_t bytes);
  receiving receive(const team& from, int source, int tag, std::span<std::byte> into,
                    item_type items);
  static receiving receive_claimed(claimed_message&& claimed, std::span<std::byte> into,
                                   item_type items);
  /// Throws `error` (argument) for a receive whose message does not fit. It is complete.
  [[noreturn]] static void throw_misfit(const posted& p, const call_site& site);
  std::optional<receipt> probe(const team& from, int source, int tag);
  receipt wait_for_message(const team& from, int source, int tag, const call_site& site);
  std::optional<claimed_message> claim(const team& from, int source, int tag);
  /// Throw `error` (argument) for what no message has.
  void check_destination(const team& to, int destination, int tag) const {
    if (tag < 0 || destination < 0 || destination >= to.size()) [[unlikely]]
      refuse_destination(to, destination, tag);
  }
  void check_source(const team& from, int source, int tag, const char* call) const {
    if (tag < any_tag || source < any_source || source >= from.size()) [[unlikely]]
      refuse_source(from, source, tag, call);
  }
  bool cancel(posted& p);
  [[nodiscard]] bool test(const posted& p);
  bool tell_end(posted& p, const notice& where);
  void wait(posted& p, const call_site& site);
  void finish(posted& p) noexcept;
  void give_back(posted& p) { posts_.give_back(&p); }
  /// The message is done with: its room and its sender are told.
  void drop(unexpected_message& a) {
    if (a.eager) return drop_eager(a);
    if (a.sender != 0) tell_sender(a.sender_rank, a.sender);
    arrivals_.give_back(&a);
  }

  void send_edge(const team& to, int member, const edge& what, std::span<const std::byte> bytes,
                 bool acknowledged, std::uint64_t& told);
  void receive_edge(const team& from, int member, const edge& what, std::span<std::byte> into,
                    std::uint64_t& told);

  // -- Called by handlers ---------------------------------------------------------------------
  void eager_came(int sender_rank, const label& with, std::span<const std::byte> payload);
  void offer_came(int sender_rank, const label& with, const exposed_memory& from);
  void was_received(int receiver, std::uint64_t sender);
  void room_came(int peer, std::uint64_t bytes);
  void was_taken(int receiver, std::uint64_t sender);
  void asked(int asker, const question& what);
  void answered(int sender_rank, std::uint32_t number, const label& with,
                const exposed_memory& from);

  [[nodiscard]] message_memory memory() const;

 private:
  [[nodiscard]] shape shape_of(const queue_profile& profile) const;
  [[noreturn]] static void refuse_team();
  [[noreturn]] void refuse_destination(const team& to, int destination, int tag) const;
  [[noreturn]] void refuse_source(const team& from, int source, int tag, const char* call) const;
  [[noreturn]] void refuse_in_handler(const char* call) const;

  [[nodiscard]] bool went_at_once(const team& to, int destination, int tag,
                                  std::span<const std::byte> bytes, mode how, std::uint16_t type);
  /// Where a send's end is told.
  struct end_of_send {
    request* handle = nullptr;
    std::uint64_t* edge = nullptr;
    const notice* where = nullptr;
  };
  /// False: complete on return.
  bool send_to_member(const team& to, int destination, int tag, std::span<const std::byte> bytes,
                      mode how, std::uint16_t type, const end_of_send& told);
  bool dispatch(int rank, label& with, std::span<const std::byte> bytes, mode how,
                const end_of_send& told);
  void offer(int rank, label& with, std::span<const std::byte> bytes, const end_of_send& told);
  /// The send's name, for its receiver to give back.
  [[nodiscard]] std::uint64_t name_of(sending& s) {
    if (s.name == 0) s.name = names_.enter(s);
    return s.name;
  }
  /// The send to `receiver` of that name. Throws `error` (fault) where there is none.
  [[nodiscard]] sending& named_by(int receiver, std::uint64_t name, const char* what) const;
  void end_send(sending& s);
  [[nodiscard]] sending& new_sending(int rank, const label& with, std::size_t bytes,
                                     const end_of_send& told);
  /// Sends a control message. Never waits: without credit it is as a handler's.
  template <auto Handler, class... Args>
  void tell(int rank, const Args&... args) {
    if (try_send<Handler>(here_, rank, args...).what == conduit::outcome::done) return;
    host(here_).run_as_handler([&] { upwash::send<Handler>(here_, rank, args...); });
  }

  // -- Messages that wait for credit: outbox.cpp -----------------------------------------------
  void queue(sending& s, balance& other, const label& with);
  [[nodiscard]] bool inject_offer(sending& s, const label& with);
  [[nodiscard]] bool inject(sending& s);
  [[nodiscard]] int send_queued(balance& other);
  [[nodiscard]] int send_queued();

  void match_or_post(posted& p, const team& from);
  void match_or_ask(posted& p, const team& from);
  [[nodiscard]] static conduit::wait_reason reason_of(const posted& p) noexcept;
  [[nodiscard]] envelope wanted_of(const team& from, int source, int tag, const char* call);
  void drop_kept(const envelope& of_context);
  void forget(std::uint64_t team, bool complains);
  /// Whether the message is for a team that this rank has released.
  [[nodiscard]] bool is_late(const label& with) {
    return contexts_.is_released(with.team, with.kind);
  }
  void drop_late(int sender_rank, const label& with, std::size_t bytes, bool eager);
  void complain_of(const envelope& of_context, const char* when) const;
  [[nodiscard]] envelope envelope_of(const label& with) {
    return {contexts_.of(with.team, with.kind), with.member, with.tag, with.kind};
  }
  void check_promises(const team& from, envelope wanted, const char* call) const;
  // Nothing unless matching is recorded, or what the rank does is traced. Returns the number of a
  // post.
  void record_arrival(int sender_rank, const envelope& with, std::size_t bytes) {
    if (log_) log_->add(trace_event::kind::arrival, with, bytes, 0, sender_rank, depths());
  }
  std::uint64_t record(trace_event::kind what, const envelope& with, std::size_t bytes,
                       const team& from) {
    if (!log_) return 0;
    const int peer = with.source < 0 ? -1 : from.world_rank(with.source);
    return log_->add(what, with, bytes, from.size(), peer, depths());
  }
  [[nodiscard]] match_log::depths depths() const { return {posted_->size(), unexpected_->size()}; }
  [[nodiscard]] entry* take(store& from, const envelope& wanted) {
    return charges_ ? take_charged(from, wanted) : from.take(wanted);
  }
  [[nodiscard]] entry* take_charged(store& from, const envelope& wanted);
  /// Envelopes go by value here: loaded from where they were just stored in pieces, they would wait
  /// for all stores before them, that of the last message's line too.
  /// What the receive's end tells (`got`, and whether it fits) is whoever completes it to set.
  [[nodiscard]] posted& new_post(envelope what, std::span<std::byte> into, item_type items);
  /// What a kept message takes: its bytes in a block of their own, its entry, and up to four places
  /// in the index of a store, which is at most half full and doubles. Both ends reckon the same.
  [[nodiscard]] static std::uint64_t charge_of(std::size_t bytes) noexcept {
    constexpr std::uint64_t block = 24;
    constexpr std::uint64_t places = 4 * 16;
    return bytes + block + sizeof(unexpected_message) + places;
  }

  void check_ready(const label& with, std::uint32_t context, std::size_t bytes) const;
  void consume(posted& p, unexpected_message& a);
  void deliver(posted& p, int source, int tag, std::uint16_t type,
               std::span<const std::byte> payload) {
    p.got.source = source;
    p.got.tag = tag;
    p.got.bytes = payload.size();
    p.got.cancelled = false;
    if (!refuses(p, payload.size(), type)) copy_payload(p.into.data(), payload);
    complete(p);
  }
  static void copy_payload(std::byte* to, std::span<const std::byte> from) {
    if (from.size() <= most_copied_short) {
      copy_short(to, from.data(), from.size());
    } else {
      std::memcpy(to, from.data(), from.size());
    }
  }
  void keep_eager(int sender_rank, const label& with, std::uint32_t context,
                  std::span<const std::byte> payload);
  /// Whether the message does not go into the buffer: the wait for it then throws.
  [[nodiscard]] bool refuses(posted& p, std::size_t bytes, std::uint16_t type) const {
    p.unfit = posted::misfit::none;
    if (bytes != p.into.size()) p.unfit = misfit_of_length(p, bytes);
    if (type != p.items.code) [[unlikely]]
      compare_types(p, type);
    return p.unfit != posted::misfit::none;
  }
  /// What is wrong with a length that is not the buffer's, if anything.
  [[nodiscard]] posted::misfit misfit_of_length(const posted& p, std::size_t bytes) const {
    if (bytes > p.into.size()) return posted::misfit::truncated;
    if (contexts_.promised(p.what.context).exact_length) return posted::misfit::inexact;
    if (p.items.one || (p.items.bytes > 1 && bytes % p.items.bytes != 0)) {
      return posted::misfit::broken;
    }
    return posted::misfit::none;
  }
  void compare_types(posted& p, std::uint16_t type) const;
  void fetch(posted& p);
  void complete(posted& p) {
    p.now = posted::state::complete;
    if (p.end || p.edge != nullptr) [[unlikely]]
      tell_end_of(p);
  }
  void tell_end_of(posted& p);
  void keep(unexpected_message& a);
  void drop_eager(unexpected_message& a) {
    return_room(a.sender_rank, a.size);
    memory_.kept_bytes -= a.size;
    if (a.sender != 0) [[unlikely]]
      tell_sender(a.sender_rank, a.sender);
    if (a.size > unexpected_message::most_inside) [[unlikely]]
      free_bytes(a);
    arrivals_.give_back(&a);
  }
  static void free_bytes(unexpected_message& a) {
    a.bytes.clear();
    if (a.bytes.capacity() > kept_capacity) std::vector<std::byte>().swap(a.bytes);
  }
  /// Told in pieces of a quarter of the share, so that most messages cost no answer.
  void return_room(int peer_rank, std::size_t bytes) {
    balance& other = balances_.with(peer_rank);
    other.received += charge_of(bytes);
    if (other.received * 4 >= share_) [[unlikely]]
      tell_room(peer_rank, other);
  }
  void tell_room(int peer_rank, balance& other);
  void tell_sender(int sender_rank, std::uint64_t sender);
  static void fetched(void* context);

  // -- Messages that stay listed at their senders: listed.cpp ----------------------------------
  /// The world rank of a source; -1: any, or it does not matter.
  [[nodiscard]] int rank_of(const team& from, int source) const {
    return source >= 0 && listed_.is_used() ? from.world_rank(source) : -1;
  }
  void list(sending& s, balance& other);
  void note_listed(int sender_rank, const envelope& what);
  void inquire(const envelope& wanted, std::uint64_t team, int from, posted* receive);
  void go_on_inquiring();
  void end_inquiry(bool found);
  [[nodiscard]] bool settled(inquiry& first);
  [[nodiscard]] unexpected_message& arrival_of(int sender_rank, const label& with,
                                               const exposed_memory& from);
  [[nodiscard]] unexpected_message& take_listed(int sender_rank, const label& with,
                                                const exposed_memory& from);
  [[nodiscard]] unexpected_message* kept_for(const envelope& wanted);
  [[nodiscard]] const preview* previewed(const team& from, const envelope& wanted);

  /// Above this a kept message's memory is given back rather than kept for the next.
  static constexpr std::size_t kept_capacity = 4096;

  job& here_;
  bool charges_;  ///< traversals cost virtual time
  message_options options_;
  match_profile profile_;           ///< of an earlier run; mostly empty
  std::unique_ptr<match_log> log_;  ///< null: nobody wants to know
  std::uint64_t without_room_ = 0;  ///< small messages that were offered for lack of room
  std::uint64_t share_ = 0;         ///< of the unexpected memory, for each peer
  std::uint64_t envelopes_ = 0;     ///< of those to be fetched, for each peer
  std::unique_ptr<store> posted_;
  std::unique_ptr<store> unexpected_;
  team_contexts contexts_;
  balances balances_;
  std::vector<posted*> to_fetch_;  ///< matched in a handler
  waiting_probes probes_;
  listed_book listed_;
  std::vector<int> to_send_;  ///< peers that messages wait for credit for
  message_memory memory_;     ///< with the peaks
  node_pool<posted> posts_;
  node_pool<unexpected_message> arrivals_;
  node_pool<sending> sends_;
  handle_table<sending> names_;  ///< of sends that receivers tell of
};

}  // namespace upwash::matching::detail
