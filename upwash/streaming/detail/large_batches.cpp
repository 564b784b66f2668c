// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/large_batches.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/streaming/detail/service.hpp"

namespace upwash::streaming {
namespace {

void handle_ticket(incoming& in) {
  ticket what;
  std::memcpy(&what, in.payload().data(), sizeof what);
  auto& home = in.here().service<service>();
  home.large().offered(in.source(), what);
  host(in.here()).set_busy(home, true);
}

void handle_fetched(incoming& in, std::uint64_t offer) {
  in.here().service<service>().large().was_fetched(offer);
}

}  // namespace

large_batches::~large_batches() {
  for (const auto& [number, kept] : offers_) conceal(here_, kept.memory);
}

room large_batches::room_for(std::size_t bytes) {
  const auto fits = [bytes](const room& each) {
    return each.size >= bytes && each.size / 2 <= bytes;
  };
  const auto found = std::ranges::find_if(spare_, fits);
  if (found == spare_.end()) return {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  std::swap(*found, spare_.back());
  room taken = std::move(spare_.back());
  spare_.pop_back();
  spare_bytes_ -= taken.size;
  return taken;
}

/// The oldest make room.
void large_batches::keep(room&& spare) {
  if (spare.size > most_fetched) return;
  spare_bytes_ += spare.size;
  spare_.push_back(std::move(spare));
  std::size_t gone = 0;
  while (spare_bytes_ > most_fetched) spare_bytes_ -= spare_[gone++].size;
  spare_.erase(spare_.begin(), spare_.begin() + static_cast<std::ptrdiff_t>(gone));
}

void large_batches::offer(const stream_name& stream, batch&& what) {
  const std::uint64_t number = ++next_offer_;
  offer_kept& kept = offers_[number];
  kept.what = std::move(what);
  offered_bytes_ += kept.what.used;
  kept.memory = expose(here_, kept.what.bytes());
  const int hop = kept.what.hop;  // it may be fetched before the send is over
  const ticket going{kept.memory, stream, number, kept.what.kind, kept.what.memory.common};
  send_medium<&handle_ticket>(here_, hop, std::as_bytes(std::span(&going, 1)));
}

void large_batches::offered(int source, const ticket& what) {
  fetch& made = waiting_.emplace_back();
  made.home = this;
  made.source = source;
  made.what = what;
  made.self = std::prev(waiting_.end());
}

void large_batches::was_fetched(std::uint64_t offer) {
  auto done = offers_.extract(offer);
  conceal(here_, done.mapped().memory);
  offered_bytes_ -= done.mapped().what.used;
  keep(std::move(done.mapped().what.memory));
}

int large_batches::progress() {
  int begun = 0;
  while (!waiting_.empty()) {
    fetch& next = waiting_.front();
    const std::size_t bytes = next.what.memory.bytes;
    if (fetching_bytes_ != 0 && fetching_bytes_ + bytes > most_fetched) break;
    fetching_.splice(fetching_.end(), waiting_, waiting_.begin());
    fetching_bytes_ += bytes;
    most_fetching_ = std::max(most_fetching_, fetching_bytes_);
    next.memory = room_for(bytes);
    get(here_, next.what.memory, 0, std::span(next.memory.bytes.get(), bytes),
        notice::call(&large_batches::fetched, &next));
    ++begun;
  }
  return begun;
}

void large_batches::fetched(void* context) {
  auto& done = *static_cast<fetch*>(context);
  host(done.home->here_).run_as_handler([&done] { done.home->complete(done); });
}

void large_batches::complete(fetch& done) {
  send<&handle_fetched>(here_, done.source, done.what.offer);
  const std::size_t bytes = done.what.memory.bytes;
  to_.received(done.what.stream, done.what.kind, done.what.common,
               {done.memory.bytes.get(), bytes});
  keep(std::move(done.memory));
  fetching_bytes_ -= bytes;
  fetching_.erase(done.self);
}

}  // namespace upwash::streaming
