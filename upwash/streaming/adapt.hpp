// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What streams that set themselves need from outside: prices of the machine, and a memory that
// outlasts them. The composition root gives both; without them streams take a laptop's prices and
// begin anew each time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "upwash/model/aggregation.hpp"

namespace upwash {
class job;
}

namespace upwash::streaming {

/// What streams that behave alike have in common.
struct stream_kind {
  std::string label;           ///< stream_options::label
  int ranks = 1;               ///< of the team
  int ranks_per_node = 1;      ///< of them, on the first's
  std::size_t item_bytes = 0;  ///< 0: sizes differ
  friend auto operator<=>(const stream_kind&, const stream_kind&) = default;
};

/// What a member pushes in a phase: between two moments at which all was delivered.
struct traffic {
  double items = 0;
  double item_bytes = 0;    ///< S, with lengths where sizes differ
  double destinations = 0;  ///< different ones
  double rate = 0;          ///< Q: items a ns
  friend bool operator==(const traffic&, const traffic&) = default;
};

/// What a stream found out until it closed, and the settings that suited it.
struct stream_finding {
  traffic seen;
  int dimensions = 1;
  std::size_t effective_bytes = 0;
  friend bool operator==(const stream_finding&, const stream_finding&) = default;
};

/// Keeps findings across streams, and if it likes across jobs. Shared by the ranks of a process.
class stream_memory {
 public:
  virtual ~stream_memory() = default;
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;

  /// What the same kind of stream found before, or one that is near.
  [[nodiscard]] virtual std::optional<stream_finding> recall(const stream_kind& kind) = 0;
  /// Called when a stream closes that has seen a phase, by the first member of its team.
  virtual void note(const stream_kind& kind, const stream_finding& found) = 0;

 protected:
  stream_memory() = default;
};

/// Prices of streams on a machine (load_machine), read when they are asked for. Shared by the ranks
/// of a process.
class price_list {
 public:
  explicit price_list(std::string machine_name) : name_(std::move(machine_name)) {}

  /// Between so many ranks; nothing where the machine cannot be read or does not say.
  [[nodiscard]] const std::optional<model::stream_prices>& among(int ranks);

 private:
  std::string name_;
  int ranks_ = 0;  ///< those of `prices_`
  std::optional<model::stream_prices> prices_;
};

/// Both outlive the job; null: there is none.
struct installation {
  price_list* prices = nullptr;
  stream_memory* memory = nullptr;
};

/// On each rank, before the first stream. Local.
void install(job& here, const installation& with);

}  // namespace upwash::streaming
