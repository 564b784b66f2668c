// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/aggregate.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/detail/pieces.hpp"
#include "upwash/onesided/detail/target.hpp"
#include "upwash/onesided/detail/transfer_handlers.hpp"

namespace upwash {
namespace {

std::size_t message_bytes(const job& here, int rank) {
  if (rank < 0 || rank >= here.size()) {
    throw error(error_kind::argument, fmt::format("rank {}: an aggregate of puts to rank {}; the "
                                                  "job has ranks 0 to {}",
                                                  here.rank(), rank, here.size() - 1));
  }
  return medium_limit(here, rank);
}

}  // namespace

aggregate::aggregate(job& here, int rank)
    : here_(here), rank_(rank), gathered_(message_bytes(here, rank)) {}

aggregate::~aggregate() noexcept(false) {
  at_end_.run([this] {
    send();
    open_.detach();
  });
}

void aggregate::put_bytes(global_ptr<std::byte> to, std::span<const std::byte> from) {
  if (to && to.rank() != rank_) {
    throw error(error_kind::argument,
                fmt::format("rank {}: put to rank {} by an aggregate of puts to rank {}; make one "
                            "for each target",
                            here_.rank(), to.rank(), rank_));
  }
  const auto target = detail::target_of(here_, {"put to", to, from.size()},
                                        strided{static_cast<std::int64_t>(from.size())});
  ++host(here_).counters().puts;
  host(here_).counters().put_bytes += from.size();
  if (target.direct != nullptr) return detail::store_bytes(target.direct, from.data(), from.size());
  if (gathered_.runs() != 0 && to.region() != region_) send();
  region_ = to.region();
  for (std::uint64_t offset = to.offset(); !from.empty();) {
    const std::uint64_t taken = gathered_.add(offset, from);
    if (taken == 0) send();
    offset += taken;
    from = from.subspan(taken);
  }
}

void aggregate::send() {
  if (gathered_.runs() == 0) return;
  gathered_.take(message_);
  const global_ptr<std::byte> start(rank_, region_, 0);
  detail::fetch_key(here_, start);
  ++messages_;
  const completer end =
      begin_operation(here_, notice::to(open_),
                      {.operation = "aggregate of puts", .peer = rank_, .bytes = message_.size()});
  here_.service<detail::piece_service>().start_packed({.at = start, .send = &detail::send_store},
                                                      message_, end);
}

request aggregate::flush() {
  send();
  return std::move(open_);
}

}  // namespace upwash
