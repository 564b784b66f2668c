// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/messages.hpp"

#include <cstring>

#include "upwash/collective/detail/run/service.hpp"
#include "upwash/core/active_message.hpp"

namespace upwash::collective::detail {
namespace {

executor& executor_of(const incoming& in) { return in.here().service<executor>(); }

step_runner& steps_of(const incoming& in) { return executor_of(in).steps(); }

template <class T>
T value_in(std::span<const std::byte> payload) {
  T value;
  std::memcpy(&value, payload.data(), sizeof value);
  return value;
}

}  // namespace

void handle_eager(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge,
                  std::uint64_t sender) {
  steps_of(in).edges().data_came({team, run, edge, in.source()}, arrived::bytes, in.payload(), {});
  if (sender != 0) in.reply<&handle_taken>(sender);
}

void handle_offer(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge) {
  steps_of(in).edges().data_came({team, run, edge, in.source()}, arrived::offered, {},
                                 value_in<offer>(in.payload()));
}

void handle_landed(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge) {
  steps_of(in).edges().data_came({team, run, edge, in.source()}, arrived::landed, {}, {});
}

void handle_taken(incoming& in, std::uint64_t sender) {
  steps_of(in).edges().was_taken(in.source(), sender);
}

void handle_place_free(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge) {
  steps_of(in).edges().place_is_free({team, run, edge, in.source()});
}

void handle_count(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t counter) {
  steps_of(in).counters().counted({team, run}, counter);
}

void handle_watch(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t counter,
                  std::uint64_t value, std::uint64_t asker) {
  steps_of(in).counters().watched({team, run}, {in.source(), counter, value, asker});
}

void handle_reached(incoming& in, std::uint64_t asker) {
  steps_of(in).counters().reached(in.source(), asker);
}

void handle_where(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t buffer,
                  std::uint64_t asker) {
  steps_of(in).memory().asked(
      {{team, run}, static_cast<schedule::buffer>(buffer), in.source(), asker});
}

void handle_here(incoming& in, std::uint64_t asker) {
  steps_of(in).memory().told(in.source(), asker, value_in<exposed_memory>(in.payload()));
}

void handle_agreement(incoming& in) { executor_of(in).heard(value_in<agreement>(in.payload())); }

}  // namespace upwash::collective::detail
