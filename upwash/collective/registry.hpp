// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of algorithms: each states its collective, parameters, requirements and source, and
// makes the schedule of any rank. The one place that names them all is `add_algorithms`.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/model/choice.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::collective {

enum class kind : std::uint8_t {
  barrier,
  broadcast,
  scatter,
  gather,
  reduce,
  all_gather,
  all_to_all,
  all_to_all_v,
  many_to_many,
  all_reduce,
  reduce_scatter,
  scan,
  exclusive_scan,
};
[[nodiscard]] std::string_view to_string(kind of) noexcept;
/// Throws `error` (argument) for an unknown name, with those known and the nearest.
[[nodiscard]] kind kind_named(std::string_view name);

/// A collective call as all members see it: the same on the whole team.
struct problem {
  kind what = kind::barrier;
  int ranks = 1;
  /// Of the vector (broadcast, reduce, all_reduce, scans), of one block (scatter, gather,
  /// all_gather, reduce_scatter: a rank's, all_to_all: a pair's). In the v variants: the mean of a
  /// pair, for choosing and pricing only.
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 1;
  int root = 0;
  bool in_place = false;
  bool commutative = true;
  /// Consecutive ranks of the team on one node, where they are so; else 1.
  int ranks_per_node = 1;
  schedule::address_mode addresses = schedule::address_mode::local;
  bool direct_access = false;  ///< all members load and store each other's memory
};

struct algorithm {
  kind of = kind::barrier;
  model::choice is;
  schedule::generator (*make)(const problem& call, const model::values& with, int rank) = nullptr;
  /// Why the values cannot be had for the call, beyond the requirements; empty: they can. May be
  /// null.
  std::string (*objection)(const problem& call, const model::values& with) = nullptr;
};

/// An algorithm with values for its parameters.
struct selection {
  const algorithm* chosen = nullptr;
  model::values with{};

  [[nodiscard]] schedule::generator schedule_of(const problem& call, int rank) const {
    return chosen->make(call, with, rank);
  }
};

class registry {
 public:
  void add(const algorithm& one);

  /// Those of a collective, in the order added.
  [[nodiscard]] std::vector<const algorithm*> of(kind what) const;

  /// Reads NAME[:key=value,...]. Throws `error` (argument) for an unknown name, with those known
  /// and the nearest, or a bad value.
  [[nodiscard]] selection named(kind what, std::string_view text) const;

  /// Why the selection cannot serve the call; empty: it can.
  [[nodiscard]] static std::string objection(const selection& to, const problem& call);

  /// What it needs, in words; empty: nothing.
  [[nodiscard]] static std::string requirements_of(const algorithm& one);

 private:
  std::vector<algorithm> all_;
};

/// Adds every algorithm of this folder.
void add_algorithms(registry& to);

}  // namespace upwash::collective
