// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"
#include "upwash/objects/detail/method_message.hpp"

namespace upwash::objects {
namespace {

constexpr unsigned root_bits = 32;

/// The parts of what lies below a member, each with the child first. A tree's are halved.
std::vector<std::vector<sections::stand>> parts_of(std::span<const sections::stand> below,
                                                   section_shape shape) {
  std::vector<std::vector<sections::stand>> parts;
  const auto add = [&](std::size_t first, std::size_t end) {
    parts.emplace_back(below.begin() + static_cast<std::ptrdiff_t>(first),
                       below.begin() + static_cast<std::ptrdiff_t>(end));
  };
  if (shape == section_shape::direct) {
    for (std::size_t i = 0; i < below.size(); ++i) add(i, i + 1);
  } else if (shape == section_shape::ring) {
    if (!below.empty()) add(0, below.size());
  } else {
    for (std::size_t end = below.size(); end > 0;) {
      const std::size_t first = end / 2;  // the nearer half stays with this member
      add(first, end);
      end = first;
    }
  }
  return parts;
}

void handle_open(incoming& in, std::uint64_t array, sections::plan of,
                 std::vector<sections::stand> below) {
  array_of(in, array).sections_here().opened(of, std::move(below));
}
void handle_drop(incoming& in, std::uint64_t array, std::uint64_t id, bool with_tree) {
  array_of(in, array).sections_here().dropped(id, with_tree);
}
void handle_question(incoming& in, std::uint64_t array, std::uint64_t id, object_key key) {
  array_of(in, array).sections_here().asked(id, key);
}
void handle_answer(incoming& in, std::uint64_t array, std::uint64_t id, object_key key,
                   std::int32_t member) {
  array_of(in, array).sections_here().answered(id, key, member);
}

}  // namespace

int sections::root_of(std::uint64_t id) const { return static_cast<int>(id >> root_bits) - 1; }

template <auto Handler, class... Args>
void sections::tell(int member, const Args&... args) {
  const team& among = of_.among();
  of_.created();
  host(among.here()).run_as_handler([&] {
    send<Handler>(among.here(), among.world_rank(member), of_.name(), args...);
  });
}

std::uint64_t sections::make(const std::vector<object_key>& keys, section_shape shape) {
  const int me = of_.among().rank();
  const std::uint64_t id = (static_cast<std::uint64_t>(me + 1) << root_bits) | ++made_;
  std::map<int, std::vector<object_key>> at;
  std::set<object_key> seen;
  for (const object_key& key : keys) {
    if (!seen.insert(key).second) {
      throw error(error_kind::argument, of_.naming(key) + "is twice in a section");
    }
    at[of_.home_of(key)].push_back(key);
  }
  root& made = roots_[id];
  made.shape = shape;
  made.stands.assign(at.begin(), at.end());
  std::vector<stand> all{{me, {}}};
  for (const stand& each : made.stands) {
    if (each.first == me) {
      all.front().second = each.second;
    } else {
      all.push_back(each);
    }
  }
  of_.created();
  opened({id, 0, -1, shape, false}, std::move(all));
  return id;
}

/// `below`: this member first.
void sections::opened(const plan& of, std::vector<stand> below) {
  const int me = of_.among().rank();
  place& at = places_[of.id];
  at.keys = std::move(below.front().second);
  at.children.clear();
  for (const auto& part : parts_of(std::span(below).subspan(1), of.shape)) {
    at.children.push_back(part.front().first);
    plan ahead = of;
    ahead.parent = me;
    tell<&handle_open>(part.front().first, ahead, part);
  }
  const auto takes_part = [&](const object_key& key) {
    const auto gone = ended_.find(key);
    return gone == ended_.end() || std::ranges::find(gone->second, of.id) != gone->second.end();
  };
  const auto objects = static_cast<std::size_t>(std::ranges::count_if(at.keys, takes_part));
  of_.reduced().open(of.id, of.parent, at.children, objects, of.passed);
  if (of.again) {
    for (const object_key& key : at.keys) {
      element* const one = of_.find(key);
      if (one == nullptr) continue;
      membership& in = one->sections[of.id];
      in.gathered_at = me;
      in.contributed = of.passed;
    }
  }
  of_.handled();
}

void sections::call(std::uint64_t id, int priority, std::unique_ptr<broadcast_call> made) {
  check(id, "is called");
  made->head = of_.head_of_rank(priority);
  made->head.caller = id;
  of_.created();
  const team& among = of_.among();
  const int first = root_of(id);
  host(among.here()).run_as_handler([&] {
    if (first != among.rank()) return made->send(among.here(), among.world_rank(first));
    call_arrived(std::move(made));
  });
}

void sections::call_arrived(std::unique_ptr<broadcast_call> call) {
  const auto at = places_.find(call->head.caller);
  if (at == places_.end()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a section of {} is called that has been dropped",
                            of_.among().here().rank(), of_.label()));
  }
  const team& among = of_.among();
  const bool down = call->head.hops == 0;  // else its sender has sent it to all
  for (const int child : down ? at->second.children : std::vector<int>()) {
    of_.created();
    call->send(among.here(), among.world_rank(child));
  }
  deliver(at->second, *call);
  of_.handled();
}

