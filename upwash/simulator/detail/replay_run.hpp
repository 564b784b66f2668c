// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a replay: ranks with their open steps and what their processors may do next,
// messages under way, and the events between them.
#pragma once

#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "upwash/simulator/engine.hpp"
#include "upwash/simulator/network.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::simulator::detail {

/// What a processor does for a step.
enum class job : std::uint8_t {
  begin,    ///< all that it waits for is done
  take,     ///< the message of a receive is here
  got,      ///< what was asked for is here
  told,     ///< an acknowledgement is here; a put is there
  invited,  ///< the receiver has the place free
  seen,     ///< a peer's counter is high enough
  count,    ///< a signal is here (no step)
  gather,   ///< a message that a collect takes (no step)
};

enum class letter : std::uint8_t {
  data,
  offer,
  invitation,
  acknowledgement,
  request,
  reply,
  stored,
  signal
};

struct parcel {
  letter what = letter::data;
  schedule::mechanism how = schedule::mechanism::eager;
  int from = 0;
  int to = 0;
  std::uint32_t edge = 0;
  std::uint64_t bytes = 0;
  std::uint64_t about = 0;   ///< bytes of the edge
  std::int64_t sender = -1;  ///< step that waits for an acknowledgement
  std::int64_t asker = -1;   ///< step that waits for a reply
};

struct open_step {
  schedule::step what;
  bool begun = false;
  bool done = false;
  parcel came;
};

/// Ordered by the step's place in the schedule.
struct task {
  std::int64_t step = 0;
  job what = job::begin;
  std::uint64_t order = 0;  ///< as it became possible
  parcel with;

  friend bool operator<(const task& a, const task& b) noexcept {
    return std::tie(a.step, a.order) < std::tie(b.step, b.order);
  }
};

struct replay_rank {
  schedule::generator steps;
  schedule::facts known;
  std::deque<open_step> open;
  std::int64_t base = 0;  ///< number of the first open step
  bool ended = false;
  bool at_stage = false;
  bool busy = false;
  std::map<task, duration> tasks;  ///< possible, with nothing but the processor missing
  task current;
  replayed_rank result;
  std::vector<std::uint32_t> collects;
  std::map<std::uint32_t, std::uint64_t> counters;
  std::map<std::uint32_t, std::vector<std::pair<int, std::int64_t>>> awaited;

  [[nodiscard]] std::int64_t next() const { return base + static_cast<std::int64_t>(open.size()); }
  [[nodiscard]] open_step& at(std::int64_t n) { return open[static_cast<std::size_t>(n - base)]; }
};

class replay_run {
 public:
  replay_run(int ranks, function_ref<schedule::generator(int)> schedule_of, const machine& on,
             const schedule::transfer_rules& rules, const replay_options& options);
  std::vector<replayed_rank> run();

 private:
  using key = std::tuple<int, int, std::uint32_t, bool>;  ///< at, from, edge, invitation
  struct happening {
    enum class type : std::uint8_t { finished, leaves, reaches, complete, chosen, later } what;
    int rank = 0;
    parcel with;
    task next;
  };

  // replay.cpp
  void refill(int rank);
  void look(int rank);
  [[nodiscard]] bool ready(replay_rank& r, std::int64_t n) const;
  void possible(int rank, job what, std::int64_t step, const parcel& with = {});
  void start_next(int rank);
  void done(int rank, std::int64_t n);
  void after(duration time, const happening& what) { happens_at(engine_.now() + time, what); }
  void happens_at(duration when, const happening& what);
  void run_events();
  [[nodiscard]] int turn_of(const happening& what) const;
  static void happens(void* self, std::uint64_t which);
  void handle(const happening& what);
  void hand_over(const parcel& p);
  [[nodiscard]] std::uint64_t carry(const parcel& p);
  replay_rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  // replay_steps.cpp: what a processor's work costs, and what follows it.
  [[nodiscard]] duration cost_of(int rank, const task& what);
  void effect(int rank, const task& what);
  void effect_of_begin(int rank, std::int64_t n);
  void effect_of_take(int rank, std::int64_t n);
  void effect_of_got(int rank, const task& what);
  void effect_of_gather(const parcel& p);
  void came(const parcel& what);
  void post(int rank, std::int64_t n);
  void count_up(int rank, std::uint32_t which);
  void wake(int rank, std::uint32_t which);
  void await(int rank, std::int64_t n);
  void collect(int rank, std::uint32_t edge);
  void work(int rank, std::int64_t n);
  void join(int rank, std::int64_t n);
  [[nodiscard]] model::message_cost overheads_in_network(int rank);
  void send(parcel what);
  void acknowledge(const parcel& what);
  [[nodiscard]] parcel outgoing(int rank, std::int64_t n) const;
  [[nodiscard]] bool is_remote(int rank, const schedule::piece& p) const;
  [[nodiscard]] const schedule::piece* remote_operand(int rank, const schedule::step& what) const;
  [[nodiscard]] duration cost_of_message(const task& what);
  [[nodiscard]] duration cost_of_take(const parcel& p);
  [[nodiscard]] duration cost_of_work(int rank, const schedule::step& what);
  const model::message_cost& message(int a, int b, std::uint64_t bytes) {
    return network_.cost(network_.level(a, b), bytes);
  }
  [[nodiscard]] duration copying(std::uint64_t bytes) const;
  [[nodiscard]] duration reducing(std::uint64_t bytes) const;

  schedule::transfer_rules rules_;
  replay_options options_;
  int ranks_per_node_;
  engine engine_;
  message_network network_;
  std::deque<replay_rank> ranks_;
  std::vector<happening> happenings_;
  std::vector<std::uint64_t> free_;
  std::map<key, std::deque<parcel>> early_;
  std::map<key, std::deque<std::int64_t>> waiting_;
  std::vector<parcel> carried_;  ///< by options_.through, under way
  std::vector<std::uint64_t> free_carried_;
  std::uint64_t orders_ = 0;
};

}  // namespace upwash::simulator::detail
