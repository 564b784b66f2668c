// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/agreement_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/collective/detail/run/messages.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/job.hpp"

namespace upwash::collective::detail {
namespace {

/// The members next to this one in the binomial tree.
std::vector<int> tree_neighbors(const team& among) {
  const int me = among.rank();
  std::vector<int> all;
  if (me != 0) all.push_back(me & (me - 1));
  for (int bit = 1; me + bit < among.size(); bit *= 2) {
    if (me != 0 && (me & -me) <= bit) break;
    all.push_back(me + bit);
  }
  return all;
}

}  // namespace

void agreement_checker::tell(const operation& op) {
  const agreement mine = agreement_of(op);
  const std::vector<int> neighbors = tree_neighbors(op.among);
  for (const int member : neighbors) {
    send_medium<&handle_agreement>(here_, op.among.world_rank(member),
                                   std::as_bytes(std::span(&mine, 1)));
  }
  if (neighbors.empty()) return;
  expected_.push_back({mine, static_cast<int>(neighbors.size())});
  for (std::size_t i = 0; i < early_.size();) {
    if (!compare(early_[i])) {
      ++i;
      continue;
    }
    early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

agreement agreement_checker::agreement_of(const operation& op) const {
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
  if (agreed.site.line != 0) {
    set_text(mine.site, fmt::format("{}:{}", agreed.site.file, agreed.site.line));
  }
  return mine;
}

/// False: this rank has not come to that call yet.
bool agreement_checker::compare(const agreement& theirs) {
  const auto mine = std::find_if(expected_.begin(), expected_.end(), [&](const auto& each) {
    return each.own.team == theirs.team && each.own.run == theirs.run;
  });
  if (mine == expected_.end()) return false;
  if (!mine->own.matches(theirs) && disagreement_.empty()) {
    disagreement_ = fmt::format(
        "members of team {:#x} call different collectives as their "
        "number {}: {}; {}",
        theirs.team, theirs.run >> 32U, mine->own.text(), theirs.text());
  }
  if (--mine->missing == 0) expected_.erase(mine);
  return true;
}

bool agreement_checker::awaits(const run_key& key) const {
  return std::any_of(expected_.begin(), expected_.end(), [&](const auto& each) {
    return run_key{each.own.team, each.own.run} == key;
  });
}

void agreement_checker::heard(const agreement& theirs) {
  if (!compare(theirs)) early_.push_back(theirs);
}

void agreement_checker::throw_disagreement() const {
  if (disagreement_.empty()) return;
  throw error(error_kind::fault, fmt::format("rank {}: {}", here_.rank(), disagreement_));
}

}  // namespace upwash::collective::detail
