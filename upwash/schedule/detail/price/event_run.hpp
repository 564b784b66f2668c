// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walks schedules in virtual time: events in the order of time, a processor a rank that takes the
// earliest step that can go on, ports that messages hold. The ranks walked may stand for more: then
// a peer is the walked rank that stands for it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "upwash/model/network_costs.hpp"
#include "upwash/schedule/detail/price/charges.hpp"
#include "upwash/schedule/detail/price/event_queue.hpp"
#include "upwash/schedule/detail/price/meeting.hpp"
#include "upwash/schedule/detail/price/nic_memory.hpp"
#include "upwash/schedule/detail/price/pace.hpp"
#include "upwash/schedule/detail/price/packed_pieces.hpp"
#include "upwash/schedule/detail/price/rank_classes.hpp"
#include "upwash/schedule/detail/price/rank_window.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule::detail {

struct run_plan {
  int ranks = 1;          ///< of the team
  int walked = 1;         ///< ranks from `first` on; peer p is the one as far away, modulo walked
  int first = 0;          ///< not 0: only one is walked
  int alike_on_node = 1;  ///< ranks of a node that a walked rank stands for
  const rank_classes* classes = nullptr;  ///< then those that stand for them are walked
  std::uint32_t rounds_in_unit = 4;       ///< rounds are compared by so many
  std::uint32_t least_window = 32;
};

/// The switches of a machine, for steps in the network. Throws `error` (configuration).
class switch_network {
 public:
  switch_network(const machine& on, int ranks);
  [[nodiscard]] duration time(model::network_collective what, std::uint64_t bytes,
                              int ranks) const {
    return model::collective_time(what, bytes, *tree_, ranks, costs_);
  }

 private:
  std::shared_ptr<const model::fat_tree> tree_;
  model::network_costs costs_;
};

enum class run_end : std::uint8_t {
  complete,
  too_long,  ///< more steps than the options allow
  too_late,  ///< more time than the options allow
  stuck,     ///< steps wait for what never comes, or messages for whom to take them
};

class event_run {
 public:
  event_run(const run_plan& plan, function_ref<generator(int rank)> schedule_of, const machine& on,
            const transfer_rules& rules, const price_options& options);

  run_end run();

  void write_result(price_result& to) const;
  /// The first step that never becomes ready, in words.
  [[nodiscard]] std::string what_is_stuck();

 private:
  enum class happening : std::uint8_t {
    ready,      ///< a step: all that it waits for is done
    take,       ///< a receive: its message is here
    fetched,    ///< the answer to a get is here
    released,   ///< a send: its acknowledgement is here; a put: it is there
    invited,    ///< a send: its place is free
    depart,     ///< a message: it is handed to its port
    arrive,     ///< a message: its first byte is there
    collect,    ///< a message that a collect takes
    seen,       ///< an await: the peer's counter, from afar
    signalled,  ///< a signal is here
    joined,     ///< a step in the network: the rank's part is over
    count,      ///< it has been counted: a counter goes up
    choose,     ///< a processor takes up what is to be done next
  };
  enum class message_kind : std::uint8_t {
    data,
    offer,
    invitation,
    acknowledgement,
    request,
    reply,
    stored,
    signal
  };

  struct event {
    duration at;
    std::int32_t rank;
    happening what;
    std::uint64_t subject;  ///< number of a step, a message or a counter

    /// Of events of the same time.
    friend bool operator<(const event& a, const event& b) noexcept {
      if (a.rank != b.rank) return a.rank < b.rank;
      if (a.what != b.what) return a.what < b.what;
      return a.subject < b.subject;
    }
  };

