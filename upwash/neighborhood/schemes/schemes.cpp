// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/schemes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "upwash/base/error.hpp"

namespace upwash::neighborhoods {
namespace {

using model::parameter;
using model::trial;

constexpr parameter halving_parameters[] = {
    {"ranks", 0, 1, 1, "down to ranks; 0: to nodes, and direct within them", trial::none},
};

constexpr parameter friends_parameters[] = {
    {"k", 2, 16, 2, "ranks of a group", trial::none},
    {"theta", 0, 1U << 20U, 0, "they have more neighbours in common; 0: k, or k(k-1) across nodes",
     trial::none},
    {"aware", 0, 1, 1, "groups within nodes; 0: across them too", trial::none},
    {"cumulative", 0, 1, 0, "what a group took over is combined again", trial::none},
};

constexpr std::array table{
    scheme{{.name = "direct",
            .parameters = {},
            .doc = "each block straight to each neighbour",
            .source = "the definition"},
           &direct,
           {.straight = true, .only_messages = true}},
    scheme{{.name = "shared",
            .parameters = {},
            .doc = "read in shared memory; to other nodes as direct",
            .source = "Nishtala et al. 2009"},
           &shared,
           {.shares_memory = true, .straight = true}},
    scheme{{.name = "node_forward",
            .parameters = {},
            .doc = "one message a node, handed on there",
            .source = "Bienz, Gropp and Olson 2019"},
           &node_forward},
    scheme{{.name = "node_pairs",
            .parameters = {},
            .doc = "one message a pair of nodes, by leaders",
            .source = "Bienz, Gropp and Olson 2019"},
           &node_pairs},
    scheme{{.name = "halving",
            .parameters = halving_parameters,
            .doc = "halves exchange what is for the other half",
            .source = "Sur, Zhao and Panda 2005, for sparse patterns"},
           &halving},
    scheme{{.name = "doubling",
            .parameters = {},
            .doc = "on a grid by doubling shifts",
            .source = "Traff and Hunold 2019"},
           &doubling,
           {.needs_grid = true}},
    scheme{{.name = "friends",
            .parameters = friends_parameters,
            .doc = "groups divide the neighbours they have in common",
            .source = "Ghazimirsaeed 2019, chapter 7"},
           &friends},
    scheme{{.name = "friends_staged",
            .parameters = friends_parameters,
            .doc = "the same, each stage in rounds of its own",
            .source = "Ghazimirsaeed 2019, algorithm 7.4"},
           &friends_staged},
};

}  // namespace

std::span<const scheme> all_schemes() noexcept { return table; }

chosen_scheme scheme_named(std::string_view text) {
  const auto split = model::split_choice(text);
  for (const scheme& each : table) {
    if (each.is.name == split.first) return {&each, model::parse_values(each.is, split.second)};
  }
  std::vector<std::string_view> names;
  for (const scheme& each : table) names.push_back(each.is.name);
  throw error(error_kind::argument,
              fmt::format("scheme: \"{}\" is not one of {}", split.first, fmt::join(names, ", ")));
}

bool hands_over(const chosen_scheme& one, const scene& in) noexcept {
  const scheme_facts& facts = one.is->facts;
  return in.nodes_share_memory && !facts.only_messages &&
         !(facts.shares_memory && in.shares_memory);
}

std::vector<chosen_scheme> schemes_worth_a_look(const scene& in) {
  struct candidate {
    std::string_view text;
    bool by_nodes = false;
  };
  constexpr candidate worth[] = {{"direct"},           {"shared"},  {"node_forward", true},
                                 {"node_pairs", true}, {"halving"}, {"halving:ranks=0", true},
                                 {"doubling"}};
  std::vector<chosen_scheme> all;
  for (const candidate& each : worth) {
    const chosen_scheme one = scheme_named(each.text);
    if ((in.on_grid || !one.is->facts.needs_grid) && (in.several_nodes || !each.by_nodes) &&
        (in.shares_memory || in.nodes_share_memory || !one.is->facts.shares_memory)) {
      all.push_back(one);
    }
  }
  return all;
}

std::string text_of(const chosen_scheme& one) { return model::text_of(one.is->is, one.with); }

}  // namespace upwash::neighborhoods
