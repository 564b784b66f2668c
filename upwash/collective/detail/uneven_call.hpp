// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What collectives of blocks of different lengths have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/items.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// How many elements each member's block has, and where each begins in the vector of all blocks, in
/// elements; without offsets one behind the other. Not copied: as with buffers, the words stay
/// until the call is complete, of persistent calls as long as these.
struct member_counts {
  std::span<const std::uint64_t> counts;
  std::span<const std::uint64_t> offsets{};

  constexpr member_counts() = default;
  /// Of vectors, arrays and spans of 64-bit words.
  template <class Counts>
  requires std::ranges::range<Counts>
  constexpr member_counts(const Counts& of)  // NOLINT(google-explicit-constructor)
      : counts(words_of(of)) {}
  template <class Counts, class Offsets>
  constexpr member_counts(const Counts& of, const Offsets& at)
      : counts(words_of(of)), offsets(words_of(at)) {}

 private:
  template <class Words>
  static constexpr std::span<const std::uint64_t> words_of(const Words& from) {
    static_assert(std::is_same_v<detail::item_of<const Words&>, std::uint64_t>,
                  "counts and offsets are 64-bit words, which are read while the call runs: give a "
                  "vector, an array or a span of std::uint64_t");
    return detail::input_items<false, const Words&>(from);
  }
};

namespace detail {

/// What a call says, and its buffers in bytes.
struct uneven_call {
  collective::problem what;  ///< without the bytes
  std::span<const std::byte> input;
  std::span<std::byte> output;
  member_counts blocks;
  std::size_t own = 0;  ///< elements of the member's block, as its buffer says
};

/// The counts of a call that reads them after its return.
struct lasting_counts : member_counts {
  constexpr lasting_counts(const member_counts& of)  // NOLINT(google-explicit-constructor)
      : member_counts(of) {}
  template <class Counts>
  requires std::ranges::range<Counts>
  constexpr lasting_counts(Counts&& of)  // NOLINT(google-explicit-constructor)
      : member_counts(of) {
    check_lasts<Counts>();
  }
  template <class Counts, class Offsets>
  constexpr lasting_counts(Counts&& of, Offsets&& at) : member_counts(of, at) {
    check_lasts<Counts>();
    check_lasts<Offsets>();
  }

 private:
  template <class Words>
  static constexpr void check_lasts() {
    static_assert(outlives_call<Words>,
                  "a temporary is gone before the call is complete: give the counts a name, or "
                  "call with `blocking`");
  }
};

template <form_of_call Form>
using counts_of = std::conditional_t<uses_later<Form>, lasting_counts, member_counts>;

/// Each throws `error` (argument) unless counts and buffers fit, with the values.
[[nodiscard]] collective::detail::bound_call all_blocks_known(const team& among,
                                                              const uneven_call& all,
                                                              const collective_options& how,
                                                              call_site site);
[[nodiscard]] collective::detail::bound_call blocks_known_at_root(const team& among,
                                                                  const uneven_call& all,
                                                                  const collective_options& how,
                                                                  call_site site);

}  // namespace detail
}  // namespace upwash
