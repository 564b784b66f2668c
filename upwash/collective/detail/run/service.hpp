// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The executor of a rank: its operations in flight, what came early for them, and what it keeps
// for each team. Split by subject: executor.cpp (life of an operation), transfers.cpp (edges),
// arrivals.cpp (messages), matched.cpp, counters.cpp, peer_memory.cpp, agreement.cpp.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "upwash/collective/detail/choose/site.hpp"
#include "upwash/collective/detail/run/agreement.hpp"
#include "upwash/collective/detail/run/board.hpp"
#include "upwash/collective/detail/run/operation.hpp"
#include "upwash/collective/detail/run/plan.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/collective/tagged_messages.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/service.hpp"

namespace upwash::collective::detail {

/// A message that came before its receive: its bytes, or where to fetch them.
struct early {
  enum class kind : std::uint8_t { bytes, offered, landed };
  kind what = kind::bytes;
  std::vector<std::byte> bytes;
  offer from;
};

/// What this rank keeps of a team. O(1), but for the board's pointers, and a bounded number of
/// plans.
struct team_record {
  explicit team_record(const team& of) : members(of) {}

  team members;
  std::uint32_t numbers = 0;             ///< operations begun
  std::unique_ptr<board> shared;         ///< where all members load and store each other's memory
  board_sequence epochs;                 ///< of operations that use the board or counters
  std::uint64_t settled_half = 0;        ///< of the epochs: those up to it may begin
  std::vector<std::uint64_t> open;       ///< epochs not complete here
  std::vector<std::uint64_t> unsettled;  ///< runs whose counters by message are kept
  plan_cache plans;
  site_list sites;         ///< where the job adapts
  int ranks_per_node = 0;  ///< 0: not looked at yet
};

class executor final : public service_base {
 public:
  explicit executor(job& here);

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override;
  [[nodiscard]] std::string describe_pending() const override;
  [[nodiscard]] std::uint64_t begun_on(std::uint64_t team) const override;
  [[nodiscard]] team_place place_on_teams() const override { return {200, "collective"}; }
  void on_team_create(const team& made) override;
  void on_team_free(const team& going) override;

  /// Makes the boards of the world, and of every team from now on.
  void install(const installation& with);

  /// Who chooses from now on; the plans of before are dropped.
  selector* set_selector(selector* chooses);

  /// For problem::eager_bytes, where nobody asked for a size.
  [[nodiscard]] std::uint64_t usual_eager_bytes(const problem& call);
  /// The algorithm named, or forced for the collective, or selected.
  [[nodiscard]] selector::choice choose(const team& among, problem what, std::string_view named,
                                        std::string_view label);
  /// Where the algorithm for such calls may change while the program runs; else null.
  [[nodiscard]] std::shared_ptr<site> site_of(const team& among, team_record& record,
                                              const problem& what, const call& wanted);
  /// Moves the site on before its next call. Blocking where members must agree.
  void advance(const team& among, site& at);
  adaptation set_adapting(adaptation adapts);
  /// Members tell each other of the messages of all calls. Blocking.
  void adapt(const team& among);
  [[nodiscard]] std::optional<mechanism> transfer() const noexcept { return transfer_; }
  /// Whether such a schedule uses the team's board.
  [[nodiscard]] static bool shares_memory(const team_record& record, const schedule::needs& wants);

  [[nodiscard]] team_record& record_of(const team& among) {
    if (last_team_ != nullptr && last_team_->members == among) [[likely]]
      return *last_team_;
    return find_record(among);
  }
  [[nodiscard]] std::uint32_t next_number(const team& among) { return record_of(among).numbers++; }
  [[nodiscard]] slot_store& spare_slots() noexcept { return spare_slots_; }
  request start(std::unique_ptr<operation> made);
  request restart(operation& kept);
  /// Takes over an operation that is still running from its `persistent`, and waits for it.
  void retire(std::unique_ptr<operation> kept);
  /// The same, and to its end.
  void run_again(operation& kept);
  /// A schedule's steps for the team's board, if they can all run there.
  [[nodiscard]] static std::optional<compact_plan> compact_plan_of(const team& among,
                                                                   const team_record& record,
                                                                   const schedule::generator& steps,
                                                                   const manner& run_as);
  /// Runs compact steps to their end; false: not possible now. `again`: the persistent operation
  /// whose steps they are; null: an operation of their own.
  bool run_compact(team_record& record, compact_plan& made, const binding& buffers,
                   operation* again);