  /// Of messages that reach a port at the same time the one goes first whose other end is nearest
  /// upwards: alike ranks do it alike.
  static constexpr unsigned message_bits = 40;
  /// Set in an arrival for what a NIC answers to it: that leaves behind what the processor sends at
  /// the same time, and takes its turn among what comes.
  static constexpr std::uint64_t answer_bit = std::uint64_t{1} << (message_bits - 1);
  [[nodiscard]] std::uint64_t subject_of(std::uint64_t which, int here, int other) const noexcept {
    const int up = other >= here ? other - here : other - here + plan_.walked;
    return static_cast<std::uint64_t>(up) << message_bits | which;
  }
  static std::uint64_t message_of(const event& e) noexcept { return e.subject & (answer_bit - 1); }

  struct message {
    message_kind what = message_kind::data;
    mechanism how = mechanism::eager;
    int from = 0;  ///< as walked
    int to = 0;    ///< as walked
    std::size_t level = 0;
    std::uint32_t edge = 0;
    std::uint64_t bytes = 0;
    std::uint64_t asked = 0;         ///< bytes of the edge that an offer or a request is about
    step_number sender = no_step;    ///< who waits for an acknowledgement
    step_number receiver = no_step;  ///< who waits for this answer
    std::uint32_t chain = 0;         ///< of messages, one because of the other, up to this one
    bool from_nic = false;
    duration arrived;
  };

  struct counter {
    std::uint64_t value = 0;
    struct waiting {
      std::uint64_t value;
      std::uint64_t order;  ///< of coming
      int rank;
      step_number step;

      /// Who waits for more comes later.
      friend bool operator<(const waiting& a, const waiting& b) noexcept {
        return std::tie(a.value, a.order) > std::tie(b.value, b.order);
      }
    };
    std::vector<waiting> who;  ///< a heap
    std::uint64_t came = 0;
    std::uint32_t chain = 0;  ///< of its owner, when it was last counted up
  };

  /// What only the processor is missing for. The earliest step of the schedule goes first, as an
  /// executor takes them; what belongs to none goes with the earliest open.
  struct task {
    step_number step;
    std::uint64_t order;  ///< of becoming possible
    happening what;
    std::uint64_t subject;

    friend bool operator<(const task& a, const task& b) noexcept {
      return std::tie(a.step, a.order) > std::tie(b.step, b.order);
    }
  };

  struct rank_state {
    rank_window window;
    duration processor_free;
    duration processor_busy;
    std::vector<std::uint32_t> collects;
    std::vector<counter> counters;
    pace at_pace;
    std::vector<task> tasks;  ///< a heap
    bool chooses = false;     ///< an event for it is under way
    packed_pieces packed;     ///< where combining is charged
    std::uint32_t chain = 0;  ///< the longest of messages that it has waited for so far
    nic_memory nic{};         ///< where it is used
  };

