// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/fence_barrier.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/service.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/onesided/detail/fence_barrier_run.hpp"
#include "upwash/onesided/detail/fence_members.hpp"

namespace upwash {
namespace {

using detail::fence_barrier_run;
using detail::pair_count;

/// Those under way, and what came for those that this rank has not begun yet.
class fence_barriers final : public service_base {
 public:
  explicit fence_barriers(job& here)
      : here_(here), settled_(here.service<detail::settled_puts>()) {}

  /// Whether the members' puts to each other are stores: found once a team.
  [[nodiscard]] bool are_stores(const team& among) {
    const bool stores = all_direct(among);
    if (among.id() != latest_) static_cast<void>(begun_of(among));
    return stores;
  }
  /// Whether this rank has nothing to be fenced anywhere.
  [[nodiscard]] bool is_settled() const { return settled_.all(); }

  [[nodiscard]] request begin(const team& among, bool with_counts, fence_barrier_count* count) {
    const std::uint64_t number = ++begun_of(among);
    begun_operation made = begin_operation(
        here_, {.operation = "fence_barrier", .team = among.id(), .number = number});
    under_way_.push_back(
        {{among, number, with_counts, made.end, mail_, settled_}, among.id(), number, count});
    host(here_).set_busy(*this, true);
    host(here_).run_as_handler([this] { static_cast<void>(go_on(std::prev(under_way_.end()))); });
    return std::move(made.handle);
  }

  void take(const detail::fence_barrier_key& key, std::span<const std::byte> counts) {
    auto& into = mail_[key];
    into.resize(counts.size() / sizeof(pair_count));
    if (!into.empty()) std::memcpy(into.data(), counts.data(), counts.size());
    for (auto at = under_way_.begin(); at != under_way_.end(); ++at) {
      if (at->team != std::get<0>(key) || at->number != std::get<1>(key)) continue;
      static_cast<void>(go_on(at));
      return;
    }
  }

  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override {
    int moved = 0;
    host(here_).run_as_handler([&] {
      for (auto at = under_way_.begin(); at != under_way_.end();) {
        const auto next = std::next(at);
        if (go_on(at)) ++moved;
        at = next;
      }
    });
    if (under_way_.empty()) host(here_).set_busy(*this, false);
    return moved;
  }
  [[nodiscard]] std::string describe_pending() const override {
    std::string all;
    for (const entry& each : under_way_) all += (all.empty() ? "" : "; ") + each.run.describe();
    return all;
  }
  void on_team_free(const team& going) override {
    begun_.erase(going.id());
    latest_ = ~std::uint64_t{0};
  }

 private:
  struct entry {
    fence_barrier_run run;
    std::uint64_t team;
    std::uint64_t number;
    fence_barrier_count* count;
  };
  /// How many were begun on the team.
  std::uint64_t& begun_of(const team& among) {
    const auto [found, is_new] = begun_.try_emplace(among.id());
    if (is_new) tell_choice(among, all_direct(among));
    latest_ = among.id();
    return found->second;
  }
  static void tell_choice(const team& among, bool stores) {
    if (among.rank() != 0 || !log_enabled(log_level::info)) return;
    log(log_level::info, "onesided",
        stores
            ? fmt::format("fence_barrier on team {:#x} of {}: puts are stores, the barrier alone",
                          among.id(), among.size())
            : fmt::format("fence_barrier on team {:#x} of {}: counts and barrier, {} rounds each",
                          among.id(), among.size(),
                          std::bit_width(static_cast<unsigned>(among.size())) - 1));
  }

  /// Whether it is complete, and gone.
  bool go_on(std::list<entry>::iterator at) {
    if (!at->run.advance()) return false;
    if (at->count != nullptr) *at->count = at->run.count();
    at->run.tell();
    under_way_.erase(at);
    return true;
  }

  job& here_;
  detail::settled_puts& settled_;
  std::map<std::uint64_t, std::uint64_t> begun_;  ///< by team
  std::uint64_t latest_ = ~std::uint64_t{0};      ///< a team that is in it
  detail::fence_barrier_mail mail_;
  std::list<entry> under_way_;  ///< in the order in which they were begun
};

void came(incoming& in, std::uint64_t team, std::uint64_t number, int message) {
  in.here().service<fence_barriers>().take({team, number, message}, in.payload());
}

/// The fence that is left where puts are stores: what is told when complete, what waited for keys.
fence_barrier_count one_after_the_other(const team& among, const fence_options& how,
                                        const call_site& site) {
  job& here = among.here();
  const wait_scope in(here, {.operation = "fence_barrier", .team = among.id(), .site = site});
  fence_barrier_count count;
  count.asked = detail::fence_members(among, how, site).asked;
  control::barrier(among, site);
  const bool by_messages = among.size() > 1 && !all_direct(among);  // by dissemination
  if (by_messages) count.messages = std::bit_width(static_cast<unsigned>(among.size()) - 1);
  return count;
}

}  // namespace

namespace detail {

void send_fence_barrier(job& here, int rank, std::uint64_t team, std::uint64_t number, int message,
                        std::span<const std::byte> counts) {
  send_medium<&came>(here, rank, counts, team, number, message);
}

}  // namespace detail

fence_barrier_count fence_barrier(const team& among, const fence_barrier_options& how,
                                  call_site site) {
  if (how.fence.in_flight < 1) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a fence_barrier with {} requests in flight; give 1 or more",
                            among.here().rank(), how.fence.in_flight));
  }
  auto& service = among.here().service<fence_barriers>();
  const bool stores = service.are_stores(among);
  if (how.kind == fence_barrier_kind::separate) return one_after_the_other(among, how.fence, site);
  if (how.kind == fence_barrier_kind::automatic && stores) {
    if (!service.is_settled()) return one_after_the_other(among, {}, site);
    control::barrier(among, site);
    return {};
  }
  fence_barrier_count count;
  service.begin(among, true, &count).wait(site);
  return count;
}

request fence_barrier_async(const team& among) {
  auto& service = among.here().service<fence_barriers>();
  return service.begin(among, !service.are_stores(among), nullptr);
}

}  // namespace upwash
