// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One collective in flight on one rank: the steps of its window and how far each has come.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/keyed_queues.hpp"
#include "upwash/collective/detail/run/board.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/detail/run/in_turn_run.hpp"
#include "upwash/collective/detail/run/keys.hpp"
#include "upwash/collective/detail/run/open_steps.hpp"
#include "upwash/collective/detail/run/slots.hpp"
#include "upwash/collective/detail/run/written_down.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective::detail {

struct team_record;

/// The parts of an operation, one after the other. Where memory is shared, `settle` makes sure now
/// and then that nobody still uses what comes next (board.hpp).
enum class phase : std::uint8_t { settle, entry, main, exit, over };

/// A message that a `collect` fetches.
struct collected_fetch {
  int source = 0;  ///< world rank
  offer from;
  std::vector<std::byte> bytes;
  request moving;
  bool begun = false;
};

/// How far a `collect` has come.
struct collecting_edge {
  std::uint64_t came = 0;  ///< messages handed over, or being fetched
  slot* closes = nullptr;  ///< its close, where that waits
};

/// The memory that an operation works in; the next one uses it again (operation_store.hpp).
struct operation_room {
  std::vector<std::unique_ptr<slot_chunk>> chunks;
  open_steps open;
  std::vector<std::byte> scratch;
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> counters;
  keyed_queues<peer_buffer, exposed_memory, peer_buffer_hash> peers;
  std::unique_ptr<schedule::script> script;  ///< the generator's memory
};

/// The run of an operation that runs once.
[[nodiscard]] constexpr std::uint64_t first_run(std::uint32_t number) noexcept {
  return std::uint64_t{number} << 32U;
}

/// The executor's window: slots [base, next), in the order of emission. A dependency older than
/// base is met. A step is tried when it is open: once what it waits for is done, and again when
/// something has happened for it (`stir`); what waits for a message costs nothing until it comes.
class operation {
 public:
  operation(slot_store& spare, operation_room& room, const team& on, team_record& record,
            std::uint32_t number, const schedule::generator& steps, const binding& bound,
            const manner& how);
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;
  ~operation();

  /// Begins anew: the next start of a persistent operation.
  void restart(completer told);
  /// A start that does not go through the window. Returns the operation's number.
  std::uint32_t count_start() noexcept {
    ++start_;
    return number;
  }
  /// Begins the main phase of one whose steps go in their turn, on the board; lent to the progress
  /// thread, if there is one and it is worth while. Whether it is lent.
  bool begin_in_turn(job& here);
  /// Goes through them as far as peers have come. Returns how many.
  int go_on_in_turn();
  /// As it stands in the trace.
  [[nodiscard]] traced_collective in_trace() const noexcept;
  [[nodiscard]] bool goes_in_turn() const noexcept {
    return in_turn.steps != nullptr && shares_memory;
  }
  /// Begins a phase with these steps.
  void begin(phase next, const schedule::generator& steps);

