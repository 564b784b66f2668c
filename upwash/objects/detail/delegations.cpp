// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/delegations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/packed_message.hpp"
#include "upwash/objects/detail/delegation_tables.hpp"
#include "upwash/objects/detail/method_message.hpp"

namespace upwash::objects {
namespace {

/// An object ends a bracket, in which it has made so many calls.
class bracket_end final : public contribution {
 public:
  bracket_end(std::uint64_t id, std::uint64_t calls) : id_(id), calls_(calls) {}

  void add(contribution& other) override { calls_ += dynamic_cast<bracket_end&>(other).calls_; }
  void send(job& here, int rank, const contribution_head& head) override {
    upwash::send<&arrive>(here, rank, head, calls_);
  }
  void give(array_core& of, std::uint64_t number) override {
    of.delegated().ended(id_, number, calls_);
  }
  static void arrive(incoming& in, contribution_head head, std::uint64_t calls) {
    array_of(in, head.array)
        .reduced()
        .arrived(head, std::make_unique<bracket_end>(head.section, calls));
  }

 private:
  std::uint64_t id_;
  std::uint64_t calls_;
};

void handle_deposit(incoming& in, delegations::deposit_head head,
                    std::vector<std::int32_t> members) {
  array_core& of = array_of(in, head.array);
  of.delegated().deposited(head, std::move(members), in.payload());
  of.handled();
}
void handle_wake(incoming& in, std::uint64_t array, std::uint64_t id, std::uint64_t bracket) {
  array_core& of = array_of(in, array);
  of.delegated().woken(id, bracket);
  of.handled();
}
void handle_emptied(incoming& in, std::uint64_t array, std::uint64_t id, std::int32_t member,
                    std::uint64_t from) {
  array_core& of = array_of(in, array);
  of.delegated().must_wake(id, member, from);
  of.handled();
}
}  // namespace

delegations::delegations(array_core& of) : of_(of), in_(std::make_unique<state>()) {}
delegations::~delegations() = default;

strategy& delegations::get(strategy_id id) { return *find(id).by; }

delegations::instance& delegations::find(strategy_id id) {
  const auto found = in_->all.find(id.number);
  if (found != in_->all.end()) return found->second;
  throw error(error_kind::argument,
              fmt::format("rank {}: calls of {} go by a strategy that it is not bound to: give "
                          "what bind has returned",
                          of_.among().here().rank(), of_.label()));
}

strategy_id delegations::bind(std::unique_ptr<strategy> by, call_places places, call_site site) {
  if (by == nullptr) {
    throw error(error_kind::argument, fmt::format("rank {}: {} is bound to no strategy",
                                                  of_.among().here().rank(), of_.label()));
  }
  strategy_id id;
  id.number = strategy_bit | (in_->all.size() + 1);
  in_->all[id.number].by = std::move(by);
  in_->all[id.number].to = places;
  // While an exception passes a strategy waits for nobody at its end.
  struct undo {
    std::map<std::uint64_t, instance>& all;
    std::uint64_t number;
    ~undo() {
      if (number != 0) all.erase(number);
    }
  } otherwise{in_->all, id.number};
  of_.quiet(site);
  otherwise.number = 0;
  return id;
}

element& delegations::running(const instance& in, const char* does) const {
  element* const from = of_.service().running;
  if (from != nullptr && &from->of == &of_) return *from;
  throw error(error_kind::argument,
              fmt::format("rank {}: {} calls by {} outside methods of {}",
                          of_.among().here().rank(), does, in.by->name(), of_.label()));
}

membership& delegations::opened(const instance& in, strategy_id id) const {
  element& from = running(in, "makes");
  const auto found = from.sections.find(id.number);
  if (found != from.sections.end() && found->second.open) return found->second;
  throw error(error_kind::argument, fmt::format("{}makes a call by {} outside begin and end",
                                                of_.naming(from.key), in.by->name()));
}

void delegations::begin(strategy_id id) {
  instance& in = find(id);
  element& from = running(in, "begins");
  const auto found = from.sections.find(id.number);
  const char* const wrong =
      !in.by->bracketed() ? "begins calls by a strategy that is not bracketed"
      : found == from.sections.end()
          ? "begins calls by a strategy, but has come after the array was quiet"
      : found->second.open ? "begins calls by a strategy twice: end comes first"
                           : nullptr;
  if (wrong != nullptr) {
    throw error(error_kind::argument,
                fmt::format("{}{} ({})", of_.naming(from.key), wrong, in.by->name()));
  }
  found->second.open = true;
  found->second.inserted = 0;
}

void delegations::end(strategy_id id) {
  instance& in = find(id);
  element& from = running(in, "ends");
  const auto found = from.sections.find(id.number);
  if (found == from.sections.end() || !found->second.open) {
    throw error(error_kind::argument,
                fmt::format("{}ends calls by a strategy that it has not begun ({})",
                            of_.naming(from.key), in.by->name()));
  }
  membership& of = found->second;
  of.open = false;
  of_.reduced().contribute(from, id.number, std::make_unique<bracket_end>(id.number, of.inserted));
}

int delegations::place_of(instance& in, const array_core& array, const object_key& key) {
  if (in.to == call_places::as_heard) {
    const location at = array.next_place(key);
    if (at.member >= 0 && !at.removed) return at.member;
  }
  auto& places = in.places[array.name()];
  return places.try_emplace(key, array.home_of(key)).first->second;
}

/// A method that may wait does not do so in the midst of a strategy.
bool delegations::may_be_suspended() const {
  return of_.service().on_fiber && !of_.among().here().in_handler();
}

void delegations::call(strategy_id id, array_core& array, std::unique_ptr<invocation> made) {
  if (may_be_suspended()) {
    return host(of_.among().here()).run_as_handler([&] { call(id, array, std::move(made)); });
  }
  if (array.find(made->to) != nullptr) {
    check_call(array, 1, [&] {
      const instance& in = find(id);
      if (in.by->bracketed()) static_cast<void>(opened(in, id));
    });
    return array.call(std::move(made));
  }
  check_call(array, 1, [&] {
    instance& in = find(id);
    const int place = place_of(in, array, made->to);
    std::vector<std::byte> message;
    made->head.hops = 1;
    if (&array == &of_) made->head.strategy = count_call(id, in, 1);
    made->pack(of_.among().here(), message);
    deposit_from_here(id, in, array, {array.among().world_rank(place)}, message,
                      made->head.priority);
  });
}

/// Where it does not go it is not under way; the program may go on.
void delegations::check_call(array_core& array, std::uint64_t pieces, function_ref<void()> made) {
  try {
    made();
  } catch (...) {
    array.handled(pieces);
    throw;
  }
}

void delegations::call_section(strategy_id id, std::uint64_t section, int priority,
                               std::unique_ptr<broadcast_call> made) {
  if (may_be_suspended()) {
    return host(of_.among().here()).run_as_handler([&] {
      call_section(id, section, priority, std::move(made));
    });
  }
  instance& in = find(id);
  const auto members = of_.sections_here().members_of(section);
  if (members.empty()) {  // it was not made here: by its root
    return of_.sections_here().call(section, priority, std::move(made));
  }
  made->head = of_.head_of_rank(priority);
  made->head.caller = section;
  made->head.strategy = count_call(id, in, members.size());
  made->head.hops = 1;  // it stays where it arrives
  std::vector<std::byte> message;
  made->pack(of_.among().here(), message);
  of_.created(members.size());
  std::vector<std::int32_t> ranks;
  for (const int each : members) ranks.push_back(of_.among().world_rank(each));
  check_call(of_, members.size(),
             [&] { deposit_from_here(id, in, of_, std::move(ranks), message, priority); });
}

/// A number of the strategy that fits in an envelope, by which calls are known where they arrive;
/// 0: they are not.
std::uint8_t delegations::count_call(strategy_id id, instance& in, std::size_t pieces) {
  const std::uint64_t number = id.number & ~strategy_bit;
  if (number > std::numeric_limits<std::uint8_t>::max()) return 0;
  in.made += pieces;
  return static_cast<std::uint8_t>(number);
}

void delegations::carried(envelope& head) {
  const auto found = in_->all.find(strategy_bit | std::exchange(head.strategy, 0));
  if (found != in_->all.end()) ++found->second.came;
}

void delegations::deposit_from_here(strategy_id id, instance& in, const array_core& called,
                                    std::vector<std::int32_t> ranks,
                                    std::span<const std::byte> message, int priority) {
  const team& among = of_.among();
  for (std::int32_t& each : ranks) each = among.member_of(each);
  if (std::ranges::find(ranks, -1) != ranks.end()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a call by a strategy of {} is for an array whose objects are "
                            "on ranks outside its team",
                            among.here().rank(), of_.label()));
  }
  if (!in.by->bracketed()) {
    return insert(in, {priority, std::move(ranks), {message.begin(), message.end()}});
  }
  element& from = running(in, "makes");
  membership& source = from.sections[id.number];
  if (!source.open) {
    throw error(error_kind::argument, fmt::format("{}makes a call by {} outside begin and end",
                                                  of_.naming(from.key), in.by->name()));
  }
  ++source.inserted;
  const deposit_head head{of_.name(), called.name(), id.number, source.contributed + 1, priority,
                          0};
  const int at = source.gathered_at;
  if (at == among.rank()) return deposited(head, std::move(ranks), message);
  of_.created();
  send_medium<&handle_deposit>(among.here(), among.world_rank(at), message, head, ranks);
}

