// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/array_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/aggregated_keeper.hpp"
#include "upwash/objects/detail/array_tables.hpp"
#include "upwash/objects/detail/stopwatch.hpp"

namespace upwash::objects {
namespace {

constexpr std::uint64_t outside = std::uint64_t{1} << 63U;

/// The object whose method runs, while it does.
class turn {
 public:
  turn(object_service& service, element& of) : service_(service) { service_.running = &of; }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
  ~turn() { service_.running = nullptr; }

 private:
  object_service& service_;
};

}  // namespace

array_core::array_core(const team& among, const index_space& indices, object_options options)
    : among_(among),
      indices_(indices),
      label_(std::move(options.name)),
      ordered_(options.ordered),
      measured_(options.measure),
      service_(among.here().service<object_service>()),
      name_(service_.next_name(among)),
      work_(among),
      broadcasts_(options.broadcasts),
      in_(std::make_unique<tables>()),
      reductions_(*this),
      sections_(*this),
      delegations_(*this) {
  service_.add(name_, *this);
  control::barrier(among_);  // messages find it everywhere
}

array_core::~array_core() { service_.remove(name_); }

std::size_t array_core::size_here() const noexcept { return in_->here.size(); }

element* array_core::find(const object_key& key) const {
  const auto found = in_->here.find(key);
  return found == in_->here.end() ? nullptr : found->second.get();
}

void array_core::for_each(function_ref<void(element&)> each) {
  std::vector<element*> all;
  for (const auto& [key, one] : in_->here) all.push_back(one.get());
  // What `each` sends may wait, and objects arrive meanwhile, but none leaves. In a method it does
  // not wait: the method could not go on either.
  const object_service::pause held(service_);
  const auto look = [&] {
    for (element* const one : all) each(*one);
  };
  if (service_.running == nullptr) return look();
  host(among_.here()).run_as_handler(look);
}

void array_core::call(std::unique_ptr<invocation> made) {
  element* const caller = service_.running;
  if (measured_ == balancing::measure::time_and_calls && caller != nullptr && &caller->of == this) {
    caller->measured->calls.add(made->to, made->bytes());
  }
  try {
    deliver(std::move(made));
  } catch (...) {
    work_.handled();  // it is not under way; the program may go on
    throw;
  }
}

void array_core::call_after(duration time, std::unique_ptr<invocation> made) {
  job& here = among_.here();
  if (time < duration()) {
    work_.handled();
    throw error(error_kind::argument, naming(made->to) + fmt::format("is called after {:.3f} us, "
                                                                     "which has passed",
                                                                     time.us()));
  }
  const duration now = here.now();
  const duration due = time > duration::max() - now ? duration::max() : now + time;
  service_.enqueue_at(due, std::move(made));
}

envelope array_core::head_of_rank(int priority, const object_key* to) const {
  using limits = std::numeric_limits<std::int16_t>;
  if (priority < limits::min() || priority > limits::max()) {
    throw error(error_kind::argument,
                fmt::format("{}is called with priority {}, which is not in {} .. {}",
                            to == nullptr ? "a section of " + label_ + ' ' : naming(*to), priority,
                            limits::min(), limits::max()));
  }
  envelope head;
  head.array = name_;
  head.from = among_.rank();
  head.caller = outside | static_cast<std::uint64_t>(head.from);
  head.priority = static_cast<std::int16_t>(priority);
  return head;
}

envelope array_core::begin_call(const object_key& to, int priority, bool numbered) {
  element* const caller = service_.running;
  // An object of another array is a caller like any outside: it takes its counts along only within
  // its own.
  if (caller == nullptr || (ordered_ && &caller->of != this)) {
    return begin_call_of_rank(to, priority, numbered);
  }
  envelope head = head_of_rank(priority, &to);
  head.caller = caller->id;
  if (ordered_ && numbered) head.number = ++caller->calls[to];
  created();
  return head;
}

envelope array_core::begin_call_of_section(const object_key& to, int priority) {
  envelope head = head_of_rank(priority, &to);
  head.caller |= by_section;
  if (ordered_) head.number = ++in_->calls_of_sections[to];
  created();
  return head;
}

envelope array_core::begin_call_of_rank(const object_key& to, int priority, bool numbered) {
  envelope head = head_of_rank(priority, &to);
  if (ordered_ && numbered) head.number = ++in_->calls[to];
  created();
  return head;
}

/// Here, on to where it has gone, or to its home, which knows.
void array_core::deliver(std::unique_ptr<invocation> call) {
  const object_key& key = call->to;
  if (element* const one = find(key); one != nullptr) {
    if (call->head.hops > 1) tell(call->head.from, key, {among_.rank(), one->moves, false});
    return enqueue(std::move(call), *one);
  }
  const location at = next_place(key);
  if (at.member < 0) return in_->early[key].push_back(std::move(call));
  if (at.removed) {
    if ((call->head.caller & by_section) != 0) return handled();
    throw error(
        error_kind::argument,
        naming(key) + fmt::format("is called by member {}, but has been removed", call->head.from));
  }
  forward(std::move(call), at.member);
}

location array_core::next_place(const object_key& key) const {
  const bool home = is_home(key);
  location at{home ? -1 : indices_.home_of(key)};
  const auto known = in_->known.find(key);
  // Removed there; but it may have been inserted again, as its home knows.
  if (known != in_->known.end() && !known->second.removed) at = known->second;
  if (home) {
    const auto entry = in_->homes.find(key);
    if (entry == in_->homes.end()) return {};
    if (at.member < 0 || entry->second.moves >= at.moves) at = entry->second;
  }
  return at;
}

way_to_object array_core::way_to(const object_key& key) const {
  if (measured_ == balancing::measure::time_and_calls) return {};
  if (element* const one = find(key); one != nullptr) return {.here = one};
  const location at = next_place(key);
  if (at.member < 0 || at.removed || at.member == among_.rank()) return {};
  return {.rank = among_.world_rank(at.member)};
}

void array_core::forward(std::unique_ptr<invocation> call, int member) {
  if (call->head.hops < envelope::most_hops) ++call->head.hops;
  call->send(among_.here(), among_.world_rank(member));
}

void array_core::run(std::unique_ptr<invocation> call) {
  element* const on = call->as_of == departures_ ? call->found : find(call->to);
  if (on == nullptr) {
    // It has left since. What is for all finds it where it is now.
    if (call->head.broadcast != 0) return work_.handled();
    return deliver(std::move(call));
  }
  if (call->head.broadcast != 0) {
    if (call->head.broadcast != on->broadcasts + 1) return work_.handled();  // it has run elsewhere
    on->broadcasts = call->head.broadcast;
  }
  if (call->head.number == 0) return run_here(std::move(call), *on);
  arrivals& of = on->callers[call->head.caller];
  if (call->head.number != of.run + 1) {
    of.early.emplace(call->head.number, std::move(call));
    return;
  }
  ++of.run;
  if (const auto next = of.early.find(of.run + 1); next != of.early.end()) {
    service_.enqueue(std::move(next->second));
    of.early.erase(next);
  }
  run_here(std::move(call), *on);
}

void array_core::run_here(std::unique_ptr<invocation> call, element& on) {
  if (call->waits != nullptr) return service_.begin_aside(std::move(call), on);
  try {
    const turn now(service_, on);
    const stopwatch timed(on);
    call->run(on);
  } catch (...) {
    method_threw(on);
  }
  // What it has begun was counted before this is over.
  method_over(on);
  work_.handled();
}

void array_core::method_over(element& on) {
  if (on.conditions != nullptr) service_.look_at_conditions(on);
  if (on.on_fibers != 0) return;
  if (on.ends) {
    remove(on);
  } else if (on.leaves_for >= 0) {
    depart(on);
  }
}

void array_core::method_threw(const element& on) const {
  try {
    throw;
  } catch (const std::exception& failure) {
    throw error(error_kind::fault, naming(on.key) + "a method threw: " + failure.what());
  } catch (...) {
    throw error(error_kind::fault, naming(on.key) + "a method threw what is no std::exception");
  }
}

void array_core::tell(int member, const object_key& key, const location& at) {
  if (member == among_.rank()) return hear(key, at);
  created();
  send<&handle_location>(among_.here(), among_.world_rank(member), name_, key, at);
}

/// The newest counts: hints overtake each other.
void array_core::hear(const object_key& key, const location& at) {
  if (is_home(key)) {
    location& entry = in_->homes[key];
    if (at.moves < entry.moves) return;
    entry = at;
    const auto pointer = in_->known.find(key);
    if (pointer != in_->known.end() && pointer->second.moves <= at.moves) in_->known.erase(pointer);
    changed(key);
    if (!in_->early.empty()) release(key);
  } else if (!in_->here.contains(key)) {
    location& known = in_->known[key];
    if (known.member >= 0 && at.moves <= known.moves) return;
    known = at;
    changed(key);
  }
}

void array_core::add_keeper(place_keeper& told) { keepers_.push_back(&told); }

void array_core::remove_keeper(const place_keeper& told) { std::erase(keepers_, &told); }

place_keeper* array_core::keeper_of(const void* which) const noexcept {
  const auto found = std::ranges::find(keepers_, which, &place_keeper::identity);
  return found == keepers_.end() ? nullptr : *found;
}

void array_core::changed(const object_key& key) {
  for (place_keeper* const each : keepers_) each->changed(key);
}

void array_core::quiet(call_site site) {
  if (const element* const in = service_.running; in != nullptr) {
    throw error(error_kind::argument,
                fmt::format("{}{} is to be quiet, in a method, which it would wait for; call quiet "
                            "outside methods",
                            in->of.naming(in->key), label_));
  }
  if (const auto found = work_.wait_unless_hopeless(site); found != streaming::verdict::quiet) {
    delegations_.refuse(found);
  }
  // Nothing is under way: homes know where all are, and all have run all broadcasts.
  in_->known.clear();
  broadcasts_.forget();
  std::array<std::uint64_t, 4> all{reductions_.begun(), reductions_.has_new() ? 1U : 0U,
                                   reductions_.has_moved() ? 1U : 0U,
                                   sections_.has_moved() ? 1U : 0U};
  control::all_reduce(among_, all, control::fold::most);  // all have forgotten when any goes on
  const auto [begun, any_new, any_moved, any_of_sections] = all;
  if (any_new != 0 || (any_moved != 0 && begun != 0)) {
    reductions_.settle(begun);
    work_.wait(site);
  }
  reductions_.fence_at(begun);
  if (any_of_sections != 0) {
    sections_.look_for_moved();
    work_.wait(site);
    sections_.rebuild();
    work_.wait(site);
  }
  sections_.stood();
  delegations_.fence(site);
}

void array_core::check_member(int member, const std::string& doing) const {
  if (member >= 0 && member < among_.size()) return;
  throw error(error_kind::argument,
              fmt::format("{} member {} of a team of {}", doing, member, among_.size()));
}

std::string array_core::name_of(const object_key& key) const {
  return fmt::format("object {} of {}", indices_.text_of(key), label_);
}

void array_core::quiet_together(std::span<array_core* const> all, call_site site) {
  const auto created = [&] {
    std::uint64_t sum = 0;
    for (const array_core* const each : all) sum += each->created_;
    return sum;
  };
  // Where nobody creates anything while each in turn has nothing under way, none has.
  std::array<std::uint64_t, 1> more{1};
  while (more[0] != 0) {
    const std::uint64_t before = created();
    // What others do may take up what is put aside: `quiet` looks when they are done.
    for (array_core* const each : all) static_cast<void>(each->work_.wait_unless_hopeless(site));
    more[0] = created() - before;
    control::all_reduce(all.front()->among_, more, control::fold::most);
  }
  for (array_core* const each : all) each->quiet(site);
}

std::string array_core::naming(const object_key& key) const {
  return fmt::format("rank {}, {}: ", among_.here().rank(), name_of(key));
}

std::string array_core::describe_pending() const {
  std::string text;
  for (const auto& [key, calls] : in_->early) {
    text += fmt::format("{}{} call{} of object {} of {}, which nobody has inserted",
                        text.empty() ? "" : "; ", calls.size(), calls.size() == 1 ? "" : "s",
                        indices_.text_of(key), label_);
  }
  for (const std::string& more :
       {reductions_.describe_pending(), delegations_.describe_pending()}) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  }
  return text;
}

void handle_ended(incoming& in, std::uint64_t array, object_key key, location at,
                  std::vector<std::uint64_t> sections) {
  array_core& of = in.here().service<object_service>().find(array);
  of.hear(key, at);
  of.sections_here().object_ended(key, sections);
  of.handled();
}

void handle_location(incoming& in, std::uint64_t array, object_key key, location at) {
  array_core& of = in.here().service<object_service>().find(array);
  of.hear(key, at);
  of.handled();
}

}  // namespace upwash::objects
