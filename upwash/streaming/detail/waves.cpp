// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/waves.hpp"

#include <fmt/format.h>

#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/streaming/detail/wave_service.hpp"

namespace upwash::streaming {
namespace {

/// Calls `each` with the members below a member of the binomial tree that has member 0 on top, the
/// largest subtree first.
template <class Each>
void for_children(const team& among, const Each& each) {
  const auto me = static_cast<unsigned>(among.rank());
  const auto size = static_cast<unsigned>(among.size());
  for (unsigned distance = (me == 0 ? std::bit_ceil(size) : me & -me) / 2; distance > 0;
       distance /= 2) {
    if (me + distance < size) each(static_cast<int>(me + distance));
  }
}

void wave_up(incoming& in, std::uint64_t team, std::uint64_t number, tally below) {
  auto& service = in.here().service<wave_service>();
  wave_state& state = service.state({team, number});
  state.below += below;
  ++state.arrived;
  service.wake();
}

}  // namespace

void wave_down(incoming& in, std::uint64_t team, std::uint64_t number, verdict found,
               std::uint64_t idle_ns) {
  waves* const owner = in.here().service<wave_service>().state({team, number}).owner;
  if (owner != nullptr) owner->go_down(found, idle_ns);
}

void note_handled(incoming& in, std::uint64_t team, std::uint64_t number) {
  ++in.here().service<wave_service>().state({team, number}).messages.handled;
}

int wave_service::progress() {
  host(here_).set_busy(*this, false);  // until something comes, or is left below
  int moved = 0;
  for (auto at = states_.begin(); at != states_.end();) {
    // Flushing and callbacks may make detections, and a callback end its own.
    const key name = at->first;
    if (waves* const one = at->second.owner; one != nullptr) {
      if (one->pending_ != nullptr) {
        struct scope {
          bool& inside;
          explicit scope(bool& flag) : inside(flag) { inside = true; }
          ~scope() { inside = false; }
        } const in(in_callback_);
        std::exchange(one->pending_, nullptr)->run();
        ++moved;
      } else if (one->may_contribute()) {
        moved += one->contribute();
      }
    }
    at = states_.upper_bound(name);
  }
  return moved;
}

std::string wave_service::describe_pending() const {
  std::string all;
  for (const auto& [name, state] : states_) {
    if (state.owner == nullptr || !state.owner->under_way()) continue;
    all += (all.empty() ? "" : "; ") + state.owner->describe_pending();
  }
  return all;
}

std::optional<std::uint64_t> wave_service::only_epoch(std::uint64_t team) const {
  const auto found = epochs_.find(team);
  if (found == epochs_.end() || found->second.under_way != 1) return std::nullopt;
  return found->second.begun;
}

std::uint64_t wave_service::begun_on(std::uint64_t team, observe::series which) const {
  const auto found = epochs_.find(team);
  return which != observe::series::epochs || found == epochs_.end() ? 0 : found->second.begun;
}

/// The numbers of a team stay while detections of it do: an open stream will refuse the release
/// (service.cpp), and the next detection must not take the number of its.
void wave_service::on_team_free(const team& going) {
  bool any = false;
  for (auto at = states_.lower_bound({going.id(), 0});
       at != states_.end() && at->first.first == going.id(); ++at) {
    if (at->second.owner == nullptr) continue;
    any = true;
    if (!at->second.owner->under_way()) continue;
    throw error(
        error_kind::argument,
        fmt::format("rank {}: team {:#x} cannot be released: epoch {} of quiescence {} on it "
                    "is under way; wait for its end first",
                    here_.rank(), going.id(), epochs_[going.id()].begun, at->first.second));
  }
  if (any) return;
  numbers_.erase(going.id());
  epochs_.erase(going.id());
}

waves::waves(const team& among, counted_work& of)
    : among_(among),
      of_(of),
      service_(among.here().service<wave_service>()),
      name_{among.id(), service_.next_number(among)},
      state_(service_.state(name_)) {
  state_.owner = this;
  for_children(among_, [&](int) { ++children_; });
  const int me = among_.rank();
  if (me != 0) parent_ = among_.world_rank(me - (me & -me));
}

tally& waves::messages() const noexcept { return state_.messages; }

bool waves::may_contribute() const noexcept {
  return under_way_ && !contributed_ && state_.arrived == children_;
}

waves::~waves() {
  if (under_way_) service_.note_end(name_.first);
  service_.remove(name_);
}

void waves::begin(std::unique_ptr<callback> then, bool gives_up) {
  if (under_way()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: quiescence {} of team {:#x}: an epoch begins while one is "
                            "under way; wait for its end, or begin the next in its callback",
                            among_.here().rank(), name_.second, name_.first));
  }
  of_.flush();
  under_way_ = true;
  service_.note_begin(name_.first);
  gives_up_ = gives_up;
  then_ = std::move(then);
  service_.wake();
}

