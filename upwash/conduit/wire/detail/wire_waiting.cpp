// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time, waiting and the end of the endpoint.
#include <fmt/format.h>

#include <cstdint>

#include "upwash/base/error.hpp"
#include "upwash/base/relax.hpp"
#include "upwash/conduit/process_knobs.hpp"
#include "upwash/conduit/wire/detail/wire_endpoint.hpp"

namespace upwash::conduit::wire {

namespace {

std::uint32_t window_of(const settings& values) {
  constexpr std::int64_t most = 65536;
  const std::int64_t wanted = values.integer("wire_window");
  if (wanted < 0 || wanted > most) {
    throw error(error_kind::configuration,
                fmt::format("wire_window={}: expected 0 to {} (UPWASH_WIRE_WINDOW)", wanted, most));
  }
  return static_cast<std::uint32_t>(wanted);
}

}  // namespace

wire_options options_of(std::string_view name, bootstrap& boot, const settings& values) {
  const polling_process mine{own_processors(), 1};
  std::vector<polling_process> all(static_cast<std::size_t>(boot.process_count()));
  boot.exchange(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  // Whom this one shares a machine with, whatever nodes are pretended.
  std::vector<polling_process> here;
  std::size_t self = 0;
  for (int p = 0; p < boot.process_count(); ++p) {
    if (boot.node_of(p) != boot.node_of(boot.process())) continue;
    if (p == boot.process()) self = here.size();
    here.push_back(all[static_cast<std::size_t>(p)]);
  }
  return {.name = name,
          .window = window_of(values),
          .burn = values.text("compute") == "burn",
          .nodes = nodes_of(boot, values),
          .waits = patience::choose(values, here, self, name)};
}

void wire_endpoint::compute(int /*rank*/, duration time) {
  if (!options_.burn) return;
  const duration end = steady_now() + time;
  while (steady_now() < end) relax();
}

/// The launcher prints why and ends the processes; this one only gets out of the way.
void wire_endpoint::look_for_deaths() noexcept {
  if (boot_.failed()) boot_.abort(first_rank_, 1, {});
}

void wire_endpoint::pause() noexcept {
  if (options_.waits.pause()) look_for_deaths();
}

void wire_endpoint::idle(int rank, const wait_target& target, const wait_reason& reason) {
  if (options_.instead != nullptr) return options_.instead->idle(rank, target, reason);
  pause();
}

void wire_endpoint::yield(int rank) {
  if (options_.instead != nullptr) options_.instead->yield(rank);
}

void wire_endpoint::close(int /*rank*/) {
  if (--open_ranks_ > 0) return;
  // Nobody sends messages any more. What is left tells of credits.
  while (under_way_ > 0 || reads_.under_way() > 0) {
    if (poll_for_all() == 0 && options_.instead == nullptr) pause();
    give_up_the_lost();
  }
  over_->close(*this, sent_);
  // Who is lost now may not have got all that was sent to it.
  while (lost_rank_ >= 0) {
    pause();
    give_up_the_lost();
  }
}

void wire_endpoint::give_up_the_lost() {
  const int lost = lost_rank();
  if (lost >= 0) give_up(fmt::format("rank {} died, or the network to it did", lost));
}

}  // namespace upwash::conduit::wire
