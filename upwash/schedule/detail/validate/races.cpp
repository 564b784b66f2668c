// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/races.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <tuple>
#include <vector>

#include "upwash/schedule/detail/validate/describe.hpp"

namespace upwash::schedule::detail {
namespace {

struct access {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool writes = false;
  step_name begins;  ///< not before this step starts ...
  step_name ends;    ///< ... nor after this one is done
};

bool clash(const access& a, const access& b) {
  return (a.writes || b.writes) && a.first < b.end && b.first < a.end &&
         (a.ends.rank != b.ends.rank || a.ends.number != b.ends.number);
}

constexpr int slots_space = buffer_kinds;  ///< beside the buffers

/// All accesses, by the rank that owns the memory and the buffer; in the order of their ends.
class accesses {
 public:
  using place = std::tuple<int, int>;  ///< rank, buffer or slots_space

  explicit accesses(const history& of) {
    for (const performed& p : of.order) {
      const step& s = of.at(p.is);
      add(p.is, s.left, false);
      add(p.is, s.right, false);
      if (s.kind != step_kind::stage) add_slots(p.is, s.header, s.kind == step_kind::receive);
      if (s.kind == step_kind::receive) {
        // What is placed is written from the start of its send on.
        add(p.is, s.into, true, s.placed ? p.partners.front() : p.is);
        if (s.length_slot != step::no_slot) {
          add_slots(p.is, {static_cast<std::uint32_t>(s.length_slot), 1}, true);
        }
      } else if (s.kind != step_kind::send && s.kind != step_kind::stage) {
        add(p.is, s.into, true);
      }
    }
  }
  [[nodiscard]] const std::map<place, std::vector<access>>& by_place() const { return all_; }

 private:
  void add(const step_name& is, const piece& p, bool writes) { add(is, p, writes, is); }
  void add(const step_name& is, const piece& p, bool writes, const step_name& begins) {
    if (p.of == buffer::none || p.bytes == 0) return;
    const place where{p.owner == own ? is.rank : p.owner, static_cast<int>(p.of)};
    all_[where].push_back({p.offset, p.end(), writes, begins, is});
  }
  void add_slots(const step_name& is, const slots& words, bool writes) {
    if (words.count == 0) return;
    all_[{is.rank, slots_space}].push_back(
        {words.first, std::uint64_t{words.first} + words.count, writes, is, is});
  }

  std::map<place, std::vector<access>> all_;
};

std::string text_of(const history& of, const step_name& step) {
  return describe(step.rank, step.number, of.at(step));
}

}  // namespace

std::string find_races(const history& of, const causality& order) {
  const accesses all(of);
  for (const auto& [where, list] : all.by_place()) {
    for (std::size_t later = 0; later < list.size(); ++later) {
      causality::knowledge known;  // asked for only where there is something to order
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        if (!clash(list[earlier], list[later])) continue;
        if (known.empty()) known = order.at_start(list[later].begins);
        if (order.is_done(known, list[earlier].ends)) continue;
        return fmt::format("{} and {} touch the same {} in no order",
                           text_of(of, list[earlier].ends), text_of(of, list[later].ends),
                           std::get<1>(where) == slots_space ? "slots" : "bytes");
      }
    }
  }
  return {};
}

std::string find_absent_owners(const history& of, const causality& order) {
  std::map<int, causality::knowledge> exits;
  for (const performed& p : of.order) {
    const step& s = of.at(p.is);
    if (s.kind == step_kind::send) continue;  // the receive answers for its place
    for (const piece* at : {&s.left, &s.right, &s.into}) {
      if (at->owner == own || at->owner == p.is.rank || at->bytes == 0) continue;
      if (at->of == buffer::shared) continue;  // it outlasts the calls
      if (!order.has_entered(order.at_start(p.is), at->owner)) {
        return fmt::format("{} touches the {} of rank {}, which may not have entered",
                           text_of(of, p.is), to_string(at->of), at->owner);
      }
      if (!exits.contains(at->owner)) exits[at->owner] = order.at_exit(at->owner);
      if (!order.is_done(exits[at->owner], p.is)) {
        return fmt::format("{} touches the {} of rank {}, which may have left", text_of(of, p.is),
                           to_string(at->of), at->owner);
      }
    }
  }
  return {};
}

std::string find_early_leavers(const history& of, const causality& order) {
  const auto ranks = static_cast<int>(of.steps.size());
  for (int leaver = 0; leaver < ranks; ++leaver) {
    const causality::knowledge known = order.at_exit(leaver);
    for (int other = 0; other < ranks; ++other) {
      if (other == leaver || order.has_entered(known, other)) continue;
      return fmt::format("rank {} may leave before rank {} has entered", leaver, other);
    }
  }
  return {};
}

std::string find_late_arrivals(const history& of, const causality& order) {
  std::map<std::pair<int, std::uint32_t>, std::vector<step_name>> sends;
  for (const performed& p : of.order) {
    const step& s = of.at(p.is);
    if (s.kind == step_kind::send) sends[{s.peer, s.edge}].push_back(p.is);
  }
  for (const performed& p : of.order) {
    const step& s = of.at(p.is);
    if (s.kind != step_kind::close || (s.counted && !s.acknowledged)) continue;
    const causality::knowledge known = order.at_start(p.is);
    for (const step_name& send : sends[{p.is.rank, s.edge}]) {
      // Only an acknowledged send is done no earlier than its message is there.
      if (of.at(send).acknowledged && order.is_done(known, send)) continue;
      return fmt::format("the message of {} may come after {} has closed edge {}",
                         text_of(of, send), text_of(of, p.is), s.edge);
    }
  }
  return {};
}

}  // namespace upwash::schedule::detail
