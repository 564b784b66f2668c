// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/array_core.hpp"

#include <fmt/format.h>

#include <bit>
#include <exception>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::objects {
namespace {

constexpr std::uint64_t born_bits = 40;
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

struct array_core::tables {
  std::unordered_map<object_key, std::unique_ptr<element>, hash_of_key> here;
  std::unordered_map<object_key, location, hash_of_key> homes;  ///< of indices at home here
  std::unordered_map<object_key, location, hash_of_key> known;  ///< of others: left, or heard of
  std::unordered_map<object_key, std::uint64_t, hash_of_key> calls;  ///< made outside methods
  /// At home: for objects that nobody has inserted yet.
  std::unordered_map<object_key, std::vector<std::unique_ptr<invocation>>, hash_of_key> early;
};

array_core::array_core(const team& among, const index_space& indices, std::string name,
                       bool ordered)
    : among_(among),
      indices_(indices),
      label_(std::move(name)),
      ordered_(ordered),
      service_(among.here().service<object_service>()),
      name_(service_.next_name(among)),
      work_(among),
      in_(std::make_unique<tables>()) {
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
  // What `each` sends may wait, and objects arrive meanwhile, but none leaves.
  const object_service::pause held(service_);
  for (element* const one : all) each(*one);
}

void array_core::call(std::unique_ptr<invocation> made) {
  try {
    deliver(std::move(made));
  } catch (...) {
    work_.handled();  // it is not under way; the program may go on
    throw;
  }
}

envelope array_core::begin_call(const object_key& to, int priority) {
  using limits = std::numeric_limits<std::int16_t>;
  if (priority < limits::min() || priority > limits::max()) {
    throw error(error_kind::argument,
                fmt::format("{}is called with priority {}, which is not in {} .. {}", naming(to),
                            priority, limits::min(), limits::max()));
  }
  envelope head;
  head.array = name_;
  head.from = among_.rank();
  head.priority = static_cast<std::int16_t>(priority);
  element* const caller = service_.running;
  head.caller = caller != nullptr ? caller->id : outside | static_cast<std::uint64_t>(head.from);
  if (ordered_) {
    // An object of another array is a caller like any outside: it takes its counts along only
    // within its own.
    const bool travels = caller != nullptr && &caller->of == this;
    if (!travels) head.caller = outside | static_cast<std::uint64_t>(head.from);
    head.number = ++(travels ? caller->calls[to] : in_->calls[to]);
  }
  work_.created();
  return head;
}

/// Here, on to where it has gone, or to its home, which knows.
void array_core::deliver(std::unique_ptr<invocation> call) {
  const object_key& key = call->to;
  if (in_->here.contains(key)) {
    if (call->head.hops > 1) {
      tell(call->head.from, key, {among_.rank(), in_->here.at(key)->moves, false});
    }
    return service_.enqueue(std::move(call));
  }
  const bool home = is_home(key);
  location at{home ? -1 : indices_.home_of(key)};
  const auto known = in_->known.find(key);
  // Removed there; but it may have been inserted again, as its home knows.
  if (known != in_->known.end() && !known->second.removed) at = known->second;
  if (home) {
    const auto entry = in_->homes.find(key);
    if (entry == in_->homes.end()) return in_->early[key].push_back(std::move(call));
    if (at.member < 0 || entry->second.moves >= at.moves) at = entry->second;
  }
  if (at.removed) {
    throw error(
        error_kind::argument,
        naming(key) + fmt::format("is called by member {}, but has been removed", call->head.from));
  }
  forward(std::move(call), at.member);
}

void array_core::forward(std::unique_ptr<invocation> call, int member) {
  ++call->head.hops;
  call->send(among_.here(), among_.world_rank(member));
}

void array_core::run(std::unique_ptr<invocation> call) {
  element* const on = find(call->to);
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
  try {
    const turn now(service_, on);
    call->run(on);
  } catch (const std::exception& failure) {
    throw error(error_kind::fault, naming(on.key) + "a method threw: " + failure.what());
  } catch (...) {
    throw error(error_kind::fault, naming(on.key) + "a method threw what is no std::exception");
  }
  // What it has begun was counted before this is over.
  if (on.ends) {
    remove(on);
  } else if (on.leaves_for >= 0) {
    depart(on);
  }
  work_.handled();
}

void array_core::insert(std::unique_ptr<element> made) {
  const object_key key = made->key;
  const auto entry = in_->homes.find(key);
  if (entry != in_->homes.end() && !entry->second.removed) {
    throw error(error_kind::argument, naming(key) + "is inserted, but is there already");
  }
  if (ordered_ && entry != in_->homes.end()) {
    throw error(error_kind::argument,
                naming(key) +
                    "is inserted again: in an ordered array its callers' numbers would go "
                    "on where it begins; give it another index");
  }
  made->id = (static_cast<std::uint64_t>(among_.rank()) << born_bits) | ++born_;
  made->moves = entry == in_->homes.end() ? 0 : entry->second.moves + 1;
  made->broadcasts = broadcasts_.forgotten();
  in_->homes[key] = {among_.rank(), made->moves, false};
  in_->known.erase(key);
  catch_up(*in_->here.emplace(key, std::move(made)).first->second);
  const auto waiting = in_->early.find(key);
  if (waiting == in_->early.end()) return;
  for (auto& each : waiting->second) service_.enqueue(std::move(each));
  in_->early.erase(waiting);
}

void array_core::remove(element& going) {
  const object_key key = going.key;
  const location gone{among_.rank(), going.moves, true};
  for (auto& [caller, of] : going.callers) {
    if (!of.early.empty()) {
      throw error(error_kind::argument,
                  naming(key) + "is removed, but calls made before others have yet to run");
    }
  }
  in_->here.erase(key);
  (is_home(key) ? in_->homes : in_->known)[key] = gone;
  if (!is_home(key)) tell(indices_.home_of(key), key, gone);
}

void array_core::depart(element& going) {
  const object_key key = going.key;
  const int to = going.leaves_for;
  if (to == among_.rank()) {
    going.leaves_for = -1;
    return;
  }
  travelling beside{going.id, going.moves + 1, going.broadcasts, {}, {}};
  beside.calls.assign(going.calls.begin(), going.calls.end());
  std::vector<std::unique_ptr<invocation>> behind;
  for (auto& [caller, of] : going.callers) {
    beside.has_run.emplace_back(caller, of.run);
    for (auto& [number, each] : of.early) behind.push_back(std::move(each));
  }
  work_.created();
  try {
    going.send_state(among_.world_rank(to), beside);
  } catch (const std::exception& failure) {
    throw error(error_kind::fault, naming(key) + "cannot leave: " + failure.what());
  }
  in_->known[key] = {to, beside.moves, false};
  in_->here.erase(key);
  for (auto& each : behind) forward(std::move(each), to);
}

void array_core::object_arrived(std::unique_ptr<element> object, const travelling& beside) {
  const object_key key = object->key;
  element& at = *object;
  at.id = beside.id;
  at.moves = beside.moves;
  at.broadcasts = beside.broadcasts;
  at.calls.insert(beside.calls.begin(), beside.calls.end());
  for (const auto& [caller, run] : beside.has_run) at.callers[caller].run = run;
  in_->known.erase(key);
  in_->here.emplace(key, std::move(object));
  const location now{among_.rank(), at.moves, false};
  if (is_home(key)) {
    hear(key, now);
  } else {
    tell(indices_.home_of(key), key, now);
  }
  catch_up(at);
  work_.handled();
}

/// With the broadcasts that it has missed on its way.
void array_core::catch_up(element& with) {
  ensure(with.broadcasts >= broadcasts_.forgotten(),
         "an object has run the broadcasts that all have forgotten", with.broadcasts,
         broadcasts_.forgotten());
  for (std::uint64_t b = with.broadcasts + 1; b <= broadcasts_.last(); ++b) {
    work_.created();
    service_.enqueue(broadcasts_.at(b).copy_for(with.key));
  }
}

void array_core::broadcast(std::unique_ptr<broadcast_call> made) {
  made->head.array = name_;
  work_.created();
  if (among_.rank() != 0) return made->send(among_.here(), among_.world_rank(0));
  // As a handler: waiting for credit would let the next one pass it.
  host(among_.here()).run_as_handler([&] { broadcast_arrived(std::move(made)); });
}

/// Down the binomial tree below member 0, where it is numbered.
void array_core::broadcast_arrived(std::unique_ptr<broadcast_call> call) {
  const auto me = static_cast<unsigned>(among_.rank());
  const auto size = static_cast<unsigned>(among_.size());
  if (me == 0) call->head.broadcast = broadcasts_.last() + 1;
  for (unsigned distance = (me == 0 ? std::bit_ceil(size) : me & -me) / 2; distance > 0;
       distance /= 2) {
    if (me + distance >= size) continue;
    work_.created();
    call->send(among_.here(), among_.world_rank(static_cast<int>(me + distance)));
  }
  broadcasts_.add(std::move(call));
  const std::uint64_t number = broadcasts_.last();
  for (const auto& [key, one] : in_->here) {
    if (one->broadcasts >= number) continue;
    work_.created();
    service_.enqueue(broadcasts_.at(number).copy_for(key));
  }
  work_.handled();
}

void array_core::tell(int member, const object_key& key, const location& at) {
  if (member == among_.rank()) return hear(key, at);
  work_.created();
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
  } else if (!in_->here.contains(key)) {
    location& known = in_->known[key];
    if (known.member < 0 || at.moves > known.moves) known = at;
  }
}

