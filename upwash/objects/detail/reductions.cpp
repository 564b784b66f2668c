// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"
#include "upwash/objects/detail/member_tree.hpp"

namespace upwash::objects {
namespace {

/// As binomial trees have them.
std::uint64_t objects_below(int child, std::span<const std::uint32_t> at_member) {
  const auto first = static_cast<std::size_t>(child);
  const std::size_t end = std::min(at_member.size(), first + (first & -first));
  std::uint64_t all = 0;
  for (std::size_t member = first; member < end; ++member) all += at_member[member];
  return all;
}

}  // namespace

reductions::reductions(array_core& of) : of_(of) {
  const int me = of.among().rank();
  nodes_.try_emplace(0, me == 0 ? -1 : me & (me - 1),
                     children_of(tree_of_members::binomial, me, of.among().size()), false);
}

const reduction_node& reductions::node(std::uint64_t section) const {
  return nodes_.at(section).sums;
}

void reductions::open(std::uint64_t section, int parent, const std::vector<int>& children,
                      std::size_t objects, std::uint64_t passed) {
  nodes_.erase(section);
  place& made = nodes_.try_emplace(section, parent, children, true).first->second;
  made.sums.begin_after(passed);
  made.sums.change(passed + 1, static_cast<std::int64_t>(objects));
  if ((section & strategy_bit) != 0) made.sums.forget_news();
  const auto changes = early_changes_.extract(section);
  if (!changes.empty()) {
    for (const auto& [from, more] : changes.mapped()) made.sums.change(from, more);
  }
  host(of_.among().here()).run_as_handler([&] {
    advance(section, made);
    const auto early = early_.extract(section);
    if (early.empty()) return;
    for (auto& [head, value] : early.mapped()) arrived(head, std::move(value));
  });
}

void reductions::contribute(element& from, std::uint64_t section,
                            std::unique_ptr<contribution> value) {
  membership& in = section == 0 ? from.whole : from.sections[section];
  if (section == 0 && in.gathered_at < 0) {
    throw error(error_kind::argument,
                of_.naming(from.key) +
                    "contributes to a reduction of the array before it takes part in them: an "
                    "object that was inserted does so from the array's next quiet on");
  }
  const int at = in.gathered_at < 0 ? of_.home_of(from.key) : in.gathered_at;
  const contribution_head head{of_.name(), section, ++in.contributed, -1};
  if (section == 0) begun_ = std::max(begun_, in.contributed);
  of_.created();
  // As a handler: what is sent cannot wait, so no other contribution comes in between.
  host(of_.among().here()).run_as_handler([&] {
    if (at == of_.among().rank()) return arrived(head, std::move(value));
    value->send(of_.among().here(), of_.among().world_rank(at), head);
  });
}

void reductions::arrived(const contribution_head& head, std::unique_ptr<contribution> value) {
  const auto found = nodes_.find(head.section);
  if (found == nodes_.end()) {
    early_[head.section].emplace_back(head, std::move(value));
    return;
  }
  place& at = found->second;
  if (head.child < 0) {
    at.sums.add(head.number, std::move(value));
  } else {
    at.sums.add_of_child(head.number, std::move(value));
  }
  advance(head.section, at);
  of_.handled();
}

/// Tells the parent for which reductions it will come, before it passes over those for which not;
/// passes on what is complete.
void reductions::advance(std::uint64_t section, place& at) {
  const team& among = of_.among();
  const auto news = at.sums.news();
  if (!news.empty() && at.parent >= 0) {
    of_.created();
    send<&handle_child_change>(among.here(), among.world_rank(at.parent), of_.name(), section,
                               std::int32_t{among.rank()}, news, fills_);
  }
  if (!news.empty() && !news.back().active && (section & strategy_bit) != 0) {
    of_.delegated().emptied(section, news.back().from);
  }
  while (auto complete = at.sums.take()) {
    if (at.parent < 0) {
      complete->sum->give(of_, complete->number);
      continue;
    }
    of_.created();
    complete->sum->send(among.here(), among.world_rank(at.parent),
                        {of_.name(), section, complete->number, among.rank()});
  }
}

void reductions::fill(std::span<const std::uint32_t> at_member) {
  place& all = nodes_.at(0);
  if (all.sums.passed() > settled_) {
    throw error(error_kind::argument,
                fmt::format("rank {}: {} is filled, but its objects have done reductions since it "
                            "was quiet: call quiet first",
                            of_.among().here().rank(), of_.label()));
  }
  const auto me = static_cast<std::size_t>(of_.among().rank());
  if (at_member[me] > 0) all.sums.change(settled_ + 1, at_member[me]);
  ++fills_;
  for (const int child :
       children_of(tree_of_members::binomial, of_.among().rank(), of_.among().size())) {
    if (objects_below(child, at_member) > 0) all.sums.fill_child(child, settled_ + 1, fills_);
  }
  all.sums.forget_news();  // the parent counted the same
}

void reductions::joins(element& made) const {
  made.whole.gathered_at = of_.among().rank();
  made.whole.contributed = settled_;
}

void reductions::leaves(const element& gone) {
  if (gone.whole.gathered_at >= 0) {
    change_at(gone.whole.gathered_at, 0, gone.whole.contributed + 1, -1);
  }
  for (const auto& [id, in] : gone.sections) {
    const int at = in.gathered_at < 0 ? of_.home_of(gone.key) : in.gathered_at;
    change_at(at, id, in.contributed + 1, -1);
  }
}

void reductions::change_at(int member, std::uint64_t section, std::uint64_t from,
                           std::int64_t more) {
  const team& among = of_.among();
  of_.created();
  host(among.here()).run_as_handler([&] {
    if (member == among.rank()) return objects_change(section, from, more);
    send<&handle_objects_change>(among.here(), among.world_rank(member), of_.name(), section, from,
                                 more);
  });
}

void reductions::objects_change(std::uint64_t section, std::uint64_t from, std::int64_t more) {
  const auto found = nodes_.find(section);
  if (found == nodes_.end()) {
    early_changes_[section].emplace_back(from, more);
  } else {
    found->second.sums.change(from, more);
    advance(section, found->second);
  }
  of_.handled();
}

void reductions::child_changes(std::uint64_t section, int child,
                               const std::vector<reduction_node::activity>& now,
                               std::uint64_t epoch) {
  const auto found = nodes_.find(section);
  if (found != nodes_.end()) {
    found->second.sums.child_changes(child, now, epoch);
    advance(section, found->second);
  }
  of_.handled();
}

void reductions::came(const element& one) noexcept {
  const int at = one.whole.gathered_at;
  if (at < 0) new_ = true;
  if (at >= 0 && at != of_.among().rank()) moved_ = true;
}

bool reductions::owes(const element& one) const noexcept {
  return one.whole.gathered_at >= 0 && one.whole.contributed != settled_;
}

void reductions::settle(std::uint64_t begun) {
  std::map<int, std::int64_t> from_member;
  const int me = of_.among().rank();
  std::int64_t here = 0;
  new_ = moved_ = false;
  for (const auto& [key, one] : of_.in().here) {
    membership& in = one->whole;
    if (in.gathered_at == me) continue;
    if (in.gathered_at >= 0 && in.contributed != begun) {
      moved_ = true;  // it goes on to contribute where it did: what it is behind with is there
      continue;
    }
    if (in.gathered_at >= 0) ++from_member[in.gathered_at];
    in.gathered_at = me;
    in.contributed = begun;
    ++here;
  }
  if (here > 0) change_at(me, 0, begun + 1, here);
  for (const auto& [member, count] : from_member) change_at(member, 0, begun + 1, -count);
}

std::string reductions::describe_pending() const {
  std::string text;
  for (const auto& [section, at] : nodes_) {
    if (at.sums.idle()) continue;
    const auto [number, objects, objects_in_all, children, children_in_all] = at.sums.next();
    text += fmt::format(
        "{}reduction {} of {}{} has {} of {} contributions of objects and {} of {} "
        "of members below",
        text.empty() ? "" : "; ", number, section == 0 ? "" : "a section of ", of_.label(), objects,
        objects_in_all, children, children_in_all);
  }
  for (const auto& [section, waiting] : early_) {
    text += fmt::format("{}{} contribution{} to a section of {} that is not, or no more",
                        text.empty() ? "" : "; ", waiting.size(), waiting.size() == 1 ? "" : "s",
                        of_.label());
  }
  return text;
}

void handle_objects_change(incoming& in, std::uint64_t array, std::uint64_t section,
                           std::uint64_t from, std::int64_t more) {
  in.here().service<object_service>().find(array).reduced().objects_change(section, from, more);
}

void handle_child_change(incoming& in, std::uint64_t array, std::uint64_t section,
                         std::int32_t child, std::vector<reduction_node::activity> now,
                         std::uint64_t epoch) {
  in.here().service<object_service>().find(array).reduced().child_changes(section, child, now,
                                                                          epoch);
}

}  // namespace upwash::objects
