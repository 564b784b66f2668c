// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What happens to strategies while an array is quiet. Source: Kumar 2005, 6.4 and 6.5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"
#include "upwash/objects/detail/delegation_tables.hpp"
#include "upwash/objects/detail/method_message.hpp"
#include "upwash/objects/detail/together.hpp"

namespace upwash::objects {
namespace {

void handle_where(incoming& in, std::uint64_t by, std::uint64_t id, std::uint64_t array,
                  object_key key, std::int32_t asks);
void handle_place(incoming& in, std::uint64_t by, std::uint64_t id, std::uint64_t array,
                  object_key key, std::int32_t member) {
  array_core& of = array_of(in, by);
  of.delegated().placed(id, array, key, member);
  of.handled();
}
void handle_where(incoming& in, std::uint64_t by, std::uint64_t id, std::uint64_t array,
                  object_key key, std::int32_t asks) {
  array_core& of = array_of(in, by);
  auto& homes = array_of(in, array).in().homes;
  const auto entry = homes.find(key);
  if (entry != homes.end() && !entry->second.removed) {
    of.created();
    send<&handle_place>(in.here(), of.among().world_rank(asks), by, id, array, key,
                        std::int32_t{entry->second.member});
  }
  of.handled();
}

}  // namespace

void delegations::fence(call_site site) {
  if (in_->all.empty()) return;
  ask_for_places();
  of_.work().wait(site);
  for (auto& [id, in] : in_->all) {
    if (in.by->bracketed()) find_sources(id, in);
    in.made = in.came = 0;
    const call_pattern mean = mean_of(in);
    in.by->at_fence(of_.among(), mean);
  }
  control::barrier(of_.among());
}

/// The objects that are here are gathered for here. All have ended as many brackets.
void delegations::find_sources(std::uint64_t id, instance& in) {
  std::array<std::uint64_t, 3> extremes{0, 0, 0};  // most, most of what is missing to 2^64, open
  for (const auto& [key, one] : of_.in().here) {
    const auto found = one->sections.find(id);
    if (found == one->sections.end()) continue;  // it takes part from now on
    extremes[0] = std::max(extremes[0], found->second.contributed);
    extremes[1] = std::max(extremes[1], ~found->second.contributed);
    if (found->second.open) extremes[2] = 1;
  }
  control::all_reduce(of_.among(), extremes, control::fold::most);
  if (extremes[2] != 0 || (extremes[1] != 0 && extremes[0] != ~extremes[1])) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} is quiet, but {} by {}: end them alike before",
                            of_.among().here().rank(), of_.label(),
                            extremes[2] != 0 ? std::string("an object is between begin and end")
                                             : fmt::format("objects have ended {} and {} brackets",
                                                           ~extremes[1], extremes[0]),
                            in.by->name()));
  }
  const int me = of_.among().rank();
  of_.reduced().open(id, -1, {}, of_.in().here.size(), extremes[0]);
  for (const auto& [key, one] : of_.in().here) {
    membership& of = one->sections[id];
    of.gathered_at = me;
    of.contributed = extremes[0];
  }
  std::vector<std::uint8_t> has(static_cast<std::size_t>(of_.among().size()));
  control::all_gather_values<std::uint8_t>(of_.among(), of_.in().here.empty() ? 0 : 1, has);
  std::vector<std::int32_t> with, without;
  for (int member = 0; member < of_.among().size(); ++member) {
    (has[static_cast<std::size_t>(member)] != 0 ? with : without).push_back(member);
  }
  in.wakes.clear();
  in.woken.clear();
  in.done = extremes[0];
  for (std::size_t i = 0; i < without.size() && !with.empty(); ++i) {
    if (with[i % with.size()] == me) in.wakes[without[i]] = in.done + 1;
  }
}

