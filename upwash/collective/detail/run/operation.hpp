// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One collective in flight on one rank: the steps of its window and how far each has come.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "upwash/base/handle_table.hpp"
#include "upwash/collective/detail/run/board.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/detail/run/open_steps.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective::detail {

struct team_record;

/// Names an edge that arrives here.
struct edge_key {
  std::uint64_t team = 0;
  std::uint64_t run = 0;   ///< the operation's number on its team, and its start
  std::uint64_t edge = 0;  ///< phase and edge
  int source = 0;          ///< world rank
  friend auto operator<=>(const edge_key&, const edge_key&) = default;
};

/// The parts of an operation, one after the other. Where memory is shared, `settle` makes sure now
/// and then that nobody still uses what comes next (board.hpp).
enum class phase : std::uint8_t { settle, entry, main, exit, over };

enum class progress_of : std::uint8_t {
  waiting,   ///< for its dependencies, for credit, or for its message
  posted,    ///< receive: the arrivals know of it
  offered,   ///< send: the receiver has been told where to fetch
  came,      ///< receive: an offer is here
  fetching,  ///< the data is on its way, by a request
  fetched,   ///< receive: the sender is to be told
  matching,  ///< a tagged message is under way
  asked,     ///< await, copy: a peer has been asked
  joined,    ///< a step in the network: it has been handed over
  done,
};

/// Where a sender's data lies, as it tells its receiver.
struct offer {
  exposed_memory memory;     ///< where it was exposed
  schedule::piece source;    ///< else: of the sender's buffers, which have one address everywhere
  std::uint64_t sender = 0;  ///< the sender's name for its slot
};

class operation;
struct slot;

/// The network has carried out a step.
struct network_end : conduit::completion {
  slot* of = nullptr;
};

struct slot {
  schedule::step what;
  progress_of state = progress_of::waiting;
  bool exposed = false;    ///< send: `offered.memory` is to be concealed
  bool told = false;       ///< receive: the sender knows that the place is free
  bool after_all = false;  ///< waits until all steps before it are done
  std::uint8_t unmet = 0;  ///< dependencies that are not done
  std::uint64_t index = 0;
  std::uint64_t name = 0;  ///< that peers give back; 0: none
  /// Steps that wait for this one: the first, and behind it what each names as the next (link_to).
  std::uint32_t dependents = 0;
  std::array<std::uint32_t, schedule::step::most_dependencies> next_dependent{};
  operation* of = nullptr;
  offer offered;                  ///< of a send, or what a receive fetches
  request moving;                 ///< the put or get under way
  std::uint64_t told_bytes = 0;   ///< of a tagged message (tagged_messages.hpp)
  std::vector<std::byte> staged;  ///< a header and its data in one piece, or a peer's operand
  network_end in_network;
};

/// Slots come in chunks: they keep their places, because peers name them, and most operations need
/// few. Chunks that are over are used again: making one takes longer than a small collective.
struct slot_chunk {
  static constexpr std::size_t slots = 8;
  std::array<slot, slots> of;
};

class slot_store {
 public:
  [[nodiscard]] std::unique_ptr<slot_chunk> take() {
    if (spare_.empty()) return std::make_unique<slot_chunk>();
    std::unique_ptr<slot_chunk> last = std::move(spare_.back());
    spare_.pop_back();
    return last;
  }
  void put_back(std::unique_ptr<slot_chunk> unused) {
    for (slot& each : unused->of) forget(each);  // of an operation that failed
    if (spare_.size() == most_spare) return;
    for (slot& each : unused->of) {
      each.moving = {};
      each.staged = {};
    }
    spare_.push_back(std::move(unused));
  }

  /// The slot's name, for a peer to give back, until `forget`.
  [[nodiscard]] std::uint64_t name_of(slot& s) {
    if (s.name == 0) s.name = names_.enter(s);
    return s.name;
  }
  void forget(slot& s) noexcept {
    if (s.name != 0) names_.leave(std::exchange(s.name, 0));
  }
  /// What has the name; null: nothing.
  [[nodiscard]] slot* named(std::uint64_t name) const noexcept { return names_.find(name); }

 private:
  static constexpr std::size_t most_spare = 64;
  handle_table<slot> names_;
  std::vector<std::unique_ptr<slot_chunk>> spare_;
};

/// The slots of an operation, in a ring.
class slot_ring {
 public:
  explicit slot_ring(slot_store& spare) : spare_(spare) {}
  slot_ring(const slot_ring&) = delete;
  slot_ring& operator=(const slot_ring&) = delete;
  ~slot_ring() {
    for (auto& chunk : chunks_) {
      if (chunk) spare_.put_back(std::move(chunk));
    }
  }

