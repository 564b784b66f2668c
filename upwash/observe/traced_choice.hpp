// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A choice of the tuner in a trace: the text that an event of kind `choice` names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upwash::observe {

/// One candidate of a choice.
struct traced_candidate {
  std::string name;
  std::optional<double> predicted_ns;  ///< none: no price
};

struct traced_choice {
  std::string problem;  ///< "all_reduce of 64 bytes among 8 ranks"
  std::string chosen;
  std::string label;  ///< the program's label of the calls; usually empty
  std::string how;    ///< further decisions
  std::vector<traced_candidate> candidates{};
  std::string why;
};

/// Returns a line for each part. The reason is last, because texts in traces may be cut.
[[nodiscard]] std::string text_of(const traced_choice& one);

/// Reads any text. Missing parts stay empty. O(bytes).
[[nodiscard]] traced_choice read_choice(std::string_view text);

}  // namespace upwash::observe
