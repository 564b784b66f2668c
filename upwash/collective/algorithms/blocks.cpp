// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "upwash/base/error.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::script;

std::span<const std::uint64_t> blocks::elements(const script& in) const {
  const auto given = in.given(0);
  if (given.size() == static_cast<std::size_t>(members_)) return given;
  throw error(error_kind::argument,
              fmt::format("{} lengths of blocks are given for {} members; give one for each",
                          given.size(), members_));
}

std::uint64_t blocks::offset(const script& in, int member) const {
  const auto given = in.given(1);
  if (given.size() == static_cast<std::size_t>(members_)) {
    return given[static_cast<std::size_t>(member)] * unit_;
  }
  throw error(error_kind::argument,
              fmt::format("{} offsets of blocks are given for {} members; give one for each, or "
                          "none",
                          given.size(), members_));
}

std::span<const std::uint64_t> blocks::begins(const script& in) const {
  const auto count = static_cast<std::size_t>(members_) + 1;
  if (noted_) return in.words().subspan(first_word_, count);
  if (begins_ == nullptr) return {};
  return {begins_, count};
}

std::uint64_t blocks::bytes(const script& in, int member) const {
  const auto index = static_cast<std::size_t>(member);
  if (const auto at = begins(in); !at.empty()) return (at[index + 1] - at[index]) * unit_;
  return given_ ? elements(in)[static_cast<std::size_t>(member)] * unit_ : unit_;
}

bool blocks::packed(const script& in) const { return !given_ || in.given(1).empty(); }

piece blocks::at(const script& in, buffer of, int member) {
  const auto index = static_cast<std::size_t>(member);
  if (const auto at = begins(in); !at.empty()) {
    return {of, at[index] * unit_, (at[index + 1] - at[index]) * unit_};
  }
  if (!given_) return {of, index * unit_, unit_};
  if (!packed(in)) return {of, offset(in, member), bytes(in, member)};
  const auto all = elements(in);
  while (walked_to_ < index) before_ += all[walked_to_++];
  while (walked_to_ > index) before_ -= all[--walked_to_];
  return {of, before_ * unit_, all[index] * unit_};
}

std::uint64_t blocks::bytes_from(const script& in, int first, std::int64_t count) const {
  if (const auto at = begins(in); !at.empty()) {
    const auto from = at.begin() + first;
    const std::int64_t ahead = std::min<std::int64_t>(count, members_ - first);
    return (from[ahead] - *from + at.begin()[count - ahead]) * unit_;
  }
  if (!given_) return static_cast<std::uint64_t>(count) * unit_;
  const auto all = elements(in);
  const auto begin = all.begin() + first;
  const auto ahead = std::min<std::int64_t>(count, members_ - first);
  return std::accumulate(all.begin(), all.begin() + (count - ahead),
                         std::accumulate(begin, begin + ahead, std::uint64_t{0})) *
         unit_;
}

std::uint64_t blocks::largest(const script& in) const {
  if (!begins(in).empty()) {
    std::uint64_t most = 0;
    for (int member = 0; member < members_; ++member) most = std::max(most, bytes(in, member));
    return most;
  }
  if (!given_) return unit_;
  const auto all = elements(in);
  return *std::max_element(all.begin(), all.end()) * unit_;
}

}  // namespace upwash::collective
