// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a rank's tagged messages: the two stores, what was sent and not yet received, and
// what each peer may still send before it must keep its messages itself.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "upwash/base/handle_table.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/service.hpp"
#include "upwash/matching/edges.hpp"
#include "upwash/matching/engines/node_pool.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/matching/profile.hpp"
#include "upwash/matching/recording.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching::detail {

struct inquiry;

/// What comes with a message; plain, in its line.
struct label {
  std::uint64_t team = 0;
  std::uint64_t sender = 0;
  std::int32_t member = 0;  ///< who sends, in the team
  std::int32_t tag = 0;
  std::uint32_t kind = 0;  ///< as in envelope
  std::uint16_t ready = 0;
  std::uint16_t listed = 0;  ///< the sender keeps it until it is taken
};

/// A receive. Pooled; from `receive` until its `receiving` goes.
struct posted : entry {
  enum class state : std::uint8_t { inquiring, waiting, matched, complete };
  state now = state::waiting;
  bool truncated = false;
  bool inexact = false;  ///< not as long as was promised
  int exceptions = 0;    ///< that were unwinding when it was made
  std::span<std::byte> into;
  receipt got;
  completer end;  ///< of who destroys it and waits; most look at `now`
  std::uint64_t team = 0;
  messenger* owner = nullptr;
  std::uint64_t sender = 0;  ///< who is to be told once the bytes are fetched
  int sender_rank = -1;
  int source_rank = -1;  ///< world rank of the source that it names
  exposed_memory from;
  inquiry* asking = nullptr;      ///< while inquiring
  std::uint64_t* edge = nullptr;  ///< of a collective: told the length, instead of `end`
  std::uint64_t number = 0;       ///< in the recording
  posted* next_free = nullptr;
};

/// A message that came before its receive. Pooled.
struct unexpected_message : entry {
  std::vector<std::byte> bytes;  ///< of an eager one
  std::size_t size = 0;
  exposed_memory from;       ///< of one that is to be fetched
  std::uint64_t sender = 0;  ///< the send that wants to be told; 0: none
  int sender_rank = -1;
  bool eager = true;
  unexpected_message* next_free = nullptr;
};

/// A send that is complete when the receiver says so, or that waits for credit. Pooled. An entry of
/// the sender's own list when the receiver has no room for it (listed.cpp).
struct sending : entry {
  exposed_memory memory;   ///< bytes: of the message
  std::uint64_t name = 0;  ///< that the receiver gives back; 0: none yet
  completer end;
  std::uint64_t* edge = nullptr;  ///< of a collective: told 0, instead of `end`
  std::uint64_t team = 0;
  int rank = -1;                       ///< the receiver
  bool offered = false;                ///< counts among the envelopes there
  bool queued = false;                 ///< waits for credit (outbox.cpp)
  label with;                          ///< while queued
  std::span<const std::byte> bytes{};  ///< the same: of the message, in its owner's memory
  bool whole = false;                  ///< the same: it goes as it is, else its offer
  bool acknowledged = true;            ///< complete when it is received, else when it went
  sending* next_queued = nullptr;
  sending* next_free = nullptr;
};

/// Asks a sender for the first that it keeps for this team and tag.
struct question {
  std::uint64_t team = 0;
  std::uint64_t kind = 0;
  std::int32_t tag = 0;
  std::uint32_t number = 0;
};

/// A receive or probe that must know what senders keep listed before it is done or posted.
struct inquiry {
  envelope wanted;
  std::uint64_t team = 0;
  int from = -1;              ///< world rank; -1: all
  posted* receive = nullptr;  ///< null: a probe, or taken back
  std::uint32_t number = 0;   ///< of its questions
  int missing = 0;            ///< answers
  bool again = false;         ///< one that fits was listed meanwhile
  bool cancelled = false;
};

class messenger final : public service_base {
 public:
  explicit messenger(job& here);

  void use(const message_options& chosen);

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;
  [[nodiscard]] team_place place_on_teams() const override { return {100, "matching"}; }
  void on_team_free(const team& going) override;
  void check() const override;

