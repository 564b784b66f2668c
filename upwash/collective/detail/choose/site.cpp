// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/choose/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "upwash/base/log.hpp"

namespace upwash::collective::detail {
namespace {

constexpr std::uint64_t calls_before = 8;  ///< fewer calls are not worth a search
constexpr std::uint64_t least_pattern_calls = 8;
constexpr std::uint64_t most_pattern_calls = 1024;
constexpr std::uint64_t calls_an_agreement = 100;  ///< must take as long as it

/// Sizes between two powers of two are one size, as for selectors.
template <class T>
bool alike(T a, T b) {
  return std::bit_width(static_cast<std::uint64_t>(a)) ==
         std::bit_width(static_cast<std::uint64_t>(b));
}

}  // namespace

site::site(const problem& asked, const call& wanted)
    : asked_(asked),
      transfer_(wanted.how.transfer),
      label_(wanted.how.label),
      irregular_(is_irregular(asked.of)),
      seen_(asked),
      pattern_calls_(least_pattern_calls) {}

std::string site::described(const problem& call) {
  std::string size = fmt::format(" of {} bytes", call.bytes);
  if (call.of == kind::barrier) size.clear();
  if (is_irregular(call.of)) {
    size = call.bytes == 0 ? " of messages of any size"
                           : fmt::format(" of messages of {} bytes in the mean", call.bytes);
  }
  return fmt::format("{}{} among {} ranks", to_string(call.of), size, call.ranks);
}

bool site::is_for(const problem& asked, const call& wanted) const noexcept {
  return asked == asked_ && wanted.how.transfer == transfer_ && wanted.how.label == label_;
}

void site::begin(const selector::choice& chosen) {
  candidates_ = {chosen.what};
  for (const ranked& each : chosen.others) candidates_.push_back(each.what);
  search_.reset();
  rest_ = 0;
  told_ = 0;
  phase_ = {0, calls_before, false};
}

void site::note(const binding& buffers) noexcept {
  const auto sum = [](std::span<const std::uint64_t> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  };
  ++calls_;
  messages_ += buffers.given[0].size();
  const int lengths_at = asked_.of.facts().sent_lengths;
  bytes_ += lengths_at < 0 ? buffers.given[0].size() * buffers.input.size()
                           : sum(buffers.given[static_cast<std::size_t>(lengths_at)]);
}

void site::took(duration time) {
  if (std::exchange(samples_, false)) call_ = time;
  if (phase_.timed) search_->took(time.ns());
}

void site::enter(const model::online_search::phase& next) {
  phase_ = next;
  if (!irregular_ || next.timed) return;
  phase_.calls = std::min(next.calls, pattern_calls_);
  rest_ = next.calls - phase_.calls;
}

bool site::advance() {
  if (!search_) {
    if (irregular_) return true;
    search_.emplace(candidates_.size());
    enter(search_->now());
    return false;
  }
  if (rest_ != 0) return true;
  if (search_->next()) return true;
  enter(search_->now());
  return false;
}

std::vector<std::uint64_t> site::report() const {
  const auto seen = pattern();
  std::vector<std::uint64_t> all(seen.begin(), seen.end());
  if (search_ && phase_.timed) {
    all.insert(all.end(), search_->report().begin(), search_->report().end());
  }
  return all;
}

bool site::take_pattern(std::span<const std::uint64_t, observations> sums) {
  const std::uint64_t calls = sums[0];
  const std::uint64_t messages = sums[1];
  const std::uint64_t bytes = sums[2];
  calls_ = messages_ = bytes_ = 0;
  samples_ = irregular_;
  if (sums[3] != 0 && sums[4] != 0) {
    pattern_calls_ =
        std::clamp(calls_an_agreement * sums[4] / sums[3], least_pattern_calls, most_pattern_calls);
  }
  if (!irregular_ || calls == 0 || messages == 0) return false;
  problem now = seen_;
  now.bytes = bytes / messages;
  if (asked_.of != kind::all_to_all_v) {
    const std::uint64_t degree = (messages + calls - 1) / calls;
    now.degree = static_cast<int>(std::min(degree, static_cast<std::uint64_t>(asked_.ranks)));
  }
  if (alike(now.bytes, seen_.bytes) && alike(now.degree, seen_.degree)) return false;
  seen_ = now;
  return true;
}

bool site::agree(std::span<const std::uint64_t> sums) {
  if (take_pattern(sums.first<observations>())) return true;
  if (!search_) {
    search_.emplace(candidates_.size());
  } else if (rest_ != 0) {
    const model::online_search::phase same{phase_.candidate, rest_, false};
    enter(same);
    return false;
  } else {
    search_->agree(sums.subspan(observations));
  }
  enter(search_->now());
  return false;
}

std::string site::news() {
  if (!search_ || search_->best() == told_) return {};
  const auto text = [&](std::size_t i) { return text_of(candidates_[i]); };
  const std::string line =
      fmt::format("{}{}: {} instead of {}; why: it took {:.2f} of its time in two rounds of trials",
                  described(seen_), label_.empty() ? "" : fmt::format(" at {}", label_),
                  text(search_->best()), text(told_), 1 / search_->ratio(told_));
  told_ = search_->best();
  return line;
}

std::shared_ptr<site> site_list::of(const problem& asked, const call& wanted) {
  const auto found = std::find_if(sites_.begin(), sites_.end(),
                                  [&](const auto& each) { return each->is_for(asked, wanted); });
  if (found != sites_.end()) return *found;
  if (sites_.size() < most) return sites_.emplace_back(std::make_shared<site>(asked, wanted));
  return nullptr;
}

}  // namespace upwash::collective::detail
