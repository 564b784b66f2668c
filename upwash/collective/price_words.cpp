// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/price_words.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "upwash/base/ensure.hpp"
#include "upwash/base/random.hpp"

namespace upwash::collective {
namespace {

using words = std::vector<std::uint64_t>;

/// With its length in front.
void add_text(words& to, std::string_view text) {
  const std::size_t at = to.size();
  to.resize(at + 1 + (text.size() + 7) / 8);
  to[at] = text.size();
  if (!text.empty()) std::memcpy(&to[at + 1], text.data(), text.size());
}

template <class... Values>
void add(words& to, const Values&... values) {
  static_assert(((std::is_integral_v<Values> || std::is_enum_v<Values>)&&...));
  (to.push_back(static_cast<std::uint64_t>(values)), ...);
}

/// Names say which algorithms there are: the processes of a job run the same program.
std::uint64_t names_of(const registry& from, kind of) {
  std::uint64_t hash = 0;
  for (const algorithm* each : from.of(of)) {
    for (const char letter : each->is.name) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    hash = random_bits(hash, each->is.parameters.size(), 0);
  }
  return hash;
}

void add_nodes(words& to, const model::shared_node_map& nodes, int ranks) {
  add(to, bool(nodes));
  if (!nodes) return;
  for (int rank = 0; rank < ranks; ++rank) add(to, nodes->node_of(rank));
}

void add_problem(words& to, const problem& call) {
  // All members by name: whoever adds one has to say here whether prices depend on it.
  const auto& [of, ranks, bytes, degree, known_senders, element_bytes, root, in_place, commutative,
               ranks_per_node, processes, addresses, checked, direct_access, shared_scratch, nodes,
               node_scratch, network_collectives, entry, exit, eager_bytes, eager_limit, transfer,
               whole_messages, overlapped, label, further] = call;
  static_cast<void>(label);  // no choice of the model's depends on it
  ensure(further.get() == nullptr, "what only a process knows has no words");
  add_text(to, to_string(of));
  add(to, ranks, bytes, degree, known_senders, element_bytes, root, in_place, commutative,
      ranks_per_node, processes, addresses, checked, direct_access, shared_scratch, node_scratch,
      network_collectives, entry, exit, eager_bytes, eager_limit, transfer.has_value(),
      transfer.value_or(mechanism{}), whole_messages, overlapped);
  add_nodes(to, nodes, ranks);
}

// How a candidate is told: its number and what there is of it, then its values.
constexpr std::uint64_t has_eager = 1U << 16U;
constexpr std::uint64_t has_price = 1U << 17U;

}  // namespace

words key_words(const registry& from, const problem& call, const machine& on) {
  words key;
  if (call.further.get() != nullptr) return key;
  key.reserve(64);
  add_text(key, on.name);
  add(key, on.text_hash, names_of(from, call.of));
  add_problem(key, call);
  return key;
}

words list_words(const registry& from, kind of, const std::vector<ranked>& all) {
  const std::vector<const algorithm*> known = from.of(of);
  words told;
  told.reserve(5 * all.size());
  for (const ranked& each : all) {
    const auto number = std::ranges::find(known, each.what.chosen) - known.begin();
    const std::size_t values = each.what.chosen->is.parameters.size();
    add(told, static_cast<std::uint64_t>(number) | (each.what.eager_bytes ? has_eager : 0) |
                  (each.predicted ? has_price : 0));
    told.insert(told.end(), each.what.with.begin(),
                each.what.with.begin() + static_cast<std::ptrdiff_t>(values));
    if (each.what.eager_bytes) add(told, *each.what.eager_bytes);
    if (each.predicted) add(told, each.predicted->ps());
  }
  return told;
}

std::vector<ranked> list_of(const registry& from, kind of, std::span<const std::uint64_t> words) {
  const std::vector<const algorithm*> known = from.of(of);
  std::vector<ranked> all;
  std::size_t at = 0;
  const auto next = [&] {
    ensure(at < words.size(), "a list of prices ends behind a candidate");
    return words[at++];
  };
  while (at < words.size()) {
    const std::uint64_t what = next();
    const std::size_t number = what & (has_eager - 1);
    ensure(number < known.size(), "prices are of algorithms that there are");
    ranked one{{known[number]}, {}};
    for (std::size_t i = 0; i < one.what.chosen->is.parameters.size(); ++i) {
      one.what.with[i] = next();
    }
    if ((what & has_eager) != 0) one.what.eager_bytes = next();
    if ((what & has_price) != 0) {
      one.predicted = duration::from_ps(static_cast<std::int64_t>(next()));
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace upwash::collective
