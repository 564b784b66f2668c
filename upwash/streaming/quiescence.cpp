// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/quiescence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/job.hpp"
#include "upwash/streaming/detail/engine.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash {

using streaming::engine;
using streaming::tally;

quiescence::quiescence(const team& among) : among_(among), waves_(among, *this) {}

quiescence::~quiescence() noexcept(false) {
  if (std::uncaught_exceptions() == exceptions_) waves_.wait_for_end({});
}

void quiescence::attach(engine& stream) {
  const team& its = stream.among();
  if (its == among_) return;  // counted with those of the team
  const auto refuse = [&](const std::string& why) {
    throw error(
        error_kind::argument,
        fmt::format("rank {}: quiescence of team {:#x}: stream {} of team {:#x} {}",
                    among_.here().rank(), among_.id(), stream.name().number, its.id(), why));
  };
  if (waves_.under_way()) refuse("is attached while an epoch is under way");
  for (int member = 0; member < its.size(); ++member) {
    if (among_.member_of(its.world_rank(member)) < 0) {
      refuse(fmt::format("has rank {}, which is no member here", its.world_rank(member)));
    }
  }
  if (std::find(attached_.begin(), attached_.end(), &stream) != attached_.end()) {
    refuse("is attached already");
  }
  attached_.push_back(&stream);
}

void quiescence::detach(const engine& stream) {
  const auto at = std::find(attached_.begin(), attached_.end(), &stream);
  if (at == attached_.end() || waves_.under_way()) {
    throw error(
        error_kind::argument,
        fmt::format(
            "rank {}: quiescence of team {:#x}: stream {} of team {:#x} {}", among_.here().rank(),
            among_.id(), stream.name().number, stream.among().id(),
            at == attached_.end() ? "is not attached" : "is detached while an epoch is under way"));
  }
  own_ += stream.count();
  attached_.erase(at);
}

void quiescence::begin(std::unique_ptr<streaming::callback> then) {
  if (among_.here().in_handler()) {
    throw error(error_kind::argument,
                fmt::format("rank {}: quiescence of team {:#x}: notify inside a handler, which is "
                            "work of the epoch itself; begin the next one in the callback",
                            among_.here().rank(), among_.id()));
  }
  waves_.begin(std::move(then));
}

void quiescence::flush() {
  among_.here().service<streaming::service>().flush(among_);
  for (engine* const each : attached_) each->flush();
}

/// Also a phase of the streams is over: those that set themselves learn of it.
void quiescence::ended(std::uint64_t /*idle_ns*/) {
  among_.here().service<streaming::service>().ended(among_);
  for (engine* const each : attached_) each->ended(0);
}

tally quiescence::count() const {
  tally all = own_;
  all += waves_.messages();
  all += among_.here().service<streaming::service>().count(among_);
  for (const engine* const each : attached_) all += each->count();
  return all;
}

}  // namespace upwash