  // -- Called by the rank ---------------------------------------------------------------------
  void promise(const team& on, const hints& what);
  [[nodiscard]] int rank() const noexcept { return here_.rank(); }
  request send(const team& to, int destination, int tag, std::span<const std::byte> bytes,
               mode how);
  receiving receive(const team& from, int source, int tag, std::span<std::byte> into);
  static receiving receive_claimed(claimed_message&& claimed, std::span<std::byte> into);
  std::optional<receipt> probe(const team& from, int source, int tag);
  receipt wait_for_message(const team& from, int source, int tag);
  std::optional<claimed_message> claim(const team& from, int source, int tag);
  bool cancel(posted& p);
  [[nodiscard]] bool test(const posted& p);
  void wait(posted& p);
  void finish(posted& p) noexcept;
  void give_back(posted& p) { posts_.give_back(&p); }
  void drop(unexpected_message& a);

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
  /// What a peer and this rank owe each other in bytes of unexpected messages.
  struct balance {
    std::uint64_t outstanding = 0;  ///< sent and not yet known to be received
    std::uint64_t received = 0;     ///< received and not yet told
    std::uint64_t offered = 0;      ///< envelopes sent and not yet known to be received
    std::unique_ptr<store> listed;  ///< sends that the peer had no room for; null: none
    sending* queued = nullptr;      ///< the first that waits for credit, and the last
    sending* last_queued = nullptr;
  };
  struct waiting_probe {
    envelope wanted;
    bool seen = false;
  };
  /// Arrivals are held to what a probe wants for as long as this lives.
  struct listening {
    listening(std::vector<waiting_probe*>& among, waiting_probe& one) : all(among), mine(one) {
      all.push_back(&mine);
    }
    ~listening() { std::erase(all, &mine); }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;
    std::vector<waiting_probe*>& all;
    waiting_probe& mine;
  };
  /// What a probe found among listed messages: the first that fits its pattern at this sender,
  /// until it is taken.
  struct preview {
    envelope wanted;
    int rank = -1;
    label with;
    exposed_memory from;
  };

