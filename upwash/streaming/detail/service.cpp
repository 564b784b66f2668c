// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/service.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::streaming {

void service::add(engine& made) {
  open_[made.name()] = &made;
  if (adapter::wanted_by(made)) adapters_.try_emplace(&made, made, installed_);
  early_open_ = early_open_ || early_.contains(made.name());
  host(here_).set_busy(*this, true);
}

/// Not when a stream is opened: handlers may need what the program makes next.
int service::deliver_early() {
  if (!std::exchange(early_open_, false)) return 0;
  int delivered = 0;
  for (auto next = early_.begin(); next != early_.end();) {
    const auto found = open_.find(next->first);
    const auto at = next++;
    if (found == open_.end()) continue;
    const auto came = early_.extract(at);
    delivered += static_cast<int>(came.mapped().size());
    host(here_).run_as_handler([&] {
      for (const early& each : came.mapped()) {
        found->second->received(each.kind, each.common, each.payload);
      }
    });
  }
  return delivered;
}

void service::remove(const engine& going) {
  if (const auto set = adapters_.find(&going); set != adapters_.end()) {
    set->second.remember();
    adapters_.erase(set);
  }
  open_.erase(going.name());
  early_.erase(going.name());  // of one that an error ends
  last_ = nullptr;
  gone_[going.among().id()] += going.count();
}

std::shared_ptr<const idle_clock> service::idles() {
  std::shared_ptr<const idle_clock> running = idles_.lock();
  if (running == nullptr) idles_ = running = std::make_shared<const idle_clock>(here_);
  return running;
}

/// A stream that is open would flush and end on a team that is no more.
void service::on_team_free(const team& going) {
  const auto at = open_.lower_bound({going.id(), 0});
  if (at != open_.end() && at->first.team == going.id()) {
    const call_site& opened = at->second->opened_at();
    throw error(error_kind::argument,
                fmt::format("rank {}: team {:#x} cannot be released: the stream opened at {}:{} is "
                            "open on it; close it first",
                            here_.rank(), going.id(), opened.name(), opened.line));
  }
  numbers_.erase(going.id());
  gone_.erase(going.id());
  identities_.forget(going.id());
}

tally service::count(const team& among) const {
  const auto gone = gone_.find(among.id());
  tally all = gone == gone_.end() ? tally() : gone->second;
  for (auto at = open_.lower_bound({among.id(), 0});
       at != open_.end() && at->first.team == among.id(); ++at) {
    all += at->second->count();
  }
  return all;
}

void service::ended(const team& among) {
  for (auto at = open_.lower_bound({among.id(), 0});
       at != open_.end() && at->first.team == among.id(); ++at) {
    at->second->ended(0);
  }
}

/// Flushing may run handlers.
void service::flush(const team& among) {
  stream_name last{among.id(), 0};
  for (auto at = open_.upper_bound(last); at != open_.end() && at->first.team == among.id();
       at = open_.upper_bound(last)) {
    last = at->first;
    at->second->flush();
  }
}

void service::received(const stream_name& name, content kind, const common_part& common,
                       std::span<const std::byte> payload) {
  if (last_ == nullptr || last_->name() != name) {
    const auto found = open_.find(name);
    last_ = found == open_.end() ? nullptr : found->second;
  }
  const bool behind = early_open_ && early_.contains(name);
  if (last_ != nullptr && !behind) return last_->received(kind, common, payload);
  early_[name].push_back({kind, common, {payload.begin(), payload.end()}});
}

int service::progress() {
  int moved = deliver_early() + large_.progress();
  bool more = false;
  for (const auto& [name, each] : open_) {
    moved += each->progress();
    more = more || each->has_work();
  }
  if (!more && !large_.busy()) host(here_).set_busy(*this, false);  // until a stream wakes it
  return moved;
}

std::string service::describe_pending() const {
  std::string all;
  if (large_.pending() != 0) all = fmt::format("{} large items to be fetched", large_.pending());
  for (const auto& [name, each] : open_) {
    const std::string one = each->describe_pending();
    if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

void install(job& here, const installation& with) { here.service<service>().install(with); }

void handle_records(incoming& in, stream_name stream, content kind) {
  in.here().service<service>().received(stream, kind, {}, in.payload());
}

void handle_records_with(incoming& in, stream_name stream, content kind, common_part common) {
  in.here().service<service>().received(stream, kind, common, in.payload());
}

}  // namespace upwash::streaming
