// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The strategies that an array is bound to, at one member: brackets of objects that migrate, and
// places of called objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upwash/base/call_site.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/objects/detail/broadcasts.hpp"
#include "upwash/objects/detail/element.hpp"
#include "upwash/objects/detail/object_key.hpp"
#include "upwash/objects/strategy.hpp"
#include "upwash/streaming/quiescence.hpp"

namespace upwash::objects {

class array_core;

/// Calls go to the member with their object at the last fence, which forwards them. Calls of an
/// object that has moved travel through its member at the last fence. Memory: an entry for each
/// object called by a strategy.
class delegations {
 public:
  explicit delegations(array_core& of);
  ~delegations();
  delegations(const delegations&) = delete;
  delegations& operator=(const delegations&) = delete;

  /// Collective, blocking.
  strategy_id bind(std::unique_ptr<strategy> by, call_places places, call_site site);
  [[nodiscard]] strategy& get(strategy_id id);

  /// For the object of the running method.
  void begin(strategy_id id);
  void end(strategy_id id);
  /// Calls an object of `array`, which is this array or another on the same team.
  void call(strategy_id id, array_core& array, std::unique_ptr<invocation> made);
  /// Calls a section of this array that was made here.
  void call_section(strategy_id id, std::uint64_t section, int priority,
                    std::unique_ptr<broadcast_call> made);

  /// Finds sources and places again; nothing is in progress. Collective.
  void fence(call_site site);
  /// The array cannot become quiet. Throws the same `error` at all members: argument, with an
  /// object and the strategy of its open bracket; fault for a strategy that runs calls twice.
  /// Collective.
  [[noreturn]] void refuse(streaming::verdict found);

  /// Marks an arrived call as a normal call.
  void carried(envelope& head);

  int progress();
  [[nodiscard]] bool busy() const;
  [[nodiscard]] std::string describe_pending() const;

  // For messages and the node of brackets:
  struct deposit_head {
    std::uint64_t array = 0;
    std::uint64_t called = 0;  ///< the array of the called object
    std::uint64_t id = 0;
    std::uint64_t bracket = 0;
    std::int32_t priority = 0;
    std::int32_t padding = 0;
  };
  void deposited(const deposit_head& head, std::vector<std::int32_t> members,
                 std::span<const std::byte> message);
  void ended(std::uint64_t id, std::uint64_t bracket, std::uint64_t calls);
  void woken(std::uint64_t id, std::uint64_t bracket);
  void must_wake(std::uint64_t id, int member, std::uint64_t from);
  /// The last of this member's objects has ended. From bracket `from` on, the member takes part
  /// because others tell it of the brackets.
  void emptied(std::uint64_t id, std::uint64_t from);
  void placed(std::uint64_t id, std::uint64_t array, const object_key& key, std::int32_t member);

 private:
  struct deposit;
  struct instance;
  struct state;

  [[nodiscard]] instance& find(strategy_id id);
  [[nodiscard]] static int place_of(instance& in, const array_core& array, const object_key& key);
  [[nodiscard]] bool may_be_suspended() const;
  [[nodiscard]] element& running(const instance& in, const char* does) const;
  /// Returns the membership of the running method's object, with an open bracket.
  [[nodiscard]] membership& opened(const instance& in, strategy_id id) const;
  void deposit_from_here(strategy_id id, instance& in, const array_core& called,
                         std::vector<std::int32_t> ranks, std::span<const std::byte> message,
                         int priority);
  void insert(instance& in, const deposit& what);
  static void check_call(array_core& array, std::uint64_t pieces, function_ref<void()> made);
  void end_bracket(std::uint64_t id, instance& in);
  [[nodiscard]] std::uint8_t count_call(strategy_id id, instance& in, std::size_t pieces);
  /// Returns the first local source of a strategy for which the predicate holds; null: none.
  [[nodiscard]] const element* first_here(std::uint64_t id,
                                          function_ref<bool(const membership&)> is_wanted) const;
  [[nodiscard]] std::string name_unended();
  void wake(std::uint64_t id, int member, std::uint64_t bracket);
  void look_at_bracket(std::uint64_t id, std::uint64_t number);
  void find_sources(std::uint64_t id, instance& in);
  [[nodiscard]] call_pattern mean_of(instance& in) const;
  void ask_for_places();

  array_core& of_;
  std::unique_ptr<state> in_;
};

/// Marks ids of strategies among those of sections.
inline constexpr std::uint64_t strategy_bit = std::uint64_t{1} << 63U;

}  // namespace upwash::objects
