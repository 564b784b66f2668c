// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace upwash::tuning {
namespace {

/// Whether a result replaces one of the same algorithm. Total, so that merging has no order.
bool replaces(const result& a, const result& b) {
  return std::tuple(a.samples, a.when, b.ns) > std::tuple(b.samples, b.when, a.ns);
}

void add_result(std::vector<result>& to, const result& one) {
  const auto at = std::lower_bound(to.begin(), to.end(), one, [](const result& a, const result& b) {
    return a.algorithm < b.algorithm;
  });
  if (at == to.end() || at->algorithm != one.algorithm) {
    to.insert(at, one);
  } else if (replaces(one, *at)) {
    *at = one;
  }
}

double doublings(double a, double b) noexcept { return std::abs(std::log2(a / b)); }

}  // namespace

std::string_view to_string(placement where) noexcept {
  switch (where) {
    case placement::near: return "near";
    case placement::far: return "far";
    case placement::shared: return "shared";
    case placement::apart: return "apart";
    case placement::simulated: return "simulated";
    case placement::disturbed: return "disturbed";
  }
  return "unknown";
}

situation situation_of(const collective::problem& call, placement where) noexcept {
  return {.what = call.of,
          .ranks = call.ranks,
          .ranks_per_node = call.ranks_per_node,
          .processes = call.processes,
          .addresses = call.addresses,
          .entry = call.entry,
          .exit = call.exit,
          .commutative = call.commutative,
          .overlapped = call.overlapped,
          .where = where,
          .bytes = call.bytes};
}

collective::problem moved_to(const situation& there, collective::problem call) {
  call.ranks = there.ranks;
  call.ranks_per_node = there.ranks_per_node;
  call.processes = there.processes;
  call.bytes = there.bytes - there.bytes % call.element_bytes;
  call.root = std::min(call.root, there.ranks - 1);
  return call;
}

double distance(const situation& a, const situation& b) noexcept {
  const bool same = a.what == b.what && a.addresses == b.addresses && a.entry == b.entry &&
                    a.exit == b.exit && a.commutative == b.commutative &&
                    a.overlapped == b.overlapped && (a.processes == 0) == (b.processes == 0);
  if (!same) return std::numeric_limits<double>::infinity();
  // Below a word all sizes are alike.
  const auto size = [](const situation& s) { return std::max(static_cast<double>(s.bytes), 8.0); };
  return doublings(size(a), size(b)) + 2 * doublings(a.ranks, b.ranks) +
         doublings(a.ranks_per_node, b.ranks_per_node) +
         doublings(std::max(a.processes, 1), std::max(b.processes, 1));
}

const result& finding::best() const {
  return *std::min_element(results.begin(), results.end(),
                           [](const result& a, const result& b) { return a.ns < b.ns; });
}

void knowledge::add(const finding& one) {
  const auto at = std::lower_bound(findings_.begin(), findings_.end(), one,
                                   [](const finding& a, const finding& b) { return a.at < b.at; });
  finding& into = at != findings_.end() && at->at == one.at
                      ? *at
                      : *findings_.insert(at, finding{.at = one.at, .results = {}});
  into.seconds = std::max(into.seconds, one.seconds);
  into.candidates = std::max(into.candidates, one.candidates);
  for (const result& each : one.results) add_result(into.results, each);
}

/// Total, so that merging has no order.
void knowledge::add(const stream_note& one) {
  const auto at =
      std::lower_bound(streams_.begin(), streams_.end(), one,
                       [](const stream_note& a, const stream_note& b) { return a.kind < b.kind; });
  if (at == streams_.end() || at->kind != one.kind) {
    streams_.insert(at, one);
    return;
  }
  const auto order = [](const stream_note& of) {
    const streaming::traffic& seen = of.found.seen;
    return std::tuple(of.when, seen.items, seen.item_bytes, seen.destinations, seen.rate,
                      of.found.dimensions, of.found.effective_bytes);
  };
  if (order(one) > order(*at)) *at = one;
}

void knowledge::merge(const knowledge& other) {
  for (const finding& each : other.findings_) add(each);
  for (const stream_note& each : other.streams_) add(each);
  for (const price_note& each : other.prices_) add(each);
}

void knowledge::add(const price_note& one) {
  const auto place = [](const price_note& of) { return std::tie(of.build, of.key); };
  const auto at = std::lower_bound(
      prices_.begin(), prices_.end(), one,
      [&](const price_note& a, const price_note& b) { return place(a) < place(b); });
  if (at == prices_.end() || place(*at) != place(one)) {
    prices_.insert(at, one);
  } else if (std::tie(at->collective, at->candidates) < std::tie(one.collective, one.candidates)) {
    *at = one;
  }
}

void knowledge::keep_prices_of(std::optional<std::uint64_t> build) {
  std::erase_if(prices_, [=](const price_note& each) { return each.build != build; });
}

const stream_note* knowledge::nearest(const streaming::stream_kind& to) const noexcept {
  const stream_note* found = nullptr;
  double least = 1;
  for (const stream_note& each : streams_) {
    if (each.kind.label != to.label || each.kind.item_bytes != to.item_bytes) continue;
    const double far = doublings(each.kind.ranks, to.ranks);
    if (far > least || (found != nullptr && far == least)) continue;
    found = &each;
    least = far;
  }
  return found;
}

const finding* knowledge::find(const situation& at) const noexcept {
  const auto found =
      std::lower_bound(findings_.begin(), findings_.end(), at,
                       [](const finding& a, const situation& b) { return a.at < b; });
  return found != findings_.end() && found->at == at ? &*found : nullptr;
}

const finding* knowledge::nearest(const situation& to, double reach) const noexcept {
  const finding* found = nullptr;
  double least = reach;
  for (const finding& each : findings_) {
    const double far = distance(each.at, to);
    if (each.results.empty() || far > reach) continue;
    if (found == nullptr || std::tuple(far, each.at.where) < std::tuple(least, found->at.where)) {
      found = &each;
      least = far;
    }
  }
  return found;
}

}  // namespace upwash::tuning