call_pattern delegations::mean_of(instance& in) const {
  const bool calls = in.seen.degree > 0;
  std::array<std::uint64_t, 4> all{in.seen.brackets, in.seen.degree, in.seen.bytes,
                                   calls ? 1U : 0U};
  control::all_reduce(of_.among(), all, control::fold::sum);
  in.seen = {};
  call_pattern mean;
  if (all[1] == 0 || all[0] == 0) return mean;
  mean.members = static_cast<int>(all[3]);
  mean.degree = static_cast<double>(all[1]) / static_cast<double>(all[0]);
  mean.bytes = static_cast<double>(all[2]) / static_cast<double>(all[1]);
  return mean;
}

/// Of objects that it has called; from their homes.
void delegations::ask_for_places() {
  const team& among = of_.among();
  for (auto& [id, in] : in_->all) {
    std::erase_if(in.places, [&](const auto& of) { return !of_.service().has(of.first); });
    for (const auto& [name, keys] : in.places) {
      const array_core& array = of_.service().find(name);
      for (const auto& [key, member] : keys) {
        of_.created();
        const int home = array.among().world_rank(array.home_of(key));
        send<&handle_where>(among.here(), home, of_.name(), id, name, key,
                            std::int32_t{among.rank()});
      }
    }
  }
}

const element* delegations::first_here(std::uint64_t id,
                                       function_ref<bool(const membership&)> is_wanted) const {
  const element* first = nullptr;
  for (const auto& [key, one] : of_.in().here) {
    const auto found = one->sections.find(id);
    if (found == one->sections.end() || !is_wanted(found->second)) continue;
    if (first == nullptr || key < first->key) first = one.get();
  }
  return first;
}

/// Of an object here; empty where it has ended all that others have. Collective.
std::string delegations::name_unended() {
  std::string text;
  for (const auto& [id, in] : in_->all) {
    std::uint64_t most = 0;
    for (const auto& [key, one] : of_.in().here) {
      const auto found = one->sections.find(id);
      if (found != one->sections.end()) most = std::max(most, found->second.contributed);
    }
    control::all_reduce(of_.among(), std::span(&most, 1), control::fold::most);
    if (!in.by->bracketed() || !text.empty()) continue;
    const auto is_open = [](const membership& of) { return of.open; };
    const auto is_behind = [most](const membership& of) { return of.contributed != most; };
    if (const element* const open = first_here(id, is_open); open != nullptr) {
      text = fmt::format("{}is between begin and end of its calls by {}", of_.naming(open->key),
                         in.by->name());
    } else if (const element* const behind = first_here(id, is_behind); behind != nullptr) {
      text = fmt::format("{}has ended {} brackets of calls by {}, and others {}",
                         of_.naming(behind->key), behind->sections.at(id).contributed,
                         in.by->name(), most);
    }
  }
  return text;
}

void delegations::refuse(streaming::verdict found) {
  const team& among = of_.among();
  if (found == streaming::verdict::stuck) {
    const std::string unended = name_unended();
    const auto failed = together(among, of_.label(), [&] {
      if (unended.empty()) return;
      throw error(error_kind::argument,
                  unended +
                      ", and nothing is under way that could bring the end for which calls "
                      "wait");
    });
    throw failed.value_or(error(error_kind::argument,
                                fmt::format("calls of {} wait for the end of brackets of another "
                                            "array's objects, which nothing brings",
                                            of_.label())));
  }
  std::string doubled;
  for (const auto& [id, in] : in_->all) {
    std::array<std::uint64_t, 2> counts{in.made, in.came};
    control::all_reduce(among, counts, control::fold::sum);
    if (counts[1] <= counts[0]) continue;
    doubled +=
        fmt::format("{}{} was given {} calls and has brought {}",
                    doubled.empty() ? ": strategy " : ", ", in.by->name(), counts[0], counts[1]);
  }
  throw error(error_kind::fault, fmt::format("rank {}: calls of {} have run that nobody made{}",
                                             among.here().rank(), of_.label(), doubled));
}

void delegations::placed(std::uint64_t id, std::uint64_t array, const object_key& key,
                         std::int32_t member) {
  in_->all.at(id).places[array][key] = member;
}

}  // namespace upwash::objects