void delegations::deposited(const deposit_head& head, std::vector<std::int32_t> members,
                            std::span<const std::byte> message) {
  instance::bracket& of = in_->all.at(head.id).open[head.bracket];
  const auto pieces = static_cast<std::uint32_t>(members.size());
  of.calls.push_back({head.priority, std::move(members), {message.begin(), message.end()}});
  of.put_aside[head.called] += pieces;
  of_.service().find(head.called).work().put_aside(pieces);
  look_at_bracket(head.id, head.bracket);
}

void delegations::ended(std::uint64_t id, std::uint64_t number, std::uint64_t calls) {
  instance::bracket& of = in_->all.at(id).open[number];
  of.ended = true;
  of.expected = calls;
  look_at_bracket(id, number);
}

/// Calls of objects that have moved may come behind the end.
void delegations::look_at_bracket(std::uint64_t id, std::uint64_t number) {
  instance& in = in_->all.at(id);
  const auto first = in.open.find(number);
  if (!first->second.ended || first->second.calls.size() != first->second.expected) return;
  std::ranges::move(first->second.calls, std::back_inserter(in.handed));
  for (const auto& [called, pieces] : first->second.put_aside) {
    of_.service().find(called).work().taken_up(pieces);
  }
  in.open.erase(first);
  end_bracket(id, in);
}

