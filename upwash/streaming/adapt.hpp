// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The external inputs of streams that choose their own settings: prices of the machine, and a
// memory that outlasts the streams. The composition root supplies both. Without them streams use a
// laptop's prices and learn anew each time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "upwash/model/aggregation.hpp"

namespace upwash {
class job;
}

namespace upwash::streaming {

/// The properties by which streams are considered alike.
struct stream_kind {
  std::string label;           ///< stream_options::label
  int ranks = 1;               ///< ranks of the team
  int ranks_per_node = 1;      ///< ranks of the team on its first node
  std::size_t item_bytes = 0;  ///< 0: sizes differ
  friend auto operator<=>(const stream_kind&, const stream_kind&) = default;
};

/// The items that a member pushes in a phase, between two moments at which all items were
/// delivered.
struct traffic {
  double items = 0;
  double item_bytes = 0;    ///< S, with lengths if sizes differ
  double destinations = 0;  ///< distinct ones
  double rate = 0;          ///< Q: items per ns
  friend bool operator==(const traffic&, const traffic&) = default;
};

/// The traffic that a stream observed until it closed, and the settings that suited the traffic.
struct stream_finding {
  traffic seen;
  int dimensions = 1;
  std::size_t effective_bytes = 0;
  friend bool operator==(const stream_finding&, const stream_finding&) = default;
};

/// Keeps findings across streams, and optionally across jobs. Shared by the ranks of a process.
class stream_memory {
 public:
  virtual ~stream_memory() = default;
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;

  /// Returns the finding of an earlier stream of the same kind, or of a similar kind.
  [[nodiscard]] virtual std::optional<stream_finding> recall(const stream_kind& kind) = 0;
  /// Stores a finding. Called by the first member of the team when a stream closes that has seen a
  /// phase.
  virtual void note(const stream_kind& kind, const stream_finding& found) = 0;

 protected:
  stream_memory() = default;
};

/// Prices of streams on a machine (load_machine), read on first use. Shared by the ranks of a
/// process.
class price_list {
 public:
  explicit price_list(std::string machine_name) : name_(std::move(machine_name)) {}

  /// Returns the prices between `ranks` ranks. Empty if the machine cannot be read or does not
  /// state them.
  [[nodiscard]] const std::optional<model::stream_prices>& among(int ranks);

 private:
  std::string name_;
  int ranks_ = 0;  ///< ranks of `prices_`
  std::optional<model::stream_prices> prices_;
};

/// Both objects must outlive the job; null means none.
struct installation {
  price_list* prices = nullptr;
  stream_memory* memory = nullptr;
};

/// Installs both on this rank, before its first stream. Local.
void install(job& here, const installation& with);

}  // namespace upwash::streaming
