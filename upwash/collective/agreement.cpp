// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/messages.hpp"
#include "upwash/collective/detail/service.hpp"
#include "upwash/core/active_message.hpp"

namespace upwash::collective::detail {

bool agreement::matches(const agreement& other) const noexcept {
  return operation == other.operation && algorithm == other.algorithm && bytes == other.bytes &&
         root == other.root && kind_of_reduction == other.kind_of_reduction &&
         entry_and_exit == other.entry_and_exit;
}

std::string agreement::text() const {
  std::string line =
      fmt::format("member {} (rank {}) calls {}", member, world_rank, operation.data());
  if (algorithm[0] != '\0') line += fmt::format(" by {}", algorithm.data());
  line += fmt::format(" of {} bytes, root {}", bytes, root);
  if (kind_of_reduction != 0) line += fmt::format(", reduction {:#x}", kind_of_reduction);
  line += fmt::format(", sync {}", entry_and_exit);
  if (site[0] != '\0') line += fmt::format(", at {}", site.data());
  return line;
}

/// Each member tells its parent in the binomial tree: any difference shows on some edge of it.
void executor::tell_agreement(const operation& op) {
  const signature& agreed = op.how.agreed;
  agreement mine;
  mine.team = op.among.id();
  mine.run = op.run();
  mine.bytes = agreed.bytes;
  mine.kind_of_reduction = agreed.kind_of_reduction;
  mine.member = op.among.rank();
  mine.world_rank = here_.rank();
  mine.root = agreed.root;
  mine.entry_and_exit =
      static_cast<std::uint32_t>(op.how.rules.entry) * 10 + static_cast<std::uint32_t>(op.how.exit);
  set_text(mine.operation, agreed.operation);
  set_text(mine.algorithm, agreed.algorithm);
  if (agreed.line != 0) set_text(mine.site, fmt::format("{}:{}", agreed.file, agreed.line));
  if (mine.member != 0) {
    const int parent = mine.member & (mine.member - 1);
    send_medium<&handle_agreement>(here_, op.among.world_rank(parent),
                                   std::as_bytes(std::span(&mine, 1)));
  }
  int children = 0;
  for (int bit = 1; mine.member + bit < op.among.size(); bit *= 2) {
    if (mine.member != 0 && (mine.member & -mine.member) <= bit) break;
    ++children;
  }
  if (children == 0) return;
  expected_agreements_.push_back({mine, children});
  for (std::size_t i = 0; i < early_agreements_.size();) {
    if (!compare(early_agreements_[i])) {
      ++i;
      continue;
    }
    early_agreements_.erase(early_agreements_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// False: this rank has not come to that call yet.
bool executor::compare(const agreement& theirs) {
  const auto mine = std::find_if(
      expected_agreements_.begin(), expected_agreements_.end(),
      [&](const auto& each) { return each.own.team == theirs.team && each.own.run == theirs.run; });
  if (mine == expected_agreements_.end()) return false;
  if (!mine->own.matches(theirs) && disagreement_.empty()) {
    disagreement_ = fmt::format(
        "members of team {:#x} call different collectives as their "
        "number {}: {}; {}",
        theirs.team, theirs.run >> 32U, mine->own.text(), theirs.text());
  }
  if (--mine->children == 0) expected_agreements_.erase(mine);
  return true;
}

void executor::agreed(const agreement& theirs) {
  if (!compare(theirs)) early_agreements_.push_back(theirs);
}

void executor::throw_disagreement() {
  const std::string text = std::exchange(disagreement_, {});
  throw error(error_kind::fault, fmt::format("rank {}: {}", here_.rank(), text));
}

}  // namespace upwash::collective::detail
