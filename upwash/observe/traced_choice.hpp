// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A choice of the tuner as a trace has it: the text that an event of kind `choice` names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upwash::observe {

/// What there was to choose from.
struct traced_candidate {
  std::string name;
  std::optional<double> predicted_ns;  ///< none: it has no price
};

struct traced_choice {
  std::string problem;  ///< "all_reduce of 64 bytes among 8 ranks"
  std::string chosen;
  std::string label;  ///< the program's, of the calls; mostly empty
  std::string how;    ///< what was decided beside it
  std::vector<traced_candidate> candidates{};
  std::string why;
};

/// A line for each part; the reason is last, since texts in traces may be cut.
[[nodiscard]] std::string text_of(const traced_choice& one);

/// Of any text: parts that are not there stay empty. O(bytes).
[[nodiscard]] traced_choice read_choice(std::string_view text);

}  // namespace upwash::observe
