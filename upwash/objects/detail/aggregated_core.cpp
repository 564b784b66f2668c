// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/aggregated_core.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::objects {
namespace {

array_core& checked(array_core& of, const void* which) {
  const auto refuse = [&](const char* why) {
    throw error(error_kind::argument, fmt::format("rank {}: a method of {} is aggregated, but {}",
                                                  of.among().here().rank(), of.label(), why));
  };
  if (of.ordered()) {
    refuse(
        "the array is ordered, and aggregated calls keep no order: use send, or an array that "
        "is not ordered");
  }
  if (of.keeper_of(which) != nullptr) refuse("it is already: use that one, or end it first");
  return of;
}

}  // namespace

aggregated_core::aggregated_core(array_core& of, const void* which)
    : place_keeper(which), of_(checked(of, which)) {
  of_.add_keeper(*this);
}

aggregated_core::~aggregated_core() { of_.remove_keeper(*this); }

void aggregated_core::wait_for_all() const { control::barrier(of_.among()); }

object_place aggregated_core::place_of(const object_key& key) const {
  if (element* const one = of_.find(key); one != nullptr) return object_place::here(*one);
  const location at = of_.next_place(key);
  return at.member < 0 || at.removed ? object_place() : object_place::at_member(at.member);
}

object_place aggregated_core::look_up(const object_key& key, int caller) const {
  const object_place found = place_of(key);
  if (found.known() || !of_.next_place(key).removed) return found;
  throw error(error_kind::argument,
              fmt::format("{}is called{}, but has been removed", of_.naming(key),
                          caller < 0 ? "" : fmt::format(" by member {}", caller)));
}

void aggregated_core::ask(int member, const object_key& key) {
  const team& among = of_.among();
  of_.created();
  send<&handle_question>(among.here(), among.world_rank(member), of_.name(), key, among.rank(), 0U);
}

void aggregated_core::run_now(function_ref<void()> method) const {
  host(of_.among().here()).run_as_handler(method);
}

void aggregated_core::refuse_unopened(const array_core& of, const object_key& caller) {
  throw error(error_kind::argument,
              of.naming(caller) +
                  "calls a method as aggregated that is not, or no more: members make `aggregated` "
                  "before methods use it, and keep it until the array is quiet");
}

void handle_question(incoming& in, std::uint64_t array, object_key key, std::int32_t from,
                     std::uint32_t hops) {
  array_core& of = in.here().service<object_service>().find(array);
  const team& among = of.among();
  if (const element* const one = of.find(key); one != nullptr) {
    if (hops > 0) of.tell(from, key, {among.rank(), one->moves, false});
  } else if (const location at = of.next_place(key); at.member >= 0 && !at.removed) {
    of.created();
    send<&handle_question>(in.here(), among.world_rank(at.member), array, key, from, hops + 1);
  }
  of.handled();
}

}  // namespace upwash::objects