  // event_run.cpp: the loop, and steps of the rank alone.
  void post(duration at, int rank, happening what, std::uint64_t subject);
  void handle(const event& e);
  void compete(const event& e);
  void choose(int rank, duration at);
  void perform(const event& e);
  void choose_later(int rank, duration at);
  [[nodiscard]] bool needs_processor(const event& e);
  [[nodiscard]] step_number step_of(const event& e);
  void begin(int rank, step_number n, duration at);
  void work(int rank, step_number n, duration at);
  void finish(int rank, step_number n, duration at);
  void refill(int rank);
  duration spend(int rank, duration at, duration cost);
  [[nodiscard]] int walked(int rank, int peer, bool sends) const noexcept;
  /// The rank of the team that a walked one is.
  [[nodiscard]] int member(int rank) const noexcept {
    return !by_class() ? plan_.first + rank
                       : plan_.classes->representatives[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::size_t level(int rank, int peer) const noexcept {
    return on_.level_between(member(rank), peer);
  }
  [[nodiscard]] rank_state& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  // event_wires.cpp: what travels.
  [[nodiscard]] wire wire_of(const step& what) const;
  void note_size(const step& sent) noexcept;
  void send(int rank, step_number n, duration at);
  void put_on_wire(int rank, step_number n, duration at);
  [[nodiscard]] duration choose_memory(int rank, const piece& from, message& m);
  void receive(int rank, step_number n, duration at);
  void take(int rank, step_number n, duration at);
  void fetched(int rank, std::uint64_t which, duration at);
  void acknowledge(int rank, const message& what, duration at);
  void collect(int rank, std::uint32_t edge, duration at);
  void taken_by_collect(int rank, std::uint64_t which, duration at);
  void fetch(int rank, step_number n, const message& offer, duration at);
  void ask(message request, duration at);
  void launch(const message& what, duration at);
  void depart(std::uint64_t which, duration at);
  void arrive(std::uint64_t which, duration at);
  void landed(std::uint64_t which, duration complete);
  [[nodiscard]] std::uint64_t keep(const message& what);
  void match(std::uint64_t which);
  [[nodiscard]] message drop(std::uint64_t which);
  [[nodiscard]] message from_peer(message_kind what, int rank, step_number n);
  [[nodiscard]] message to_peer(message_kind what, int rank, int peer, std::uint64_t bytes) const;
  const model::message_cost& cost_of(const message& what) {
    return (what.from_nic ? *nic_charges_ : charges_).message(what.level, what.bytes);
  }

  // event_counters.cpp
  void signal(int rank, step_number n, duration at);
  void await(int rank, step_number n, duration at);
  void count_up(int rank, std::uint64_t which, duration at);
  counter& counter_of(int rank, std::uint32_t which);
  void see(int rank, step_number n, duration at);

  // event_network.cpp
  struct network_meeting {
    int joined = 0;
    bool root_joined = false;
    duration begins;  ///< the last one whose data is needed has handed it over
    std::vector<std::tuple<int, step_number, duration>> waiting;  ///< since when
  };
  void join(int rank, step_number n, duration at);
  [[nodiscard]] model::message_cost overheads_far_away();

  // event_classes.cpp: one rank of each class. What it sends is published; whoever expects it takes
  // a copy, through a port of its own.
  struct expectation {
    message what;  ///< as this end knows it
    duration earliest;
  };
  struct notice_board {
    std::map<std::uint32_t, std::optional<duration>> heads;  ///< of all edges; when it was sent
    std::multimap<std::uint32_t, expectation> waiting;
  };
  [[nodiscard]] bool by_class() const noexcept { return plan_.classes != nullptr; }
  void expect(const message& what, duration earliest);
  void expect_answers(int rank, step_number n, duration earliest);
  void publish(const message& what, duration head);
  void announce(int rank, generator steps, const facts& known);
  void come(const expectation& by, duration head);
  [[nodiscard]] notice_board& board_of(int rank, message_kind what);
  [[nodiscard]] bool can_be_walked_by_class(const step& what) const noexcept;

  // event_rounds.cpp: passing over rounds that repeat.
  void end_of_unit(int rank, std::uint32_t phase, duration at);
  void restart_pace(rank_state& r) const;
  [[nodiscard]] bool is_steady() const;
  void skip_rounds();
  void shift(const std::vector<duration>& by_rank, const std::vector<duration>& by_port);

  run_plan plan_;
  transfer_rules rules_;
  const machine& on_;
  price_options options_;
  charges charges_;
  std::optional<machine> nic_;  ///< the machine as messages from NIC memory see it
  std::optional<charges> nic_charges_;
  ports ports_;
  std::vector<rank_state> ranks_;
  event_queue<event> events_;
  std::vector<message> messages_;
  std::vector<std::uint64_t> free_messages_;
  meetings meetings_;
  std::optional<switch_network> switches_;  ///< where steps need them
  std::map<std::pair<step_kind, std::uint32_t>, network_meeting> in_network_;  ///< by edge
  std::vector<notice_board> boards_;  ///< by class and kind
  bool nics_answer_ = false;          ///< a get has been asked for
  duration now_;
  std::uint64_t steps_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint32_t rounds_ = 0;
  std::uint64_t edge_sizes_ = 0;
  std::uint32_t span_ = 1;  ///< units that are compared next
  int looked_ = 0;          ///< ranks that have gone through two such spans
};

}  // namespace upwash::schedule::detail
