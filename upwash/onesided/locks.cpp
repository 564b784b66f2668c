// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/locks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/wait_scope.hpp"
#include "upwash/onesided/detail/agreement.hpp"
#include "upwash/onesided/detail/lock_way.hpp"

namespace upwash {
namespace {

using detail::refuse;

void check_same(const team& members, int per_rank, lock_kind kind, int most_held) {
  const std::array mine{static_cast<std::uint64_t>(per_rank), static_cast<std::uint64_t>(kind),
                        static_cast<std::uint64_t>(most_held)};
  if (detail::same_at_all(members, mine)) return;
  refuse(members,
         fmt::format("a set of {} {} locks a rank, {} held at most, and another member asks for "
                     "another one; give the same numbers and kind at all members",
                     per_rank, to_string(kind), most_held));
}

std::unique_ptr<detail::lock_way> make_way(const team& members, int per_rank, lock_kind kind,
                                           int most_held) {
  switch (kind) {
    case lock_kind::ticket: return detail::make_ticket_way(members, per_rank);
    case lock_kind::server: return detail::make_server_way(members, per_rank, false);
    case lock_kind::hybrid: return detail::make_server_way(members, per_rank, true);
    case lock_kind::test_and_set: return detail::make_test_and_set_way(members, per_rank);
    case lock_kind::array: return detail::make_array_way(members, per_rank);
    case lock_kind::queue: break;
  }
  return detail::make_queue_way(members, per_rank, most_held);
}

conduit::wait_reason reason_of(const char* call, const team& members, int member, call_site site) {
  return {.operation = call, .peer = members.world_rank(member), .site = site};
}

}  // namespace

std::string_view to_string(lock_kind kind) noexcept {
  switch (kind) {
    case lock_kind::ticket: return "ticket";
    case lock_kind::server: return "server";
    case lock_kind::hybrid: return "hybrid";
    case lock_kind::test_and_set: return "test_and_set";
    case lock_kind::array: return "array";
    case lock_kind::queue: break;
  }
  return "queue";
}

lock_set::lock_set(const team& members, int per_rank, lock_kind kind, int most_held)
    : members_(members), kind_(kind), per_rank_(per_rank), most_held_(most_held) {
  if (per_rank < 0 || most_held < 1) {
    refuse(members, fmt::format("a set of {} locks a rank, {} held at most; give 0 or more locks, "
                                "and 1 or more that can be held",
                                per_rank, most_held));
  }
  check_same(members, per_rank, kind, most_held);
  way_ = make_way(members, per_rank, kind, most_held);
}

lock_set::lock_set() = default;
lock_set::~lock_set() = default;
lock_set::lock_set(lock_set&& other) noexcept = default;
lock_set& lock_set::operator=(lock_set&& other) noexcept = default;

void lock_set::check_place(std::string_view call, int member, int index) const {
  if (way_ == nullptr) {
    throw error(error_kind::argument,
                fmt::format("{} of a lock in a set that was not made, or is released", call));
  }
  if (member < 0 || member >= members_.size()) {
    refuse(members_, fmt::format("{} of a lock at member {}; the team has members 0 to {}", call,
                                 member, members_.size() - 1));
  }
  if (index < 0 || index >= per_rank_) {
    refuse(members_, fmt::format("{} of lock {} at member {}; the set has {} at each, counted from "
                                 "0",
                                 call, index, member, per_rank_));
  }
}

bool lock_set::holds(int member, int index) const {
  return std::any_of(held_.begin(), held_.end(), [&](const held& each) {
    return each.member == member && each.index == index;
  });
}

void lock_set::check_free(std::string_view call, int member, int index) const {
  check_place(call, member, index);
  if (holds(member, index)) {
    refuse(members_, fmt::format("{} of lock {} at member {}, which this rank holds already: it "
                                 "would wait for itself",
                                 call, index, member));
  }
  if (held_.size() >= static_cast<std::size_t>(most_held_)) {
    refuse(members_, fmt::format("{} of lock {} at member {} by a rank that holds {} of the set "
                                 "already, the most it was made for; unlock one before, or make "
                                 "the set with more (most_held)",
                                 call, index, member, held_.size()));
  }
}

void lock_set::lock(int member, int index, call_site site) {
  check_free("lock", member, index);
  held_.reserve(held_.size() + 1);
  held_.push_back({member, index, way_->lock(member, index, site)});
}

bool lock_set::try_lock(int member, int index, call_site site) {
  check_free("try_lock", member, index);
  const wait_scope in(members_.here(), reason_of("try_lock", members_, member, site));
  held_.reserve(held_.size() + 1);
  const auto token = way_->try_lock(member, index);
  if (token) {
    held_.push_back({member, index, *token});
  } else {
    members_.here().progress();  // the holder may be a rank of this process
  }
  return token.has_value();
}

void lock_set::unlock(int member, int index, call_site site) {
  check_place("unlock", member, index);
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const held& each) {
    return each.member == member && each.index == index;
  });
  if (found == held_.end()) {
    refuse(members_, fmt::format("unlock of lock {} at member {}, which this rank does not hold; "
                                 "only the holder hands it over",
                                 index, member));
  }
  const std::uint64_t token = found->token;
  held_.erase(found);
  const wait_scope in(members_.here(), reason_of("unlock", members_, member, site));
  way_->unlock(member, index, token);
}

void lock_set::release() {
  if (way_ == nullptr) return;
  if (!held_.empty()) {
    refuse(members_, fmt::format("release of a set of locks of which this rank holds {} (lock {} "
                                 "at member {}); unlock before",
                                 held_.size(), held_.front().index, held_.front().member));
  }
  way_->release();
  way_.reset();
}

held_lock::held_lock(lock_set& of, int member, int index, call_site site)
    : of_(of), member_(member), index_(index), site_(site) {
  of_.lock(member_, index_, site);
}

held_lock::~held_lock() noexcept(false) {
  at_end_.run([this] { of_.unlock(member_, index_, site_); });
}

}  // namespace upwash
