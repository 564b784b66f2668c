// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of streams that set themselves: what the tuning file says of them, and what this job
// finds out.
#pragma once

#include <optional>

#include "upwash/streaming/adapt.hpp"
#include "upwash/tuning/knowledge.hpp"

namespace upwash::tuning {

/// Shared by the ranks of a process. Labels are kept as printable ASCII.
class stream_notes final : public streaming::stream_memory {
 public:
  /// `known` outlives this; null: nothing.
  explicit stream_notes(const knowledge* known = nullptr) : known_(known) {}

  /// What this job found first, then what was known (knowledge::nearest).
  [[nodiscard]] std::optional<streaming::stream_finding> recall(
      const streaming::stream_kind& kind) override;
  void note(const streaming::stream_kind& kind, const streaming::stream_finding& found) override;

  [[nodiscard]] const knowledge& fresh() const noexcept { return fresh_; }

 private:
  const knowledge* known_;
  knowledge fresh_;
};

}  // namespace upwash::tuning
