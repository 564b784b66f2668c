// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of streams that tune themselves: findings of the tuning file and of this job.
#pragma once

#include <optional>

#include "upwash/streaming/adapt.hpp"
#include "upwash/tuning/knowledge.hpp"

namespace upwash::tuning {

/// The findings that the ranks of a process share. Labels are stored as printable ASCII.
class stream_notes final : public streaming::stream_memory {
 public:
  /// `known` outlives this object; null: nothing is known.
  explicit stream_notes(const knowledge* known = nullptr) : known_(known) {}

  /// Returns this job's finding if there is one, otherwise the nearest known one
  /// (knowledge::nearest).
  [[nodiscard]] std::optional<streaming::stream_finding> recall(
      const streaming::stream_kind& kind) override;
  void note(const streaming::stream_kind& kind, const streaming::stream_finding& found) override;

  [[nodiscard]] const knowledge& fresh() const noexcept { return fresh_; }

 private:
  const knowledge* known_;
  knowledge fresh_;
};

}  // namespace upwash::tuning
