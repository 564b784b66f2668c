// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs schedules without blocking: any number in flight, on any teams, moved on by every wait.
// Edges match by exact key (team, operation's number on it, edge, source), never by tags; how each
// travels is schedule/lower.hpp's to say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::collective {

/// into = left op right over `bytes` bytes of whole elements; `into` may be either operand.
struct reduction {
  static constexpr std::size_t most_state_bytes = 32;

  void (*apply)(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                const void* context) = nullptr;
  const void* context = nullptr;
  bool has_state = false;  ///< `apply` gets `state`, not `context`: it is copied with the reduction
  alignas(std::max_align_t) std::array<std::byte, most_state_bytes> state{};

  [[nodiscard]] const void* what_it_gets() const noexcept {
    return has_state ? state.data() : context;
  }
  void combine(const std::byte* left, const std::byte* right, std::byte* into,
               std::size_t bytes) const {
    apply(left, right, into, bytes, what_it_gets());
  }
};

/// Takes what a `collect` brings; called in progress, in a handler too, so it must not wait. The
/// bytes are gone when it returns. `source`: rank in the team.
struct collect_handler {
  void (*take)(int source, std::span<const std::byte> bytes, void* context) = nullptr;
  void* context = nullptr;
};

/// What a schedule's symbolic buffers stand for. The memory, also that of `given`, is the
/// executor's until the request is complete.
struct binding {
  std::span<const std::byte> input{};
  std::span<std::byte> output{};
  reduction combine{};
  std::array<std::span<const std::uint64_t>, 4> given{};  ///< facts that only the caller knows
  collect_handler collected{};
};

/// What the members of the team must have in common; checked runs compare it.
struct signature {
  std::string_view operation = "collective";  ///< a literal
  std::string_view algorithm{};               ///< a literal
  std::uint64_t bytes = 0;
  int root = 0;
  std::uint64_t kind_of_reduction = 0;  ///< names operator and type; 0: none, or the caller's own
  const char* file = "";                ///< where it is called from, for the error
  std::uint32_t line = 0;
  /// Where it counts, since algorithms may change at a blocking call: which this one is.
  enum class manner_of_waiting : std::uint8_t { any, nonblocking, blocking };
  manner_of_waiting waits = manner_of_waiting::any;
};

/// How a schedule is to run: the same on the whole team.
struct manner {
  schedule::transfer_rules rules{};  ///< eager_bytes above the conduit's medium size are cut
  schedule::sync_mode exit = schedule::sync_mode::mine;
  signature agreed{};
  /// What the schedules refer to, or null: kept until the request is complete, or as long as the
  /// `persistent` is there. Any member may give another one.
  std::shared_ptr<const void> refers_to{};
};

/// The rules for collectives on this team where nobody says otherwise: eager up to the medium size,
/// whether members reach each other's memory.
[[nodiscard]] schedule::transfer_rules default_rules(const team& among);

/// Consecutive members on one node, the same on each (the last may have fewer); else 1. The same at
/// all members. Local; O(members).
[[nodiscard]] int ranks_a_node(const team& among);

/// Starts this rank's part of a collective. Called by all members of the team in the same order,
/// with the schedules of one algorithm. Nonblocking; no synchronisation but what `how` asks for.
/// The request is complete when this rank's steps are: its output may be read, its input reused
/// (exit mode none: once its sends are; see sync_mode). Memory while in flight: the scratch, the
/// slots, and the window's steps (at least 32); messages that come before this call are kept.
/// Throws `error` (argument) for steps in the network where the conduit has no such collectives,
/// and for mechanism matched with messages of unknown number (step kind collect) or where no tagged
/// messages were installed.
[[nodiscard]] request execute(const team& among, const schedule::generator& steps,
                              const binding& buffers, const manner& how = {});

/// The same, blocking.
void execute_and_wait(const team& among, const schedule::generator& steps, const binding& buffers,
                      const manner& how = {});

namespace detail {
class operation;
struct operation_block;
}  // namespace detail

/// A collective that is set up once and started often: its steps' room, scratch and number are
/// kept. Made and started by all members of the team in the same order. Movable.
class persistent {
 public:
  /// Local: no messages. The buffers are the same at every start.
  persistent(const team& among, const schedule::generator& steps, const binding& buffers,
             const manner& how = {});
  persistent(persistent&&) noexcept;
  persistent& operator=(persistent&&) noexcept;
  /// Waits for a start that is not complete.
  ~persistent();

  /// As `execute`; behind a start with exit mode none it waits for what that still receives.
  /// Throws `error` (argument) when the start before is not complete, or failed, and where this was
  /// moved from.
  [[nodiscard]] request start();
  /// The same, blocking: as fast as the call that blocks. Members may start it so or the other way.
  void run();

 private:
  [[nodiscard]] detail::operation& kept() const;
  void retire();

  std::unique_ptr<detail::operation_block> kept_;
};

struct problem;
class registry;
class selector;
class tagged_messages;

/// Whose algorithms change while the program runs (adapt.hpp).
enum class adaptation : std::uint8_t {
  none,
  irregular,  ///< where messages differ from member to member, and nobody knows them beforehand
  all,
};

/// What the composition root gives a job's collectives.
struct installation {
  const registry* algorithms = nullptr;  ///< outlives the job; null: every rank makes its own
  selector* chooses = nullptr;  ///< outlives the job; null: the first algorithm that serves
  /// COLLECTIVE=NAME[:key=value,...][;...]: algorithms forced for all calls. Rank 0's counts.
  std::string_view forced{};
  bool tells_choices = false;            ///< in lines that are seen at any log level
  adaptation adapts = adaptation::none;  ///< rank 0's
  tagged_messages* tagged = nullptr;     ///< outlives the job; null: mechanism matched is refused
  /// For all calls that name no mechanism; the same at all ranks.
  std::optional<schedule::mechanism> transfer{};
};

/// Called by the composition root on every rank when the job starts: collectives on it may then use
/// memory that the members share. Collective, blocking. Throws `error` (configuration) for forced
/// algorithms that do not exist.
void install(job& here, const installation& with);

/// The largest edge that travels eagerly in such calls where nobody asks for a size: what the job's
/// selector says (selector.hpp). Local.
[[nodiscard]] std::uint64_t usual_eager_bytes(const team& among, const problem& call);

/// Who chooses from now on; returns who did. What was chosen for known shapes of calls is
/// forgotten. `chooses` outlives its use; null: the first algorithm that serves. Called by all
/// ranks between the same calls, with selectors that agree; local.
selector* set_selector(job& here, selector* chooses);

}  // namespace upwash::collective