  /// At least so many; while none is in use.
  void widen(std::size_t slots) {
    const std::size_t chunks = (slots + slot_chunk::slots - 1) / slot_chunk::slots;
    if (chunks > chunks_.size()) chunks_.resize(chunks);
  }
  [[nodiscard]] std::size_t size() const noexcept { return chunks_.size() * slot_chunk::slots; }
  [[nodiscard]] slot_store& store() noexcept { return spare_; }
  [[nodiscard]] slot& at(std::uint64_t index) {
    const std::size_t place = index % size();
    auto& chunk = chunks_[place / slot_chunk::slots];
    if (!chunk) [[unlikely]]
      chunk = spare_.take();
    return chunk->of[place % slot_chunk::slots];
  }

 private:
  slot_store& spare_;
  std::vector<std::unique_ptr<slot_chunk>> chunks_;
};

/// A message that a `collect` fetches.
struct collected_fetch {
  int source = 0;  ///< world rank
  offer from;
  std::vector<std::byte> bytes;
  request moving;
  bool begun = false;
};

/// Who wants to hear when a counter has reached a value.
struct watcher {
  int rank = 0;  ///< world rank
  std::uint32_t counter = 0;
  std::uint64_t value = 0;
  std::uint64_t asker = 0;  ///< its name for its slot
};

/// Names an operation on this rank: its team, and operation::run.
struct run_key {
  std::uint64_t team = 0;
  std::uint64_t run = 0;
  friend auto operator<=>(const run_key&, const run_key&) = default;
};

/// How far a `collect` has come.
struct collecting_edge {
  std::uint64_t came = 0;  ///< messages handed over, or being fetched
  slot* closes = nullptr;  ///< its close, where that waits
};

/// The executor's window: slots [base, next), in the order of emission. A dependency older than
/// base is met. A step is tried when it is open: once what it waits for is done, and again when
/// something has happened for it (`stir`); what waits for a message costs nothing until it comes.
class operation {
 public:
  operation(slot_store& spare, const team& on, team_record& record, std::uint32_t number,
            const schedule::generator& steps, const binding& bound, const manner& how);

  /// Begins anew: the next start of a persistent operation.
  void restart(completer told);
  /// A start that does not go through the window. Returns the operation's number.
  std::uint32_t count_start() noexcept {
    ++start_;
    return number;
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
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }
  /// A stage is done: the generator may go on, with this much scratch.
  void pass_stage(const slot& s);

  /// Where a piece lies: this rank's, or of any member's shared scratch.
  [[nodiscard]] const std::byte* source(const schedule::piece& p) const noexcept;
  [[nodiscard]] std::byte* target(const schedule::piece& p) noexcept;
  /// Whether members find each other's buffer of that kind on the board.
  [[nodiscard]] bool exposes(schedule::buffer which) const noexcept;
  [[nodiscard]] std::span<std::uint64_t> words(const schedule::slots& s) noexcept;
  [[nodiscard]] edge_key key_of(const schedule::step& s) const;
  [[nodiscard]] std::uint64_t run() const noexcept { return std::uint64_t{number} << 32U | start_; }
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
  bool running = false;
  bool advancing = false;
  bool failed = false;  ///< a step threw: nothing more is done, but peers' answers find its slots
  bool stirred = true;  ///< some step may have become possible
  bool told_early = false;  ///< exit mode none: the caller was told already

  bool shares_memory = false;
  bool epoch_counts = false;
  std::uint64_t epoch = 0;  ///< of its team, where epoch_counts
  board::scratch_place shared_scratch;
  std::uint32_t settle_round = 0;

  std::vector<std::uint64_t> counters;
  std::map<std::uint64_t, collecting_edge> collecting;  ///< by edge, as it travels
  std::list<collected_fetch> fetches;
  /// Peers' buffers, where addresses are not known everywhere, and own ones that peers asked for.
  std::map<std::pair<int, schedule::buffer>, exposed_memory> peers;
  std::map<schedule::buffer, exposed_memory> exposures;

 private:
  [[nodiscard]] bool grows_scratch(const slot& s) const noexcept;
  [[nodiscard]] bool grows_slots(const slot& s) const noexcept;
  [[nodiscard]] std::byte* shared(const schedule::piece& p) const noexcept;

  void link(slot& fresh);
  void open_front() noexcept;

  schedule::generator steps_;
  schedule::facts facts_;
  slot_ring slots_;
  open_steps open_;
  std::vector<std::byte> scratch_;
  std::vector<std::uint64_t> words_;
  std::uint64_t base_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t others_ = 0;  ///< steps in the window that are not done and no receives
  std::uint32_t start_ = 0;
  bool ended_ = false;
  bool staged_ = false;  ///< the generator waits for a stage
};

}  // namespace upwash::collective::detail