  /// Asked of this rank: where a buffer of its operation is.
  struct question {
    run_key of;
    schedule::buffer which = schedule::buffer::none;
    int rank = 0;             ///< who asks; world rank
    std::uint64_t asker = 0;  ///< its name for its slot
  };

  // Messages, as they come.
  void data_came(const edge_key& key, early::kind what, std::span<const std::byte> bytes,
                 const offer& from);
  void was_taken(int receiver, std::uint64_t sender);
  void reached(int teller, std::uint64_t asker);
  void place_is_free(const edge_key& key);
  void counted(const run_key& key, std::uint32_t counter);
  void watched(const run_key& key, const watcher& by);
  void memory_asked(const question& asked);
  void memory_told(int owner, std::uint64_t asker, const exposed_memory& memory);
  void agreed(const agreement& theirs);

 private:
  /// The step that waits, in that state, for what `peer` tells of it. Throws `error` (fault).
  [[nodiscard]] slot& named_by(int peer, std::uint64_t name, progress_of state) const;
  // Life of an operation (executor.cpp, persistent.cpp).
  void await_last_start(operation& kept);
  void check_shared_scratch(const operation& op) const;
  request begin(operation& op);
  void begin_epoch(operation& op);
  void expose_buffers(operation& op);
  void await_all_of(const team_record& record);
  void introduce(operation& op);
  bool settled(operation& op);
  void end_settling(team_record& record, std::uint64_t epoch);
  [[nodiscard]] bool awaits_others(const team_record& record) const;
  void next_phase(operation& op);
  template <class Act>
  int guarded(operation& op, const Act& act);
  int advance(operation& op);
  void give_up(operation& op);
  int advance_phases(operation& op);
  int pass_through(operation& op);
  bool try_step(operation& op, std::uint64_t index);
  bool open_stage(operation& op, std::uint64_t index);
  bool may_leave(operation& op);
  void finish(operation& op);
  [[nodiscard]] operation* find(const run_key& key);
  [[nodiscard]] team_record& find_record(const team& among);

  // Edges (transfers.cpp).
  [[nodiscard]] bool has_line(const operation& op, const schedule::step& s,
                              std::uint64_t bytes) const;
  std::span<const std::byte> in_one_piece(operation& op, slot& s);
  bool send(operation& op, slot& s);
  bool send_eager(operation& op, slot& s);
  bool send_put(operation& op, slot& s, bool asks_first);
  bool send_offer(operation& op, slot& s, bool in_place);
  bool receive(operation& op, slot& s);
  bool post(operation& op, slot& s);
  bool tell_free(operation& op, slot& s);
  bool take_place(operation& op, slot& s);
  void accept(slot& s, early::kind what, std::span<const std::byte> bytes, const offer& from);
  [[nodiscard]] bool fits(slot& s, std::uint64_t came);
  void misfits(slot& s, std::uint64_t came);
  bool take(slot& s, std::span<const std::byte> bytes);
  bool fetch(operation& op, slot& s);
  bool fetched(operation& op, slot& s);
  bool acknowledge(operation& op, slot& s);
  [[nodiscard]] global_ptr<std::byte> global_of(const operation& op, int member,
                                                const schedule::piece& p);

  // Edges as tagged messages (matched.cpp).
  [[nodiscard]] tagged_messages& tagged(const operation& op) const;
  [[nodiscard]] tagged_messages::edge tagged_edge(const operation& op,
                                                  const schedule::step& s) const;
  bool send_matched(operation& op, slot& s);
  bool receive_matched(operation& op, slot& s);
  bool advance_matched(operation& op, slot& s);

