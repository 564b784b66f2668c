// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/price_notes.hpp"

#include <algorithm>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/price_words.hpp"

namespace upwash::tuning {
namespace {

using word_list = std::vector<std::uint64_t>;

void add(word_list& to, std::span<const std::uint64_t> words) {
  to.push_back(words.size());
  to.insert(to.end(), words.begin(), words.end());
}

/// Takes what `add` has put in front.
std::span<const std::uint64_t> take(std::span<const std::uint64_t>& from) {
  ensure(!from.empty() && from.front() < from.size(), "words end behind a list");
  const auto taken = from.subspan(1, from.front());
  from = from.subspan(1 + taken.size());
  return taken;
}

}  // namespace

std::optional<price_notes::words> price_notes::recall(words key) {
  if (known_.empty()) return std::nullopt;
  const auto found = known_.find(word_list(key.begin(), key.end()));
  if (found == known_.end()) return std::nullopt;
  return words(found->second);
}

void price_notes::note(collective::kind of, words key, words list) {
  if (!notes_ || fresh_.size() >= most_fresh) return;
  fresh_.try_emplace(word_list(key.begin(), key.end()),
                     noted{of, word_list(list.begin(), list.end())});
}

std::vector<std::uint64_t> price_notes::words_of(const knowledge& known, std::uint64_t build,
                                                 const collective::registry& algorithms) {
  word_list all;
  for (const price_note& each : known.prices()) {
    if (each.build != build) continue;
    std::vector<collective::ranked> list;
    const collective::kind of = algorithms.kind_named(each.collective);
    for (const price_note::candidate& one : each.candidates) {
      list.push_back({algorithms.named(of, one.algorithm), {}});
      if (one.ps) list.back().predicted = duration::from_ps(*one.ps);
    }
    add(all, each.key);
    add(all, collective::list_words(algorithms, of, list));
  }
  return all;
}

void price_notes::learn(words from) {
  while (!from.empty()) {
    const words key = take(from);
    const words list = take(from);
    known_[word_list(key.begin(), key.end())] = word_list(list.begin(), list.end());
  }
}

knowledge price_notes::fresh(std::uint64_t build, const collective::registry& algorithms) const {
  knowledge all;
  for (const auto& [key, found] : fresh_) {
    price_note one{build, std::string(to_string(found.of)), key, {}};
    for (const collective::ranked& each : collective::list_of(algorithms, found.of, found.list)) {
      one.candidates.push_back({text_of(each.what), {}});
      if (each.predicted) one.candidates.back().ps = each.predicted->ps();
    }
    all.add(one);
  }
  return all;
}

}  // namespace upwash::tuning
