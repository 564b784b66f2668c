// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which part moves on which kind of step.
#pragma once

#include "upwash/collective/detail/run/arrival_book.hpp"
#include "upwash/collective/detail/run/collector.hpp"
#include "upwash/collective/detail/run/counter_store.hpp"
#include "upwash/collective/detail/run/edge_data.hpp"
#include "upwash/collective/detail/run/edge_transport.hpp"
#include "upwash/collective/detail/run/in_flight.hpp"
#include "upwash/collective/detail/run/matched_edges.hpp"
#include "upwash/collective/detail/run/peer_memory.hpp"

namespace upwash::collective::detail {

/// Goes through operations' windows. Owns the parts that move steps on; messages go to these.
class step_runner {
 public:
  step_runner(job& here, slot_store& slots, const in_flight& running)
      : here_(here),
        matched_(here, running, data_),
        collects_(here, running, arrivals_),
        edges_({here, slots, arrivals_, data_, matched_, collects_}),
        counters_(here, slots, running),
        memory_(here, slots, running) {}
  step_runner(const step_runner&) = delete;
  step_runner& operator=(const step_runner&) = delete;

  /// Tries every open step, in the order of emission: dependencies only point back. Returns how
  /// many came further.
  int pass_through(operation& op);
  /// Of an operation that is given up: what comes for it no longer finds its steps.
  void forget(const operation& op) { arrivals_.forget(op); }
  /// The first message of a wrong length, or null.
  [[nodiscard]] const edge_data::misfit* misfit() const noexcept { return data_.wrong(); }

  [[nodiscard]] edge_transport& edges() noexcept { return edges_; }
  [[nodiscard]] matched_edges& matched() noexcept { return matched_; }
  [[nodiscard]] counter_store& counters() noexcept { return counters_; }
  [[nodiscard]] peer_memory& memory() noexcept { return memory_; }

 private:
  bool advance(operation& op, slot& s);
  static bool open_stage(operation& op, slot& s);

  // A part is made of those above it.
  job& here_;
  arrival_book arrivals_;
  edge_data data_{here_};
  matched_edges matched_;
  collector collects_;
  edge_transport edges_;
  counter_store counters_;
  peer_memory memory_;
};

}  // namespace upwash::collective::detail