void waves::refuse_to_block(const char* what) const {
  const job& here = among_.here();
  if (!here.in_handler() && !service_.in_callback()) return;
  throw error(error_kind::argument,
              fmt::format("rank {}: quiescence {} of team {:#x}: {} inside a {}, where nothing may "
                          "wait; use notify",
                          here.rank(), name_.second, name_.first, what,
                          here.in_handler() ? "handler" : "callback"));
}

void waves::wait(const call_site& site) {
  refuse_to_block("wait");
  begin(nullptr);
  wait_for_end(site);
}

verdict waves::wait_unless_hopeless(const call_site& site) {
  refuse_to_block("wait");
  begin(nullptr, true);
  wait_for_end(site);
  return found_;
}

void waves::wait_for_end(const call_site& site) {
  if (!under_way()) return;
  refuse_to_block("waiting for the end of an epoch");
  const auto over = [](const void* one) { return !static_cast<const waves*>(one)->under_way(); };
  const auto epoch = service_.only_epoch(name_.first);
  host(among_.here())
      .wait(conduit::wait_target::predicate(over, this),
            {.operation = "quiescence",
             .team = name_.first,
             .number = epoch.value_or(name_.second),
             .counted = epoch ? observe::series::epochs : observe::series::none,
             .site = site});
}

/// Members that are busy hold the wave back: it could not be the last.
int waves::contribute() {
  of_.flush();
  const tally now = of_.count();
  if (!now.same_work(std::exchange(seen_, now))) {
    service_.wake();
    return 1;
  }
  tally all = std::exchange(state_.below, {});
  all += now;
  state_.arrived = 0;
  contributed_ = true;
  if (parent_ < 0) {
    decide(all);
  } else {
    send<&wave_up>(among_.here(), parent_, name_.first, name_.second, all);
  }
  // Where more is created than handled something is under way: a member alone must let it come.
  return all.created == all.handled ? 1 : 0;
}

verdict waves::verdict_of(const tally& all) const noexcept {
  if (first_) return verdict::goes_on;
  if (all.created == before_.handled) return verdict::quiet;
  if (!gives_up_) return verdict::goes_on;
  if (all.created < before_.handled) return verdict::overrun;
  const auto open = static_cast<std::uint32_t>(all.created - before_.handled);
  return open + all.taken_up == before_.put_aside ? verdict::stuck : verdict::goes_on;
}

void waves::decide(const tally& all) {
  const verdict found = verdict_of(all);
  before_ = all;
  first_ = found != verdict::goes_on;
  go_down(found, all.idle_ns);
}

/// The wave is over here, too; those below hear of it before anything of the next epoch.
void waves::go_down(verdict found, std::uint64_t idle_ns) {
  contributed_ = false;
  found_ = found;
  if (found != verdict::goes_on) {
    under_way_ = false;
    service_.note_end(name_.first);
    pending_ = std::exchange(then_, nullptr);
    of_.ended(idle_ns);
  }
  service_.wake();
  for_children(among_, [&](int child) {
    send<&wave_down>(among_.here(), among_.world_rank(child), name_.first, name_.second, found,
                     idle_ns);
  });
}

std::string waves::describe_pending() const {
  return fmt::format(
      "quiescence {} of team {:#x}: {}, {} of {} subtrees have contributed; {} "
      "created and {} handled here",
      name_.second, name_.first, contributed_ ? "contributed" : "not contributed", state_.arrived,
      children_, of_.count().created, of_.count().handled);
}

}  // namespace upwash::streaming