  /// Takes steps from the generator while there is room, drops those done from the front.
  void refill();
  [[nodiscard]] bool emptied() const noexcept { return ended_ && base_ == next_; }
  /// The first open step from `index` on, or next(); it is open no more until it is stirred.
  [[nodiscard]] std::uint64_t take_open(std::uint64_t index) noexcept;
  /// The step may come further: it is tried at the next look.
  void stir(const slot& s) noexcept;
  /// The step is done; opens those that waited for it.
  void complete(slot& s) noexcept;
  /// The step is open once all before it are done.
  void wait_for_all_before(slot& s) noexcept;
  [[nodiscard]] slot& at(std::uint64_t index) { return slots_.at(index); }
  /// The oldest step that is not done, and the member that it needs, by world rank; empty where no
  /// step is kept.
  [[nodiscard]] std::string describe_oldest();
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }
  /// A stage is done: the generator may go on, with this much scratch.
  void pass_stage(const slot& s);

  /// Where a piece lies: this rank's, or of any member's shared scratch.
  [[nodiscard]] const std::byte* source(const schedule::piece& p) const;
  [[nodiscard]] std::byte* target(const schedule::piece& p);
  /// Whether its turn to settle goes by words of the board: by messages where others have none.
  [[nodiscard]] bool settles_by_words() const noexcept;
  /// Whether members find each other's buffer of that kind on the board.
  [[nodiscard]] bool exposes(schedule::buffer which) const noexcept;
  [[nodiscard]] std::span<std::uint64_t> words(const schedule::slots& s) noexcept;
  [[nodiscard]] edge_key key_of(const schedule::step& s) const;
  [[nodiscard]] std::uint64_t run() const noexcept { return first_run(number) | start_; }
  /// Phase and edge, as they travel.
  [[nodiscard]] std::uint64_t wire_edge(std::uint32_t edge) const noexcept {
    return static_cast<std::uint64_t>(now_in) << 32U | edge;
  }

  /// Whether a stage has to make the scratch or the slots more.
  [[nodiscard]] bool grows(const slot& s) const noexcept {
    return grows_scratch(s) || grows_slots(s);
  }
  /// Whether all that is left to do is to receive.
  [[nodiscard]] bool only_receives() const noexcept {
    return ended_ && now_in == phase::main && others_ == 0;
  }
  [[nodiscard]] bool collects(std::uint64_t edge) const noexcept;

  const team among;
  team_record& on_team;
  const std::uint32_t number;
  const schedule::generator main_steps;
  const binding buffers;
  const manner how;
  const schedule::transfer_rules rules;  ///< of `how`, eager at most up to a medium message
  completer end;
  completer left;  ///< of a `persistent` that is gone: who waits for its last start
  phase now_in = phase::over;
  bool persists = false;                ///< kept by a `persistent`
  std::optional<compact_plan> compact;  ///< of a persistent one, where it can run so
  /// Where all steps can run on the board one after the other: no window is kept of them.
  in_turn_run in_turn;
  bool running = false;
  bool advancing = false;
  bool failed = false;  ///< a step threw: nothing more is done, but peers' answers find its slots
  bool stirred = true;  ///< some step may have become possible
  bool told_early = false;  ///< exit mode none: the caller was told already

  duration begun;                          ///< where it is traced
  observe::trace_writer* trace = nullptr;  ///< null: it is not
  bool shares_memory = false;
  bool epoch_counts = false;
  std::uint64_t epoch = 0;  ///< of its team, where epoch_counts
  board::scratch_place shared_scratch;
  std::uint32_t settle_round = 0;

  std::vector<std::uint64_t>& counters;
  std::map<std::uint64_t, collecting_edge> collecting;  ///< by edge, as it travels
  std::list<collected_fetch> fetches;
  /// Peers' buffers, where addresses are not known everywhere.
  keyed_queues<peer_buffer, exposed_memory, peer_buffer_hash>& peers;
  std::optional<exposed_memory> exposed_input;  ///< own ones, where peers read them
  std::optional<exposed_memory> exposed_output;

 private:
  [[nodiscard]] bool grows_scratch(const slot& s) const noexcept;
  [[nodiscard]] bool grows_slots(const slot& s) const noexcept;
  [[nodiscard]] std::byte* shared(const schedule::piece& p) const;

  void write_step(const slot& done) const;
  void check(const slot& fresh) const;
  [[nodiscard]] std::uint64_t size_of(schedule::buffer which) const noexcept;
  [[noreturn]] void refuse(const slot& fresh, std::string_view why) const;
  void link(slot& fresh);
  void open_front() noexcept;

  schedule::generator steps_;
  schedule::facts facts_;
  slot_ring slots_;
  open_steps& open_;
  std::vector<std::byte>& scratch_;
  std::vector<std::uint64_t>& words_;
  std::unique_ptr<schedule::script>& script_;  ///< empty while this lives
  std::uint64_t base_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t others_ = 0;  ///< steps in the window that are not done and no receives
  std::uint32_t start_ = 0;
  const bool checked_;  ///< its steps are
  bool ended_ = false;
  bool staged_ = false;  ///< the generator waits for a stage
};

}  // namespace upwash::collective::detail