  [[nodiscard]] balance& balance_with(int rank) {
    if (rank != last_peer_) {
      last_balance_ = &peers_[rank];
      last_peer_ = rank;
    }
    return *last_balance_;
  }
  [[nodiscard]] shape shape_of(const queue_profile& profile) const;
  /// Where a send's end is told.
  struct end_of_send {
    request* handle = nullptr;
    std::uint64_t* edge = nullptr;
  };
  void dispatch(int rank, label& with, std::span<const std::byte> bytes, mode how,
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
  [[nodiscard]] static conduit::wait_reason reason_of(const posted& p) noexcept;
  [[nodiscard]] envelope wanted_of(const team& from, int source, int tag, const char* call);
  /// Of user messages, or of edges of collectives, on a team.
  [[nodiscard]] std::uint32_t context_of(std::uint64_t team, std::uint32_t kind = 0);
  void drop_kept(const envelope& of_context);
  /// Whether the message is for a team that this rank has released, and makes no context any more.
  [[nodiscard]] bool is_late(const label& with) const;
  void drop_late(int sender_rank, const label& with, std::size_t bytes, bool eager);
  void complain_of(const envelope& of_context, const char* when) const;
  [[nodiscard]] envelope envelope_of(const label& with) {
    return {context_of(with.team, with.kind), with.member, with.tag, with.kind};
  }
  [[nodiscard]] hints hints_of(std::uint32_t context) const noexcept {
    return context < hints_.size() ? hints_[context] : hints{};
  }
  void check_promises(const team& from, envelope wanted, const char* call) const;
  /// Nothing unless matching is recorded. Returns the number of a post.
  std::uint64_t record(trace_event::kind what, const envelope& with, std::size_t bytes,
                       int team_size = 0) {
    return recorder_ ? recorder_->add(what, now_ns(), with, bytes, team_size) : 0;
  }
  [[nodiscard]] std::uint64_t now_ns() const {
    return static_cast<std::uint64_t>(here_.now().ns());
  }
  [[nodiscard]] entry* take(store& from, const envelope& wanted);
  /// Envelopes go by value here: loaded from where they were just stored in pieces, they would wait
  /// for all stores before them, that of the last message's line too.
  [[nodiscard]] posted& new_post(envelope what, std::span<std::byte> into);
  /// What a kept message takes: its bytes in a block of their own, its entry, and up to four places
  /// in the index of a store, which is at most half full and doubles. Both ends reckon the same.
  [[nodiscard]] static std::uint64_t charge_of(std::size_t bytes) noexcept {
    constexpr std::uint64_t block = 24;
    constexpr std::uint64_t places = 4 * 16;
    return bytes + block + sizeof(unexpected_message) + places;
  }

  void check_ready(const label& with, std::size_t bytes) const;
  void consume(posted& p, unexpected_message& a);
  void deliver(posted& p, const receipt& got, std::span<const std::byte> payload);
  [[nodiscard]] bool refuses(posted& p, std::size_t bytes) const;
  void fetch(posted& p);
  void complete(posted& p);
  void keep(unexpected_message& a);
  void recycle(unexpected_message& a);
  void return_room(int peer_rank, std::size_t bytes);
  void tell_sender(int sender_rank, std::uint64_t sender);
  static void fetched(void* context);

  // -- Messages that stay listed at their senders: listed.cpp ----------------------------------
  [[nodiscard]] bool listed_by(int rank) const {
    return !listed_at_.empty() && (rank < 0 || listed_at_.contains(rank));
  }
  /// The world rank of a source; -1: any, or it does not matter.
  [[nodiscard]] int rank_of(const team& from, int source) const {
    const bool matters = !listed_at_.empty() || !inquiries_.empty();
    return source >= 0 && matters ? from.world_rank(source) : -1;
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
  [[nodiscard]] unexpected_message* kept_for_probe(const envelope& wanted);
  [[nodiscard]] const preview* previewed(const team& from, const envelope& wanted);
  [[nodiscard]] const preview* find_preview(const envelope& wanted) const;
  [[nodiscard]] bool goes_to_earlier(const envelope& what) const;

  job& here_;
  bool charges_;  ///< traversals cost virtual time
  message_options options_;
  match_profile profile_;  ///< of an earlier run; mostly empty
  std::unique_ptr<recorder> recorder_;
  std::uint64_t share_ = 0;      ///< of the unexpected memory, for each peer
  std::uint64_t envelopes_ = 0;  ///< of those to be fetched, for each peer
  std::unique_ptr<store> posted_;
  std::unique_ptr<store> unexpected_;
  struct context_table {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;  ///< by team that is not released
    std::uint64_t last_team = ~std::uint64_t{0};
    std::uint32_t last = 0;
  };
  std::array<context_table, 2> contexts_;  ///< of user messages; of edges of collectives
  std::uint32_t next_context_ = 0;
  std::vector<std::uint32_t> free_contexts_;  ///< of released teams
  std::vector<std::uint64_t> going_;          ///< teams of them that members still leave
  std::set<std::pair<std::uint32_t, std::uint32_t>> kept_kinds_;  ///< contexts, kinds of edges kept
  std::vector<hints> hints_;                ///< by context, as far as any were given
  std::unordered_map<int, balance> peers_;  ///< those talked with
  int last_peer_ = -1;
  balance* last_balance_ = nullptr;
  std::vector<posted*> to_fetch_;  ///< matched in a handler
  std::vector<waiting_probe*> probes_;
  std::unordered_map<int, std::uint64_t> listed_at_;  ///< for this rank, by sender; none: not there
  std::deque<inquiry> inquiries_;                     ///< one after the other
  std::uint32_t questions_ = 0;
  std::vector<std::pair<int, std::uint64_t>> met_;  ///< listed ones taken as they came, since asked
  std::vector<preview> previews_;
  std::vector<int> to_send_;  ///< peers that messages wait for credit for
  message_memory memory_;     ///< with the peaks
  node_pool<posted> posts_;
  node_pool<unexpected_message> arrivals_;
  node_pool<sending> sends_;
  handle_table<sending> names_;  ///< of sends that receivers tell of
};

}  // namespace upwash::matching::detail
