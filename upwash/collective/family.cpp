// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/family.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/collective/problem.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::collective {
namespace {

using value = schedule::abstract_value;

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

std::uint64_t elements_a_block(const problem& call) noexcept {
  return call.bytes / (call.of.facts().combines ? call.element_bytes : 1);
}

void add(value& to, std::uint64_t rank, std::uint64_t element) {
  to.push_back({static_cast<int>(rank), static_cast<std::uint32_t>(element)});
}

void add_ranks_below(value& to, int ranks, std::uint64_t element) {
  for (int r = 0; r < ranks; ++r) add(to, wide(r), element);
}

// What an element of `rank`'s output is.

void of_root(const problem& call, int /*rank*/, std::uint64_t element, value& is) {
  add(is, wide(call.root), element);
}

void block_of_root(const problem& call, int rank, std::uint64_t element, value& is) {
  add(is, wide(call.root), wide(rank) * elements_a_block(call) + element);
}

void block_of_each(const problem& call, int /*rank*/, std::uint64_t element, value& is) {
  const std::uint64_t each = elements_a_block(call);
  add(is, element / each, element % each);
}

void own_block_of_each(const problem& call, int rank, std::uint64_t element, value& is) {
  const std::uint64_t each = elements_a_block(call);
  add(is, element / each, wide(rank) * each + element % each);
}

void all_combined(const problem& call, int /*rank*/, std::uint64_t element, value& is) {
  add_ranks_below(is, call.ranks, element);
}

void own_block_combined(const problem& call, int rank, std::uint64_t element, value& is) {
  const std::uint64_t each = elements_a_block(call);
  // In place, other blocks than the own may be anything.
  if (call.in_place && element / each != wide(rank)) return;
  add_ranks_below(is, call.ranks, call.in_place ? element : wide(rank) * each + element);
}

void combined_to_here(const problem& /*call*/, int rank, std::uint64_t element, value& is) {
  add_ranks_below(is, rank + 1, element);
}

void combined_below(const problem& /*call*/, int rank, std::uint64_t element, value& is) {
  add_ranks_below(is, rank, element);
}

}  // namespace

namespace families {

constexpr family barrier{
    .name = "barrier", .input = extent::nothing, .output = extent::nothing, .waits_for_all = true};
constexpr family broadcast{.name = "broadcast", .one_buffer = true, .definition = of_root};
constexpr family scatter{.name = "scatter",
                         .input = extent::each,
                         .at_root = rooted::input,
                         .definition = block_of_root};
constexpr family scatter_v{
    .name = "scatter_v", .input = extent::each, .at_root = rooted::input, .told = lengths::counted};
constexpr family gather{.name = "gather",
                        .output = extent::each,
                        .at_root = rooted::output,
                        .definition = block_of_each};
constexpr family gather_v{.name = "gather_v",
                          .output = extent::each,
                          .at_root = rooted::output,
                          .told = lengths::counted};
constexpr family reduce{
    .name = "reduce", .at_root = rooted::output, .combines = true, .definition = all_combined};
constexpr family all_gather{.name = "all_gather",
                            .output = extent::each,
                            .waits_for_all = true,
                            .definition = block_of_each};
constexpr family all_gather_v{.name = "all_gather_v",
                              .output = extent::each,
                              .told = lengths::counted,
                              .waits_for_all = true};
constexpr family all_to_all{.name = "all_to_all",
                            .input = extent::each,
                            .output = extent::each,
                            .waits_for_all = true,
                            .definition = own_block_of_each};
constexpr family all_to_all_v{.name = "all_to_all_v",
                              .input = extent::each,
                              .output = extent::each,
                              .told = lengths::apart,
                              .sent_lengths = 0};
constexpr family many_to_many{.name = "many_to_many",
                              .input = extent::each,
                              .output = extent::nothing,
                              .told = lengths::apart,
                              .knows_senders = false,
                              .sent_lengths = 1};
constexpr family many_to_many_multicast{.name = "many_to_many_multicast",
                                        .output = extent::nothing,
                                        .told = lengths::apart,
                                        .knows_senders = false};
constexpr family all_reduce{
    .name = "all_reduce", .combines = true, .waits_for_all = true, .definition = all_combined};
constexpr family reduce_scatter{.name = "reduce_scatter",
                                .input = extent::each,
                                .combines = true,
                                .waits_for_all = true,
                                .definition = own_block_combined};
constexpr family reduce_scatter_v{.name = "reduce_scatter_v",
                                  .input = extent::each,
                                  .told = lengths::counted,
                                  .combines = true,
                                  .waits_for_all = true};
constexpr family scan{.name = "scan", .combines = true, .definition = combined_to_here};
constexpr family exclusive_scan{
    .name = "exclusive_scan", .combines = true, .definition = combined_below};

}  // namespace families

namespace {

constexpr std::array<kind, 18> all_kinds{kind::barrier,
                                         kind::broadcast,
                                         kind::scatter,
                                         kind::scatter_v,
                                         kind::gather,
                                         kind::gather_v,
                                         kind::reduce,
                                         kind::all_gather,
                                         kind::all_gather_v,
                                         kind::all_to_all,
                                         kind::all_to_all_v,
                                         kind::many_to_many,
                                         kind::many_to_many_multicast,
                                         kind::all_reduce,
                                         kind::reduce_scatter,
                                         kind::reduce_scatter_v,
                                         kind::scan,
                                         kind::exclusive_scan};

constexpr auto all_names = [] {
  std::array<std::string_view, all_kinds.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = all_kinds[i].facts().name;
  return names;
}();

}  // namespace

std::span<const kind> own_kinds() noexcept { return all_kinds; }

std::span<const std::string_view> kind_names() noexcept { return all_names; }

kind kind_named(std::string_view name) {
  for (const kind each : all_kinds) {
    if (to_string(each) == name) return each;
  }
  const std::string_view near = nearest_name(name, kind_names());
  throw error(error_kind::argument,
              fmt::format("unknown collective \"{}\"{} (known: {})", name,
                          near.empty() ? "" : fmt::format("; did you mean {}?", near),
                          fmt::join(kind_names(), ", ")));
}

}  // namespace upwash::collective
