// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a message says on the outside, what a receive asks for, and when the two fit.
#pragma once

#include <bit>
#include <cstdint>

namespace upwash::matching {

/// A receive that takes from any source, or any tag. Real sources and tags are never negative.
inline constexpr std::int32_t any_source = -1;
inline constexpr std::int32_t any_tag = -1;

/// Of a message: all exact. Of a receive or a probe: source and tag may be wild; contexts never.
/// `kind` is 0 for user messages, else which collective with which parameters (collective_kind);
/// it takes no part in the match, and both sides must name the same one.
struct envelope {
  std::uint32_t context = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint32_t kind = 0;

  bool operator==(const envelope&) const = default;
};

/// The kind of a collective's messages (envelope::kind): which collective (1 .. 255), and the
/// classes of its message size and team size, by powers of two.
[[nodiscard]] constexpr std::uint32_t collective_kind(std::uint32_t collective, std::uint64_t bytes,
                                                      std::uint32_t team_size) noexcept {
  return collective | static_cast<std::uint32_t>(std::bit_width(bytes)) << 8U |
         static_cast<std::uint32_t>(std::bit_width(team_size)) << 16U;
}

/// The call that an edge of a collective belongs to: what stands above the edges and phases of its
/// tag (runtime/tagged_edges.hpp), with the context.
inline constexpr unsigned call_shift = 20;
[[nodiscard]] constexpr std::uint64_t call_of(const envelope& e) noexcept {
  return std::uint64_t{e.context} << 32U | static_cast<std::uint32_t>(e.tag) >> call_shift;
}

/// Whether a message and a receive fit; symmetric, so that one engine serves both sides.
[[nodiscard]] constexpr bool fit(const envelope& a, const envelope& b) noexcept {
  return a.context == b.context && (a.tag == b.tag || a.tag < 0 || b.tag < 0) &&
         (a.source == b.source || a.source < 0 || b.source < 0);
}

/// Which fields are wild: 0 none, 1 the source, 2 the tag, 3 both.
inline constexpr unsigned wild_classes = 4;
[[nodiscard]] constexpr unsigned wild_class(const envelope& e) noexcept {
  return (e.source < 0 ? 1U : 0U) | (e.tag < 0 ? 2U : 0U);
}

/// The envelope with the fields of the class made wild.
[[nodiscard]] constexpr envelope project(envelope e, unsigned to) noexcept {
  if ((to & 1U) != 0) e.source = any_source;
  if ((to & 2U) != 0) e.tag = any_tag;
  return e;
}

/// Context, source and tag mixed into 64 bits; equal for equal fields, kind left out. One wide
/// product, its halves folded: every input bit reaches all output bits.
[[nodiscard]] constexpr std::uint64_t mixed(const envelope& e) noexcept {
  __extension__ using wide = unsigned __int128;
  const std::uint64_t who = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(e.tag)) << 32U) |
                            static_cast<std::uint32_t>(e.source);
  const wide product = static_cast<wide>(who ^ 0x9e3779b97f4a7c15U) *
                       (e.context * 0x94d049bb133111ebU + 0xbf58476d1ce4e5b9U);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace upwash::matching
