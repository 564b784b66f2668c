// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's part of an array: its objects, the places of the objects with their home here, and the
// new places of objects that left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/team.hpp"
#include "upwash/objects/balance.hpp"
#include "upwash/objects/checkpoint.hpp"
#include "upwash/objects/detail/broadcasts.hpp"
#include "upwash/objects/detail/delegations.hpp"
#include "upwash/objects/detail/element.hpp"
#include "upwash/objects/detail/object_service.hpp"
#include "upwash/objects/detail/reductions.hpp"
#include "upwash/objects/detail/sections.hpp"
#include "upwash/objects/options.hpp"
#include "upwash/streaming/quiescence.hpp"

namespace upwash::objects {

/// The place of an object after `moves` moves.
struct location {
  int member = -1;
  std::uint64_t moves = 0;
  bool removed = false;
};

class place_keeper;
class balance_round;
class checkpoint_round;

/// The functions that need the type of the index.
class index_space {
 public:
  /// Returns the home of the index.
  [[nodiscard]] virtual int home_of(const object_key& key) const = 0;
  [[nodiscard]] virtual std::string text_of(const object_key& key) const = 0;
  [[nodiscard]] virtual std::size_t index_bytes() const = 0;
  /// Makes an object from its state. Throws `error` (fault) for an invalid state.
  [[nodiscard]] virtual std::unique_ptr<element> make(array_core& of, const object_key& key,
                                                      std::span<const std::byte> state) const = 0;

 protected:
  ~index_space() = default;
};

/// The way of a call, if one table look-up finds it; otherwise neither field is set.
struct way_to_object {
  element* here = nullptr;
  int rank = -1;  ///< in the world
};

/// A call goes to the supposed place of its object. Each detour leads to a place after more moves,
/// so it ends. Memory: an entry for each object here, for each with its home here, and, until the
/// array is quiet, for each that has left and each that was called.
class array_core {
 public:
  /// `ordered`: calls of one caller to one object run in the order in which they were made.
  /// Collective over the team, blocking.
  array_core(const team& among, const index_space& indices, object_options options);
  ~array_core();
  array_core(const array_core&) = delete;
  array_core& operator=(const array_core&) = delete;

  [[nodiscard]] const team& among() const noexcept { return among_; }
  [[nodiscard]] std::uint64_t name() const noexcept { return name_; }
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] quiescence& work() noexcept { return work_; }
  [[nodiscard]] reductions& reduced() noexcept { return reductions_; }
  [[nodiscard]] sections& sections_here() noexcept { return sections_; }
  [[nodiscard]] delegations& delegated() noexcept { return delegations_; }
  [[nodiscard]] const delegations& delegated() const noexcept { return delegations_; }
  [[nodiscard]] object_service& service() const noexcept { return service_; }
  [[nodiscard]] bool ordered() const noexcept { return ordered_; }
  [[nodiscard]] std::size_t size_here() const noexcept;
  [[nodiscard]] int home_of(const object_key& key) const { return indices_.home_of(key); }
  [[nodiscard]] element* find(const object_key& key) const;
  /// Returns the next place of a call if its object is not here. Member -1: this is the object's
  /// home, and it is not inserted yet.
  [[nodiscard]] location next_place(const object_key& key) const;
  /// Visits the objects that are here now. No method runs meanwhile.
  void for_each(function_ref<void(element&)> each);

  /// Begins a call that the program makes here, in a method or outside. `numbered`: if the array is
  /// ordered.
  [[nodiscard]] envelope begin_call(const object_key& to, int priority, bool numbered = true);
  /// Begins a call outside methods.
  [[nodiscard]] envelope begin_call_of_rank(const object_key& to, int priority = 0,
                                            bool numbered = true);
  /// Begins a call of one object of a section. A removed object is not called any more.
  [[nodiscard]] envelope begin_call_of_section(const object_key& to, int priority);
  [[nodiscard]] envelope head_of_rank(int priority, const object_key* to = nullptr) const;
  [[nodiscard]] way_to_object way_to(const object_key& key) const;
  /// Enqueues a call of that object.
  void enqueue(std::unique_ptr<invocation> made, element& on) {
    made->found = &on;
    made->as_of = departures_;
    service_.enqueue(std::move(made));
  }
  void call_after(duration time, std::unique_ptr<invocation> made);
  /// Sends or enqueues a call. Throws the failure; the call is then not in progress.
  void call(std::unique_ptr<invocation> made);
  void broadcast(std::unique_ptr<broadcast_call> made);

  /// Adds an object at its home, this member. It receives the broadcasts since the array was quiet.
  /// Throws `error` (argument) if the index exists.
  void insert(std::unique_ptr<element> made, bool in_fill = false);
  /// Lets calls arrive only after all members have filled.
  void filled() const;
  /// Counts pieces on their way to another member.
  void created(std::uint64_t pieces = 1) noexcept {
    created_ += pieces;
    work_.created(pieces);
  }
  void handled(std::uint64_t pieces = 1) noexcept { work_.handled(pieces); }