  // Messages whose number nobody knows (arrivals.cpp).
  static void hand_over(operation& op, int member, std::span<const std::byte> bytes);
  void collect(operation& op, const edge_key& key, early::kind what,
               std::span<const std::byte> bytes, const offer& from);
  bool open_collect(operation& op, slot& s);
  bool close_collect(operation& op, slot& s);
  static bool deliver(operation& op, slot& s);
  int advance_fetches(operation& op);

  // Steps that the network carries out (in_network.cpp).
  bool join_network(operation& op, slot& s);
  static void left_network(conduit::completion& self) noexcept;

  // Counters (counters.cpp).
  bool signal(operation& op, slot& s);
  bool await(operation& op, slot& s);
  void answer_watchers(const run_key& key, const std::vector<std::uint64_t>& counts);
  void take_early_counts(operation& op);
  void keep_counters(operation& op);

  // Copies, reductions and peers' buffers (peer_memory.cpp).
  bool copy(operation& op, slot& s);
  bool reduce(operation& op, slot& s);
  bool moved(operation& op, slot& s);
  bool store_to_peer(operation& op, slot& s);
  bool read_from_peer(operation& op, slot& s, const schedule::piece& p, std::span<std::byte> into);
  void ask_for_memory(operation& op, slot& s, const schedule::piece& p);
  void answer(operation& op, const question& asked);
  void answer_questions(operation& op);

  // Choices, first and later (choose.cpp, adapt.cpp).
  [[nodiscard]] const registry& algorithms();
  void tell(const team& among, const std::string& line) const;
  void forget_choices();
  [[nodiscard]] selector::choice first_that_serves(const problem& what);

  // Whether all members call the same (agreement.cpp).
  struct expected_agreement {
    agreement own;
    int missing = 0;  ///< neighbours that have not told theirs
  };
  [[nodiscard]] static std::vector<int> tree_neighbors(const team& among);
  [[nodiscard]] agreement agreement_of(const operation& op) const;
  void tell_agreement(const operation& op);
  [[nodiscard]] bool awaits_agreement(const run_key& key) const;
  bool compare(const agreement& theirs);
  [[noreturn]] void throw_disagreement() const;

  job& here_;
  bool installed_ = false;
  const registry* algorithms_ = nullptr;
  std::unique_ptr<registry> own_algorithms_;  ///< where none were installed
  selector* selects_ = nullptr;               ///< null: the first without objection
  std::map<kind, std::string> forced_;
  bool tells_choices_ = false;
  tagged_messages* tagged_ = nullptr;
  std::optional<mechanism> transfer_;  ///< of calls that name none
  adaptation adapts_ = adaptation::none;
  slot_store spare_slots_;
  std::vector<std::byte> compact_scratch_;  ///< as much as runs have asked for, within a bound
  bool compact_scratch_in_use_ = false;     ///< before the operations, which give back to it
  std::vector<operation*> running_;
  /// Of running_, but for persistent ones; and those that failed: peers' answers name their slots.
  std::vector<std::unique_ptr<operation>> owned_;
  std::map<std::uint64_t, std::unique_ptr<team_record>> teams_;
  team_record* last_team_ = nullptr;
  std::multimap<edge_key, early> early_;
  std::map<edge_key, slot*> posted_;
  std::set<edge_key> free_places_;                        ///< where senders may put
  std::map<edge_key, slot*> wait_for_place_;              ///< sends that may not yet
  std::map<run_key, std::vector<std::uint64_t>> counts_;  ///< of operations not running
  std::multimap<run_key, watcher> watchers_;
  std::vector<question> questions_;
  std::vector<expected_agreement> expected_agreements_;
  std::vector<agreement> early_agreements_;
  std::string disagreement_;
  struct misfit {
    run_key of;
    std::string text;
  };
  misfit misfit_;  ///< a message of the wrong length
};

}  // namespace upwash::collective::detail
