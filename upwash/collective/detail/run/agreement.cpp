// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/collective/detail/run/service.hpp"
#include "upwash/core/active_message.hpp"

namespace upwash::collective::detail {

bool agreement::matches(const agreement& other) const noexcept {
  return operation == other.operation && algorithm == other.algorithm && bytes == other.bytes &&
         root == other.root && kind_of_reduction == other.kind_of_reduction &&
         entry_and_exit == other.entry_and_exit && waits == other.waits;
}

std::string agreement::text() const {
  std::string line =
      fmt::format("member {} (rank {}) calls {}", member, world_rank, operation.data());
  if (algorithm[0] != '\0') line += fmt::format(" by {}", algorithm.data());
  line += fmt::format(" of {} bytes, root {}", bytes, root);
  if (kind_of_reduction != 0) line += fmt::format(", reduction {:#x}", kind_of_reduction);
  line += fmt::format(", sync {}", entry_and_exit);
  using waiting = signature::manner_of_waiting;
  if (waits != static_cast<std::uint32_t>(waiting::any)) {
    line += waits == static_cast<std::uint32_t>(waiting::blocking) ? ", blocking" : ", nonblocking";
  }
  if (site[0] != '\0') line += fmt::format(", at {}", site.data());
  return line;
}

/// The members next to this one in the binomial tree.
std::vector<int> executor::tree_neighbors(const team& among) {
  const int me = among.rank();
  std::vector<int> all;
  if (me != 0) all.push_back(me & (me - 1));
  for (int bit = 1; me + bit < among.size(); bit *= 2) {
    if (me != 0 && (me & -me) <= bit) break;
    all.push_back(me + bit);
  }
  return all;
}

/// Each member tells its neighbours in a tree: any difference shows on some edge of it, at both
/// ends.
void executor::tell_agreement(const operation& op) {
  const agreement mine = agreement_of(op);
  const std::vector<int> neighbors = tree_neighbors(op.among);
  for (const int member : neighbors) {
    send_medium<&handle_agreement>(here_, op.among.world_rank(member),
                                   std::as_bytes(std::span(&mine, 1)));
  }
  if (neighbors.empty()) return;
  expected_agreements_.push_back({mine, static_cast<int>(neighbors.size())});
  for (std::size_t i = 0; i < early_agreements_.size();) {
    if (!compare(early_agreements_[i])) {
      ++i;
      continue;
    }
    early_agreements_.erase(early_agreements_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

agreement executor::agreement_of(const operation& op) const {
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
  mine.waits = static_cast<std::uint32_t>(agreed.waits);
  set_text(mine.operation, agreed.operation);
  set_text(mine.algorithm, agreed.algorithm);
  if (agreed.line != 0) set_text(mine.site, fmt::format("{}:{}", agreed.file, agreed.line));
  return mine;
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
  if (--mine->missing == 0) expected_agreements_.erase(mine);
  return true;
}

/// Whether neighbours have still to say what they call there. A message that does not fit is told
/// only when they have: what they call says more.
bool executor::awaits_agreement(const run_key& key) const {
  return std::any_of(expected_agreements_.begin(), expected_agreements_.end(),
                     [&](const auto& each) {
                       return run_key{each.own.team, each.own.run} == key;
                     });
}

void executor::agreed(const agreement& theirs) {
  here_.set_busy(*this, true);  // the next progress throws what may have come out
  if (!compare(theirs)) early_agreements_.push_back(theirs);
}

/// Every time: nothing that is under way will ever be complete, and whoever waits must hear it.
void executor::throw_disagreement() const {
  throw error(error_kind::fault, fmt::format("rank {}: {}", here_.rank(), disagreement_));
}

}  // namespace upwash::collective::detail
