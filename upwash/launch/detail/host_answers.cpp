// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/host_answers.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/launch/detail/standing_gatherer.hpp"

namespace upwash::launch::detail {
namespace {

/// Agents wait for their ranks first.
const duration time_for_hosts = time_to_answer + duration::from_seconds(1);

}  // namespace

void exchange_gatherer::begin(std::uint32_t generation) {
  all_ = {generation, std::vector<std::vector<std::byte>>(map_.ranks.size())};
  has_.assign(map_.hosts.size(), false);
  missing_ = map_.node_count();
}

std::optional<exchange_blobs> exchange_gatherer::add(int node, exchange_blobs share) {
  const auto at = static_cast<std::size_t>(node);
  const auto count = static_cast<std::size_t>(map_.process_count(node));
  if (share.generation != all_.generation || share.blobs.size() != count || has_[at]) {
    throw error(
        error_kind::fault,
        fmt::format("it took part in exchange {} with {} processes; expected exchange {}, once, "
                    "with {}",
                    share.generation, share.blobs.size(), all_.generation, count));
  }
  has_[at] = true;
  const auto first = static_cast<std::size_t>(map_.first_process(node));
  for (std::size_t i = 0; i < count; ++i) all_.blobs[first + i] = std::move(share.blobs[i]);
  if (--missing_ != 0) return std::nullopt;
  exchange_blobs whole = std::move(all_);
  begin(whole.generation + 1);
  return whole;
}

standings_of_hosts::standings_of_hosts(const job_map& map)
    : all_(static_cast<std::size_t>(map.layout().ranks())) {}

std::uint32_t standings_of_hosts::ask(duration now) {
  for (std::size_t rank = 0; rank < all_.size(); ++rank) {
    all_[rank] = {};
    all_[rank].rank = static_cast<std::int32_t>(rank);
  }
  told_.assign(all_.size(), false);
  missing_ = all_.size();
  asked_at_ = now;
  asking_ = true;
  return ++question_;
}

void standings_of_hosts::add(std::uint32_t question, const std::vector<observe::standing>& some) {
  if (!asking_ || question != question_) return;
  for (const observe::standing& one : some) {
    const auto rank = static_cast<std::size_t>(one.rank);
    if (rank >= all_.size() || told_[rank]) continue;
    all_[rank] = one;
    told_[rank] = true;
    --missing_;
  }
}

std::optional<std::vector<observe::standing>> standings_of_hosts::look(duration now) {
  if (!asking_ || (missing_ != 0 && now - asked_at_ < time_for_hosts)) return std::nullopt;
  asking_ = false;
  return all_;
}

}  // namespace upwash::launch::detail
