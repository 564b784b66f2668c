// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives as an open set. A row, `family`, holds the facts that all calls of a collective
// share; `kind` names a row. The rows of upwash are members of `kind`. A layer above defines its
// own rows and adds its algorithms to the registry. Choosing, pricing, proving and running use only
// the facts.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "upwash/model/contribution.hpp"

namespace upwash::collective {

struct problem;

/// The content of a member's buffer.
enum class extent : std::uint8_t {
  nothing,
  one,   ///< a vector, or one block
  each,  ///< a block for each member
};

/// The source of the block lengths.
enum class lengths : std::uint8_t {
  equal,    ///< problem::bytes
  counted,  ///< counts from the caller, in elements of one buffer: gather_v and similar
  apart,    ///< length and offset of each message, from the caller
};

/// The buffer that exists only at the root, where it holds the blocks, or the result, of all.
enum class rooted : std::uint8_t { neither, input, output };

/// A collective: facts of all its calls. Lives as long as the program. Names of families are
/// unique.
struct family {
  std::string_view name;
  extent input = extent::one;
  extent output = extent::one;
  rooted at_root = rooted::neither;
  lengths told = lengths::equal;
  bool combines = false;  ///< combines contributions with an operator
  /// No member completes before all have called, so a member is never two calls ahead of another.
  bool waits_for_all = false;
  bool one_buffer = false;    ///< every call is in place
  bool knows_senders = true;  ///< false: the number of incoming messages is unknown
  /// For lengths::apart: index in binding::given of the lengths that a member sends. -1: each
  /// message is the whole input.
  int sent_lengths = -1;
  /// Defines an element of a member's output: adds the contributions that it combines, from left to
  /// right (schedule/validate.hpp). No contribution: the element may have any value. Elements are
  /// bytes if nothing is combined. Null: proven elsewhere.
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
  /// An arbitrary total order, for use in maps.
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
/// Returns whether one member's buffer holds the blocks, or the result, of all.
[[nodiscard]] inline bool is_rooted(kind of) noexcept {
  return of.facts().at_root != rooted::neither;
}
/// Returns whether blocks differ in length and the caller gives their counts in elements (gather_v
/// and similar).
[[nodiscard]] inline bool is_uneven(kind of) noexcept {
  return of.facts().told == lengths::counted;
}
/// Returns whether each message has its own length, so that the time of a call depends on the
/// messages of each rank.
[[nodiscard]] inline bool is_irregular(kind of) noexcept {
  return of.facts().told == lengths::apart;
}

/// Returns the collectives of upwash, sorted by subject.
[[nodiscard]] std::span<const kind> own_kinds() noexcept;
/// Returns their names.
[[nodiscard]] std::span<const std::string_view> kind_names() noexcept;
/// Returns the collective of that name. Throws `error` (argument) for an unknown name, with the
/// known names and the nearest one.
[[nodiscard]] kind kind_named(std::string_view name);

}  // namespace upwash::collective