void array_core::quiet(call_site site) {
  work_.wait(site);
  // Nothing is under way: homes know where all are, and all have run all broadcasts.
  in_->known.clear();
  broadcasts_.forget();
  control::barrier(among_);  // nobody begins anew before all have forgotten
}

std::string array_core::naming(const object_key& key) const {
  return fmt::format("rank {}, object {} of {}: ", among_.here().rank(), indices_.text_of(key),
                     label_);
}

std::string array_core::describe_pending() const {
  std::string text;
  for (const auto& [key, calls] : in_->early) {
    text += fmt::format("{}{} call{} of object {} of {}, which nobody has inserted",
                        text.empty() ? "" : "; ", calls.size(), calls.size() == 1 ? "" : "s",
                        indices_.text_of(key), label_);
  }
  return text;
}

void refuse_home(const std::string& object, int home, int members) {
  throw error(error_kind::argument,
              fmt::format("{}the array's map makes its home member {} of a team of {}", object,
                          home, members));
}

namespace {

/// Only then is there an end of the method at which it can be done.
void check_in_method(const element& going, std::string_view what) {
  if (going.of.service().running == &going) return;
  throw error(error_kind::argument,
              fmt::format("{}{} outside its methods", going.of.naming(going.key), what));
}

}  // namespace

void end(element& going) {
  check_in_method(going, "is removed");
  going.ends = true;
}

void migrate(element& going, int member) {
  check_in_method(going, "migrates");
  const team& among = going.of.among();
  if (member < 0 || member >= among.size()) {
    throw error(error_kind::argument,
                fmt::format("{}migrates to member {} of a team of {}", going.of.naming(going.key),
                            member, among.size()));
  }
  going.leaves_for = member;
}

void handle_location(incoming& in, std::uint64_t array, object_key key, location at) {
  array_core& of = in.here().service<object_service>().find(array);
  of.hear(key, at);
  of.handled();
}

}  // namespace upwash::objects
