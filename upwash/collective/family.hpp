// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives as an open set: what all calls of one have in common is a row, `family`, and
// `kind` names it. upwash's own are members of `kind`; a layer above defines its own, and gives its
// algorithms to the registry: choosing, pricing, proving and running know families by facts alone.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "upwash/model/contribution.hpp"

namespace upwash::collective {

struct problem;

/// What a member's buffer holds.
enum class extent : std::uint8_t {
  nothing,
  one,   ///< a vector, or one block
  each,  ///< a block for each member
};

/// Who tells how long the blocks are.
enum class lengths : std::uint8_t {
  equal,    ///< problem::bytes does
  counted,  ///< the caller, in elements of one buffer: gather_v and its like
  apart,    ///< the caller, for each message, and where it lies
};

/// Which buffer counts at the root only, and holds there the blocks, or the result, of all.
enum class rooted : std::uint8_t { neither, input, output };

/// A collective: facts of all its calls. Lives as long as the program; two families have two names.
struct family {
  std::string_view name;
  extent input = extent::one;
  extent output = extent::one;
  rooted at_root = rooted::neither;
  lengths told = lengths::equal;
  bool combines = false;  ///< contributions, by an operator
  /// No member is done before all have come, so a call is never two ahead of another member's.
  bool waits_for_all = false;
  bool one_buffer = false;    ///< every call is in place
  bool knows_senders = true;  ///< false: nobody knows how many messages come
  /// Where `told` is apart: which of binding::given has the lengths of what a member sends; -1: all
  /// its messages are its whole input.
  int sent_lengths = -1;
  /// Says what an element of a member's output is: adds the contributions that it combines, from
  /// left to right (schedule/validate.hpp); none: it may be anything. Elements are bytes where
  /// nothing is combined. Null: proven elsewhere.
  void (*definition)(const problem& call, int rank, std::uint64_t element,
                     std::vector<contribution>& is) = nullptr;
};

/// Names a collective: a reference to its family, as cheap as an enumerator.
class kind {
 public:
  constexpr kind() noexcept;
  constexpr explicit kind(const family& of) noexcept : family_(&of) {}

  [[nodiscard]] constexpr const family& facts() const noexcept { return *family_; }

  friend constexpr bool operator==(kind a, kind b) noexcept = default;
  /// Some total order: for maps, of no meaning.
  friend constexpr auto operator<=>(kind a, kind b) noexcept = default;

  static const kind barrier;
  static const kind broadcast;
  static const kind scatter;
  static const kind scatter_v;
  static const kind gather;
  static const kind gather_v;
  static const kind reduce;
  static const kind all_gather;
  static const kind all_gather_v;
  static const kind all_to_all;
  static const kind all_to_all_v;
  static const kind many_to_many;
  static const kind many_to_many_multicast;
  static const kind all_reduce;
  static const kind reduce_scatter;
  static const kind reduce_scatter_v;
  static const kind scan;
  static const kind exclusive_scan;

 private:
  const family* family_;
};

namespace families {

extern const family barrier;
extern const family broadcast;
extern const family scatter;
extern const family scatter_v;
extern const family gather;
extern const family gather_v;
extern const family reduce;
extern const family all_gather;
extern const family all_gather_v;
extern const family all_to_all;
extern const family all_to_all_v;
extern const family many_to_many;
extern const family many_to_many_multicast;
extern const family all_reduce;
extern const family reduce_scatter;
extern const family reduce_scatter_v;
extern const family scan;
extern const family exclusive_scan;

}  // namespace families

constexpr kind::kind() noexcept : family_(&families::barrier) {}

inline constexpr kind kind::barrier{families::barrier};
inline constexpr kind kind::broadcast{families::broadcast};
inline constexpr kind kind::scatter{families::scatter};
inline constexpr kind kind::scatter_v{families::scatter_v};
inline constexpr kind kind::gather{families::gather};
inline constexpr kind kind::gather_v{families::gather_v};
inline constexpr kind kind::reduce{families::reduce};
inline constexpr kind kind::all_gather{families::all_gather};
inline constexpr kind kind::all_gather_v{families::all_gather_v};
inline constexpr kind kind::all_to_all{families::all_to_all};
inline constexpr kind kind::all_to_all_v{families::all_to_all_v};
inline constexpr kind kind::many_to_many{families::many_to_many};
inline constexpr kind kind::many_to_many_multicast{families::many_to_many_multicast};
inline constexpr kind kind::all_reduce{families::all_reduce};
inline constexpr kind kind::reduce_scatter{families::reduce_scatter};
inline constexpr kind kind::reduce_scatter_v{families::reduce_scatter_v};
inline constexpr kind kind::scan{families::scan};
inline constexpr kind kind::exclusive_scan{families::exclusive_scan};

[[nodiscard]] inline std::string_view to_string(kind of) noexcept { return of.facts().name; }
/// One member's buffer holds the blocks, or the result, of all.
[[nodiscard]] inline bool is_rooted(kind of) noexcept {
  return of.facts().at_root != rooted::neither;
}
/// Blocks of different lengths whose counts the caller gives in elements: gather_v and its like.
[[nodiscard]] inline bool is_uneven(kind of) noexcept {
  return of.facts().told == lengths::counted;
}
/// Each message has a length of its own: what a call takes depends on what each rank sends.
[[nodiscard]] inline bool is_irregular(kind of) noexcept {
  return of.facts().told == lengths::apart;
}

/// upwash's own collectives, sorted by subject.
[[nodiscard]] std::span<const kind> own_kinds() noexcept;
/// Their names.
[[nodiscard]] std::span<const std::string_view> kind_names() noexcept;
/// The one of that name. Throws `error` (argument) for an unknown one, with those known and the
/// nearest.
[[nodiscard]] kind kind_named(std::string_view name);

}  // namespace upwash::collective