/// Of this member, the next in number.
void delegations::end_bracket(std::uint64_t id, instance& in) {
  in.handed.emplace_back();  // no members: the end of the bracket
  ++in.ready;
  ++in.done;
  for (const auto& [member, from] : in.wakes) {
    if (from <= in.done) wake(id, member, in.done);
  }
  of_.service().tell_of_strategy();
}

void delegations::wake(std::uint64_t id, int member, std::uint64_t bracket) {
  of_.created();
  send<&handle_wake>(of_.among().here(), of_.among().world_rank(member), of_.name(), id, bracket);
}

/// Several may say so.
void delegations::woken(std::uint64_t id, std::uint64_t bracket) {
  instance& in = in_->all.at(id);
  if (bracket > in.done) in.woken.insert(bracket);
  while (!in.woken.empty() && *in.woken.begin() == in.done + 1) {
    in.woken.erase(in.woken.begin());
    end_bracket(id, in);
  }
}

void delegations::emptied(std::uint64_t id, std::uint64_t from) {
  const team& among = of_.among();
  for (int member = 0; member < among.size(); ++member) {
    if (member == among.rank()) continue;
    of_.created();
    send<&handle_emptied>(among.here(), among.world_rank(member), of_.name(), id,
                          std::int32_t{among.rank()}, from);
  }
}

void delegations::must_wake(std::uint64_t id, int member, std::uint64_t from) {
  instance& in = in_->all.at(id);
  const auto at = in.wakes.try_emplace(member, from).first;
  at->second = std::min(at->second, from);
  for (std::uint64_t bracket = from; bracket <= in.done; ++bracket) wake(id, member, bracket);
}

void delegations::insert(instance& in, const deposit& what) {
  in.seen.bytes += what.message.size() * what.members.size();
  for (const std::int32_t each : what.members) {
    if (each != of_.among().rank()) in.called.insert(each);
  }
  if (what.members.size() == 1) {
    in.by->insert(what.members.front(), what.message, what.priority);
  } else {
    in.by->insert_for(what.members, what.message, what.priority);
  }
}

int delegations::progress() {
  int done = 0;
  for (auto& [id, in] : in_->all) {
    if (in.ready > 0) {
      // Handed over whole, so that what the strategy runs meanwhile may begin the next bracket.
      std::vector<deposit> now;
      now.swap(in.handed);
      in.ready = 0;
      for (const deposit& each : now) {
        if (!each.members.empty()) {
          insert(in, each);
          continue;
        }
        in.seen.degree += in.called.size();
        in.called.clear();
        ++in.seen.brackets;
        in.by->done_inserting();
      }
      ++done;
    }
    if (in.by->busy()) in.by->go_on();
  }
  return done;
}

bool delegations::busy() const {
  return std::ranges::any_of(
      in_->all, [](const auto& each) { return each.second.ready > 0 || each.second.by->busy(); });
}

std::string delegations::describe_pending() const {
  std::string text;
  for (const auto& [id, in] : in_->all) {
    if (in.made + in.came != 0) {
      text += fmt::format("{}of calls by {} since the last quiet {} were made here, {} came here",
                          text.empty() ? "" : "; ", in.by->name(), in.made, in.came);
    }
    for (const auto& [number, of] : in.open) {
      const auto at = of_.reduced().node(id).next();
      text += fmt::format("{}bracket {} of {} by {}: {} of {} objects have ended it, {} calls came",
                          text.empty() ? "" : "; ", number, of_.label(), in.by->name(), at.objects,
                          at.objects_in_all, of.calls.size());
    }
  }
  return text;
}

}  // namespace upwash::objects
