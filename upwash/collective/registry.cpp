// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective {
namespace {

struct requirement_row {
  model::requirement what;
  bool (*met)(const problem& call);
  std::string_view text;
};

constexpr std::array<requirement_row, 6> requirements{{
    {model::needs_power_of_two,
     [](const problem& call) { return (call.ranks & (call.ranks - 1)) == 0; },
     "a number of ranks that is a power of two"},
    {model::needs_commutative, [](const problem& call) { return call.commutative; },
     "a commutative operator"},
    {model::needs_single_addresses,
     [](const problem& call) { return call.addresses == schedule::address_mode::single; },
     "buffers at the same offset of one region at every rank"},
    {model::needs_direct_access, [](const problem& call) { return call.direct_access; },
     "ranks that load and store each other's memory"},
    {model::needs_network, [](const problem& call) { return call.network_collectives; },
     "collectives in the network (simulated: network packet, a fat tree, one rank a node)"},
    {model::needs_node_memory, [](const problem& call) { return bool(call.nodes); },
     "several nodes, and ranks that load and store each other's memory inside them"},
}};

constexpr std::string_view eager_key = "eager=";

/// Takes the pair "eager=value" out of "key=value,...".
std::optional<std::uint64_t> take_eager(std::string_view algorithm, std::string& pairs) {
  for (std::size_t at = 0; at < pairs.size();) {
    const std::size_t end = std::min(pairs.find(',', at), pairs.size());
    const std::string pair = pairs.substr(at, end - at);
    if (!pair.starts_with(eager_key)) {
      at = end + 1;
      continue;
    }
    const bool last = end == pairs.size();
    pairs.erase(last && at != 0 ? at - 1 : at, end - at + (last && at == 0 ? 0 : 1));
    return parse_bytes(pair.substr(eager_key.size()), fmt::format("{}: eager", algorithm));
  }
  return std::nullopt;
}

}  // namespace

std::string text_of(const selection& one) {
  std::string text = model::text_of(one.chosen->is, one.with);
  if (one.eager_bytes) {
    text += fmt::format("{}{}{}", one.chosen->is.parameters.empty() ? ':' : ',', eager_key,
                        *one.eager_bytes);
  }
  return text;
}

schedule::transfer_rules rules_of(const selection& one, const problem& call) {
  schedule::transfer_rules rules;
  rules.addresses = call.addresses;
  rules.entry = call.entry;
  rules.direct = call.direct_access;
  rules.eager_bytes = one.eager_bytes.value_or(call.eager_bytes);
  rules.forced = call.transfer;
  return rules;
}

void add_algorithms(registry& to) {
  detail::add_shared_memory(to);  // first: where prices are alike, it has the fewest steps
  detail::add_two_level(to);
  detail::add_hierarchical(to);
  detail::add_barriers(to);
  detail::add_rooted(to);
  detail::add_composed(to);
  detail::add_all_gathers(to);
  detail::add_exchanges(to);
  detail::add_many_to_many(to);
  detail::add_reductions(to);
  detail::add_uneven(to);
  detail::add_trees(to);
  detail::add_in_network(to);
}

void registry::add(const algorithm& one) { all_.push_back(one); }

kind registry::kind_named(std::string_view name) const {
  for (const algorithm& each : all_) {
    if (to_string(each.of) == name) return each.of;
  }
  return collective::kind_named(name);
}

std::vector<const algorithm*> registry::of(kind what) const {
  std::vector<const algorithm*> found;
  for (const algorithm& each : all_) {
    if (each.of == what) found.push_back(&each);
  }
  return found;
}

selection registry::named(kind what, std::string_view text) const {
  const auto [name, rest] = model::split_choice(text);
  std::vector<std::string_view> names;
  for (const algorithm* each : of(what)) {
    if (each->is.name == name) {
      std::string pairs(rest);
      const auto eager = take_eager(name, pairs);
      return {each, model::parse_values(each->is, pairs), eager};
    }
    names.push_back(each->is.name);
  }
  const std::string_view near = nearest_name(name, names);
  throw error(error_kind::argument,
              fmt::format("{}: unknown algorithm \"{}\"{} (known: {})", to_string(what), name,
                          near.empty() ? "" : fmt::format("; did you mean {}?", near),
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

std::string registry::objection(const selection& to, const problem& call) {
  const algorithm& chosen = *to.chosen;
  for (const requirement_row& row : requirements) {
    if ((chosen.is.requirements & row.what) != 0 && !row.met(call)) {
      return fmt::format("{} needs {}", chosen.is.name, row.text);
    }
  }
  const std::uint64_t most_eager = std::max(call.eager_bytes, call.eager_limit);
  if (to.eager_bytes.value_or(0) > most_eager) {
    return fmt::format("{}: eager={}: edges of up to {} bytes can travel eagerly here",
                       chosen.is.name, *to.eager_bytes, most_eager);
  }
  return chosen.objection == nullptr ? std::string() : chosen.objection(call, to.with);
}

std::string registry::requirements_of(const algorithm& one) {
  std::string text;
  for (const requirement_row& row : requirements) {
    if ((one.is.requirements & row.what) != 0) {
      text += fmt::format("{}{}", text.empty() ? "" : "; ", row.text);
    }
  }
  return text;
}

}  // namespace upwash::collective
