// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/service.hpp"

#include "upwash/core/job.hpp"

namespace upwash::streaming {

void service::add(engine& made) {
  const key name{made.among().id(), made.number()};
  open_[name] = &made;
  if (adapter::wanted_by(made)) {
    adapters_.try_emplace(&made, made, installed_);
  }
  const auto came = early_.extract(name);
  if (came.empty()) return here_.set_busy(*this, true);
  here_.run_as_handler([&] {
    for (const early& each : came.mapped()) made.received(each.what, each.payload);
  });
  here_.set_busy(*this, true);
}

void service::remove(const engine& going) {
  if (const auto set = adapters_.find(&going); set != adapters_.end()) {
    set->second.remember();
    adapters_.erase(set);
  }
  open_.erase({going.among().id(), going.number()});
  gone_[going.among().id()] += going.count();
  here_.set_busy(*this, !open_.empty());
}

tally service::count(const team& among) const {
  const auto gone = gone_.find(among.id());
  tally all = gone == gone_.end() ? tally() : gone->second;
  for (auto at = open_.lower_bound({among.id(), 0});
       at != open_.end() && at->first.first == among.id(); ++at) {
    all += at->second->count();
  }
  return all;
}

/// Flushing may run handlers.
void service::flush(const team& among) {
  key last{among.id(), 0};
  for (auto at = open_.upper_bound(last); at != open_.end() && at->first.first == among.id();
       at = open_.upper_bound(last)) {
    last = at->first;
    at->second->flush();
  }
}

void service::received(std::uint64_t team, std::uint64_t number, content what,
                       std::span<const std::byte> payload) {
  const auto found = open_.find({team, number});
  if (found != open_.end()) return found->second->received(what, payload);
  early_[{team, number}].push_back({what, {payload.begin(), payload.end()}});
}

int service::progress(int /*budget*/) {
  int sent = 0;
  for (const auto& [name, each] : open_) sent += each->progress();
  return sent;
}

std::string service::describe_pending() const {
  std::string all;
  for (const auto& [name, each] : open_) {
    const std::string one = each->describe_pending();
    if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

void install(job& here, const installation& with) { here.service<service>().install(with); }

void handle_records(incoming& in, std::uint64_t number, std::uint64_t team, std::uint32_t what) {
  in.here().service<service>().received(team, number, static_cast<content>(what), in.payload());
}

}  // namespace upwash::streaming
