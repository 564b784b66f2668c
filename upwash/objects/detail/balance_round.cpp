// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/balance_round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <unordered_map>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"

namespace upwash::objects {

/// Told to member 0, decided there, told to all, done.
class balance_round {
 public:
  explicit balance_round(array_core& of) : of_(of), among_(of.among_), in_(*of.in_) {}

  balancing::result run(const balancing::strategy& by, const balancing::share& mine,
                        call_site site) {
    in_.parts.resize(among_.rank() == 0 ? static_cast<std::size_t>(among_.size()) : 0);
    of_.quiet(site);
    tell_part(mine);
    of_.work_.wait(site);
    if (among_.rank() == 0) decide(by);
    in_.parts.clear();
    of_.work_.wait(site);
    const balance_verdict verdict = std::move(in_.decided);
    for (const auto& [key, to] : verdict.moves) {
      element* const going = of_.find(key);
      if (going == nullptr) continue;
      going->leaves_for = to;
      of_.beside_methods([&] { of_.depart(*going); });
    }
    of_.quiet(site);
    if (verdict.refused.empty()) return verdict.said;
    throw error(error_kind::argument, verdict.refused);
  }

  static void hear_part(incoming& in, std::uint64_t array, std::int32_t from, balance_part part) {
    array_core& of = in.here().service<object_service>().find(array);
    of.in_->parts[static_cast<std::size_t>(from)] = std::move(part);
    of.handled();
  }
  static void hear_verdict(incoming& in, std::uint64_t array, balance_verdict decided) {
    array_core& of = in.here().service<object_service>().find(array);
    of.in_->decided = std::move(decided);
    of.handled();
  }

 private:
  /// What was measured ends here.
  void tell_part(const balancing::share& mine) {
    balance_part part{mine, of_.stays_, {}, {}};
    for (element* const one : of_.in_order()) {
      duration time = duration::from_us(1);
      if (one->measured != nullptr) {
        const measurements had = std::exchange(*one->measured, {});
        time = had.time;
        for (const calls_made::row& row : had.calls.rows()) {
          if (row.calls != 0) part.calls.push_back({part.objects.size(), row});
        }
      }
      part.objects.push_back({one->key, time});
    }
    if (among_.rank() == 0) {
      in_.parts[0] = std::move(part);
    } else {
      of_.created();
      send<&balance_round::hear_part>(among_.here(), among_.world_rank(0), of_.name_,
                                      static_cast<std::int32_t>(among_.rank()), part);
    }
  }

  void decide(const balancing::strategy& by) {
    std::vector<balance_verdict> verdicts(in_.parts.size());
    try {
      fill(verdicts, by);
    } catch (const std::exception& failure) {
      verdicts.assign(in_.parts.size(), {failure.what(), {}, {}});
    } catch (...) {
      verdicts.assign(in_.parts.size(), {"a strategy threw what is no std::exception", {}, {}});
    }
    in_.decided = std::move(verdicts[0]);
    for (std::size_t m = 1; m < verdicts.size(); ++m) {
      of_.created();
      send<&balance_round::hear_verdict>(among_.here(), among_.world_rank(static_cast<int>(m)),
                                         of_.name_, verdicts[m]);
    }
  }

  void fill(std::vector<balance_verdict>& verdicts, const balancing::strategy& by) const {
    const balancing::problem given = problem();
    const std::vector<int> now = given.mapping();
    const std::vector<int> placed = by.place(given);
    check(given, placed);
    balancing::result said;
    said.objects = given.objects.size();
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i] == now[i]) continue;
      ++said.moved;
      verdicts[static_cast<std::size_t>(now[i])].moves.emplace_back(given.objects[i].key(),
                                                                    placed[i]);
    }
    tell_times(given, now, said.longest_before, said.mean_before, said.bytes_before);
    tell_times(given, placed, said.longest_after, said.mean_after, said.bytes_after);
    for (balance_verdict& each : verdicts) each.said = said;
  }

  static void tell_times(const balancing::problem& given, const std::vector<int>& mapping,
                         duration& longest, duration& mean, std::uint64_t& bytes) {
    const std::vector<double> times = given.times(mapping);
    longest = duration::from_ns(std::ranges::max(times));
    mean = duration::from_ns(std::accumulate(times.begin(), times.end(), 0.0) /
                             static_cast<double>(times.size()));
    for (const balancing::edge& each : given.edges) {
      if (mapping[each.from] != mapping[each.to]) bytes += each.bytes;
    }
  }

  [[nodiscard]] balancing::problem problem() const {
    balancing::problem made;
    std::unordered_map<object_key, std::size_t, hash_of_key> position;
    for (std::size_t m = 0; m < in_.parts.size(); ++m) {
      const balance_part& part = in_.parts[m];
      if (part.stays) {
        throw error(error_kind::argument, of_.label_ + " balances, but objects of a group stay");
      }
      check(part.mine, m);
      made.members.push_back({part.mine.speed, part.mine.background.ns()});
      for (const balance_part::one& each : part.objects) {
        position.emplace(each.key, made.objects.size());
        made.objects.emplace_back(each.key, static_cast<int>(m), each.time.ns() * part.mine.speed);
      }
    }
    std::size_t begin = 0;
    for (const balance_part& part : in_.parts) {
      for (const balance_part::called& each : part.calls) {
        const auto to = position.find(each.row.to);
        if (to == position.end()) continue;  // it was removed
        made.edges.push_back({begin + each.from, to->second, each.row.calls, each.row.bytes});
      }
      begin += part.objects.size();
    }
    return made;
  }

  void check(const balancing::share& of, std::size_t member) const {
    constexpr double most = 1e9;
    if (of.speed >= 1 / most && of.speed <= most && of.background >= duration()) return;
    throw error(error_kind::argument,
                fmt::format("{} balances, but member {} says that its speed is {} and its "
                            "background {} ns; a speed is in {} .. {}, a background not negative",
                            of_.label_, member, of.speed, of.background.ns(), 1 / most, most));
  }

  void check(const balancing::problem& given, const std::vector<int>& placed) const {
    if (placed.size() != given.objects.size()) {
      throw error(error_kind::argument,
                  fmt::format("{} balances, but the strategy places {} objects of {}", of_.label_,
                              placed.size(), given.objects.size()));
    }
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i] >= 0 && placed[i] < among_.size()) continue;
      throw error(error_kind::argument,
                  fmt::format("object {} of {}: the strategy moves it to member {} of a team of {}",
                              of_.indices_.text_of(given.objects[i].key()), of_.label_, placed[i],
                              among_.size()));
    }
  }

  array_core& of_;
  const team& among_;
  array_core::tables& in_;
};

balancing::result array_core::balance(const balancing::strategy& by, const balancing::share& mine,
                                      call_site site) {
  return balance_round(*this).run(by, mine, site);
}

}  // namespace upwash::objects