void sections::deliver(const place& at, const broadcast_call& call) {
  for (const object_key& key : at.keys) {
    std::unique_ptr<invocation> one = call.copy_for(key);
    one->head = of_.begin_call_of_section(key, call.head.priority);
    of_.call(std::move(one));
  }
}

std::vector<std::int32_t> sections::members_of(std::uint64_t id) const {
  std::vector<std::int32_t> members;
  const auto found = roots_.find(id);
  if (found == roots_.end() || !found->second.stands_everywhere) return members;
  for (const auto& [member, keys] : found->second.stands) members.push_back(member);
  return members;
}

void sections::drop(std::uint64_t id) {
  check(id, "is dropped");
  tell<&handle_drop>(root_of(id), id, true);
}

/// As far as this member knows.
void sections::check(std::uint64_t id, const char* what) const {
  const int first = root_of(id);
  const team& among = of_.among();
  const bool here = first == among.rank();
  const bool is_one = id != 0 && first >= 0 && first < among.size();
  if (is_one && (!here || roots_.contains(id))) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: a section of {} {} that is not, or no more",
                          among.here().rank(), of_.label(), what));
}

void sections::dropped(std::uint64_t id, bool with_tree) {
  const auto at = places_.find(id);
  if (at != places_.end()) {
    for (const int child : with_tree ? at->second.children : std::vector<int>()) {
      tell<&handle_drop>(child, id, true);
    }
    for (const object_key& key : at->second.keys) {
      element* const one = of_.find(key);
      if (with_tree && one != nullptr) one->sections.erase(id);
    }
    places_.erase(at);
    of_.reduced().close(id);
    if (with_tree) roots_.erase(id);
  }
  of_.handled();
}

bool sections::has_moved() const {
  return std::ranges::any_of(places_, [&](const auto& each) {
    return std::ranges::any_of(each.second.keys,
                               [&](const object_key& key) { return of_.find(key) == nullptr; });
  });
}

void sections::look_for_moved() {
  for (const auto& [id, at] : places_) {
    if (!of_.reduced().node(id).idle()) {
      tell<&handle_answer>(root_of(id), id, object_key(), in_use);
      continue;
    }
    for (const object_key& key : at.keys) {
      if (of_.find(key) == nullptr) tell<&handle_question>(of_.home_of(key), id, key);
    }
  }
}

void sections::asked(std::uint64_t id, const object_key& key) {
  const auto entry = of_.in().homes.find(key);
  // Where nobody has inserted it, it is expected at home.
  if (entry != of_.in().homes.end()) {
    tell<&handle_answer>(root_of(id), id, key,
                         entry->second.removed ? removed : std::int32_t{entry->second.member});
  }
  of_.handled();
}

void sections::answered(std::uint64_t id, const object_key& key, std::int32_t member) {
  root& of = roots_.at(id);
  if (member == in_use) {
    of.in_use = true;
  } else {
    of.moved.emplace_back(key, member);
  }
  of_.handled();
}

void sections::object_ended(const object_key& key, const std::vector<std::uint64_t>& told) {
  for (const auto& [id, at] : places_) {
    const bool has = std::ranges::find(at.keys, key) != at.keys.end();
    if (!has || std::ranges::find(told, id) != told.end()) continue;
    of_.created();
    of_.reduced().objects_change(id, 1, -1);
  }
  ended_[key] = told;
}

void sections::stood() {
  ended_.clear();
  for (auto& [id, of] : roots_) of.stands_everywhere = true;
}

void sections::rebuild() {
  const int me = of_.among().rank();
  for (auto& [id, of] : roots_) {
    const auto moved = std::exchange(of.moved, {});
    if (std::exchange(of.in_use, false) || moved.empty()) continue;
    std::map<object_key, std::int32_t> places;
    for (const auto& [member, keys] : of.stands) {
      for (const object_key& key : keys) places[key] = member;
    }
    for (const auto& [key, member] : moved) places[key] = member;
    std::map<int, std::vector<object_key>> at;
    for (const auto& [key, member] : places) {
      if (member != removed) at[member].push_back(key);
    }
    for (const auto& [member, keys] : of.stands) {
      if (member != me && !at.contains(member)) tell<&handle_drop>(member, id, false);
    }
    of.stands.assign(at.begin(), at.end());
    std::vector<stand> all{{me, at[me]}};
    for (const stand& each : of.stands) {
      if (each.first != me) all.push_back(each);
    }
    of_.created();
    opened({id, of_.reduced().node(id).passed(), -1, of.shape, true}, std::move(all));
  }
}

}  // namespace upwash::objects