  void stay() noexcept { stays_ = true; }
  [[nodiscard]] bool stays() const noexcept { return stays_; }

  /// Waits until nothing is in progress. Collective, blocking.
  void quiet(call_site site);
  /// The same for several arrays on one team with methods that call each other: waits until nothing
  /// is in progress in any, then each is quiet.
  static void quiet_together(std::span<array_core* const> all, call_site site);

  /// Adds a keeper, which is told of changes of `find` and `next_place`; one of each kind.
  void add_keeper(place_keeper& told);
  void remove_keeper(const place_keeper& told);
  /// Returns the keeper of that kind, or null.
  [[nodiscard]] place_keeper* keeper_of(const void* which) const noexcept;

  /// Collective, blocking; detail/balance_round.cpp.
  balancing::result balance(const balancing::strategy& by, const balancing::share& mine,
                            call_site site);
  /// Collective, blocking; detail/checkpoint_round.cpp.
  checkpoint_result save(const std::string& path, const checkpoint_options& options,
                         call_site site);
  checkpoint_result load(const std::string& path, const checkpoint_options& options,
                         std::span<const int> places, call_site site);

  // Called for messages and by the queue:
  void call_arrived(std::unique_ptr<invocation> call) {
    if (call->head.strategy != 0) [[unlikely]]
      delegations_.carried(call->head);
    deliver(std::move(call));
  }
  void object_arrived(std::unique_ptr<element> object, travelling beside);
  void broadcast_arrived(std::unique_ptr<broadcast_call> call);
  void run(std::unique_ptr<invocation> call);
  void hear(const object_key& key, const location& at);
  void tell(int member, const object_key& key, const location& at);

  // For methods that run at once, or on a fiber:
  /// Moves or removes the object as its method decided, when no other method of it is in progress.
  /// Waiting methods check its state.
  void method_over(element& on);
  /// Called in a `catch` block.
  [[noreturn]] void method_threw(const element& on) const;

  /// Throws `error` (fault): making an object here failed.
  [[noreturn]] void refuse_to_hold(const object_key& key, std::string_view what,
                                   const std::exception& failure) const;

  [[nodiscard]] std::string describe_pending() const;
  /// Throws `error` (argument), with `doing` first, if `member` is no member.
  void check_member(int member, const std::string& doing) const;
  /// Returns for example "object [5] of cells".
  [[nodiscard]] std::string name_of(const object_key& key) const;
  /// Returns for example "rank 2, object [5] of cells: ".
  [[nodiscard]] std::string naming(const object_key& key) const;

  struct tables;
  [[nodiscard]] tables& in() noexcept { return *in_; }

 private:
  friend class balance_round;
  friend class checkpoint_round;

  void deliver(std::unique_ptr<invocation> call);
  void forward(std::unique_ptr<invocation> call, int member);
  void run_here(std::unique_ptr<invocation> call, element& on);
  void depart(element& going);
  void write_down(const object_key& gone, int to, std::size_t bytes, duration begin) const;
  /// Acts after a method's end, while no method runs. A bounded amount of its sends waits.
  void beside_methods(function_ref<void()> act);
  void release(const object_key& key);
  [[nodiscard]] std::uint64_t next_id() noexcept;
  [[nodiscard]] std::vector<element*> in_order() const;
  void remove(element& going);
  void catch_up(element& with);
  void changed(const object_key& key);
  [[nodiscard]] bool is_home(const object_key& key) const {
    return indices_.home_of(key) == among_.rank();
  }

  team among_;
  const index_space& indices_;
  std::string label_;
  bool ordered_;
  bool stays_ = false;
  balancing::measure measured_;
  object_service& service_;
  std::uint64_t name_;
  std::uint64_t created_ = 0;
  std::uint64_t born_ = 0;        ///< here: numbers them
  std::uint64_t departures_ = 1;  ///< departures from here, and ends, plus one
  quiescence work_;
  broadcasts broadcasts_;
  std::vector<place_keeper*> keepers_;
  std::unique_ptr<tables> in_;
  reductions reductions_;
  sections sections_;
  delegations delegations_;
};

/// Throws `error` (argument): the map of an array names no member.
[[noreturn]] void refuse_home(const std::string& object, int home, int members);

/// Returns the first member of each group of that level, or every member; `mine`: that of this
/// rank's group. Collective.
[[nodiscard]] std::vector<int> first_members(const team& among, std::optional<level> of, int& mine);

/// Called in a method of the object; they take effect at its end. Throw `error` (argument)
/// elsewhere, and for an invalid member.
void migrate(element& going, int member);
void end(element& going);

/// Throws `error` (fault) if bytes of a state are left.
void check_read_whole(std::size_t left);

/// Called in a method that may wait. Throws `error` (argument) elsewhere.
void wait_until(element& on, function_ref<bool()> condition);

void handle_location(incoming& in, std::uint64_t array, object_key key, location at);
/// Called at the object's home. `sections`: those that the object knew.
void handle_ended(incoming& in, std::uint64_t array, object_key key, location at,
                  std::vector<std::uint64_t> sections);

}  // namespace upwash::objects
