// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How objects of an array begin, migrate and end.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::objects {
namespace {

constexpr std::uint64_t born_bits = 40;

}  // namespace

void array_core::insert(std::unique_ptr<element> made, bool in_fill) {
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
  made->id = next_id();
  made->moves = entry == in_->homes.end() ? 0 : entry->second.moves + 1;
  made->broadcasts = broadcasts_.forgotten();
  if (measured_ != balancing::measure::nothing) {
    made->measured = std::make_unique<measurements>();
  }
  in_->homes[key] = {among_.rank(), made->moves, false};
  in_->known.erase(key);
  element& begun = *in_->here.emplace(key, std::move(made)).first->second;
  sections_.object_begun(key);
  if (in_fill) reductions_.joins(begun);
  reductions_.came(begun);
  changed(key);
  catch_up(begun);
  release(key);
}

std::uint64_t array_core::next_id() noexcept {
  return (static_cast<std::uint64_t>(among_.rank()) << born_bits) | ++born_;
}

/// Calls that have waited at the home for the object.
void array_core::release(const object_key& key) {
  const auto waiting = in_->early.extract(key);
  if (waiting.empty()) return;
  for (auto& each : waiting.mapped()) deliver(std::move(each));
}

void array_core::filled() const { control::barrier(among_); }

void array_core::remove(element& going) {
  const object_key key = going.key;
  const location gone{among_.rank(), going.moves, true};
  for (auto& [caller, of] : going.callers) {
    if (!of.early.empty()) {
      throw error(error_kind::argument,
                  naming(key) + "is removed, but calls made before others have yet to run");
    }
  }
  std::vector<std::uint64_t> sections;
  for (const auto& [id, in] : going.sections) {
    sections.push_back(id);
    if (!in.open) continue;
    throw error(error_kind::argument,
                naming(key) + "is removed between begin and end of its calls by a strategy");
  }
  reductions_.leaves(going);
  in_->here.erase(key);
  ++departures_;
  (is_home(key) ? in_->homes : in_->known)[key] = gone;
  changed(key);
  if (is_home(key)) return sections_.object_ended(key, sections);
  created();
  send<&handle_ended>(among_.here(), among_.world_rank(indices_.home_of(key)), name_, key, gone,
                      sections);
}

void array_core::depart(element& going) {
  const object_key key = going.key;
  const int to = going.leaves_for;
  if (to == among_.rank()) {
    going.leaves_for = -1;
    return;
  }
  travelling beside{going.id, going.moves + 1, going.broadcasts, {}, {}, going.whole, {}, {}};
  beside.sections.assign(going.sections.begin(), going.sections.end());
  if (going.measured != nullptr) beside.measured = std::move(*going.measured);
  beside.calls.assign(going.calls.begin(), going.calls.end());
  std::vector<std::unique_ptr<invocation>> behind;
  for (auto& [caller, of] : going.callers) {
    beside.has_run.emplace_back(caller, of.run);
    for (auto& [number, each] : of.early) behind.push_back(std::move(each));
  }
  created();
  const bool traced = host(among_.here()).trace() != nullptr;
  const duration begin = traced ? among_.here().now() : duration();
  try {
    const std::size_t bytes = going.send_state(among_.world_rank(to), beside);
    if (traced) write_down(key, to, bytes, begin);
  } catch (const std::exception& failure) {
    throw error(error_kind::fault, naming(key) + "cannot leave: " + failure.what());
  }
  in_->known[key] = {to, beside.moves, false};
  in_->here.erase(key);
  ++departures_;
  changed(key);
  for (auto& each : behind) forward(std::move(each), to);
}

void array_core::write_down(const object_key& gone, int to, std::size_t bytes,
                            duration begin) const {
  constexpr std::uint64_t of_arrays = std::uint64_t{3} << 62U;  // among names of numbers
  observe::trace_writer& into = *host(among_.here()).trace();
  const std::uint32_t name = into.name_of_number(
      of_arrays | name_, [&] { return fmt::format("object of {} migrates", label_); });
  into.next() = {.begin_ps = begin.ps(),
                 .length_ps = static_cast<std::uint64_t>((among_.here().now() - begin).ps()),
                 .bytes = bytes,
                 .peer = among_.world_rank(to),
                 .number = static_cast<std::uint32_t>(gone.words[0]),
                 .name = name,
                 .kind = observe::trace_kind::migrate};
}

void array_core::object_arrived(std::unique_ptr<element> object, travelling beside) {
  const object_key key = object->key;
  element& at = *object;
  at.id = beside.id;
  at.moves = beside.moves;
  at.broadcasts = beside.broadcasts;
  at.calls.insert(beside.calls.begin(), beside.calls.end());
  for (const auto& [caller, run] : beside.has_run) at.callers[caller].run = run;
  at.whole = beside.whole;
  at.sections.insert(beside.sections.begin(), beside.sections.end());
  reductions_.came(at);
  if (measured_ != balancing::measure::nothing) {
    at.measured =
        std::make_unique<measurements>(std::move(beside.measured).value_or(measurements()));
  }
  in_->known.erase(key);
  if (!in_->here.emplace(key, std::move(object)).second) {
    throw error(error_kind::argument,
                naming(key) + "comes from a checkpoint, but is there already");
  }
  changed(key);
  const location now{among_.rank(), at.moves, false};
  if (is_home(key)) {
    hear(key, now);
  } else {
    tell(indices_.home_of(key), key, now);
  }
  catch_up(at);
  work_.handled();
}

void array_core::beside_methods(function_ref<void()> act) {
  constexpr std::size_t at_once = 64;  // messages that wait for credit: their memory is bounded
  job& here = among_.here();
  host(here).run_as_handler(act);
  while (host(here).deferred() > at_once) here.progress();
}

/// Whatever the tables' order is.
std::vector<element*> array_core::in_order() const {
  std::vector<element*> all;
  for (const auto& [key, one] : in_->here) all.push_back(one.get());
  std::ranges::sort(all, {}, &element::key);
  return all;
}

void check_read_whole(std::size_t left) {
  if (left == 0) return;
  throw error(error_kind::fault,
              fmt::format("archive: {} bytes left of an object's state; writer and reader disagree "
                          "on the type",
                          left));
}

void array_core::refuse_to_hold(const object_key& key, std::string_view what,
                                const std::exception& failure) const {
  throw error(error_kind::fault, fmt::format("{}{}: {}", naming(key), what, failure.what()));
}

void refuse_home(const std::string& object, int home, int members) {
  throw error(error_kind::argument,
              fmt::format("{}the array's map makes its home member {} of a team of {}", object,
                          home, members));
}

std::vector<int> first_members(const team& among, std::optional<level> of, int& mine) {
  std::vector<int> all(static_cast<std::size_t>(among.size()));
  if (!of) {
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  team group = among.at(*of);
  mine = among.member_of(group.world_rank(0));
  group.release();
  control::all_gather_values<int>(among, mine, all);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
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

void wait_until(element& on, function_ref<bool()> condition) {
  on.of.service().wait_until(on, condition);
}

void migrate(element& going, int member) {
  check_in_method(going, "migrates");
  if (going.of.stays()) {
    throw error(error_kind::argument,
                going.of.naming(going.key) + "migrates, but objects of a group stay");
  }
  going.of.check_member(member, going.of.naming(going.key) + "migrates to");
  going.leaves_for = member;
}

}  // namespace upwash::objects
